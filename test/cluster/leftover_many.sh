#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119,SC2218
# A running job with hundreds of processes on the device withholds no tiles of its user's other jobs
# and causes no delay: slurmd is queried once for each job, not for each process.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

log=$TESSERA_LAB/log/$node.log
trap 'kill_leftovers; restore_slurm_conf; restore_leftovers' EXIT
edit_slurm_conf 's/^SlurmdDebug=.*/SlurmdDebug=debug2/'
# Older releases log the start and the end of a query, newer ones one line.
is_verbose() {
	SLURMD_NODENAME=$node run scontrol pidinfo 1 >/dev/null 2>&1
	for query in 'Start processing RPC: REQUEST_JOB_ID$' 'debug2: Processing RPC: REQUEST_JOB_ID$'; do
		! grep -q "$query" "$log" || return 0
	done
	return 1
}
await 'slurmd logs each query' is_verbose
# count_queries CMD...: leaves in $queries how often CMD queries slurmd for the job of a process.
count_queries() {
	queries=$(grep -c "$query" "$log")
	"$@"
	queries=$(($(grep -c "$query" "$log") - queries))
}

# A job of one tile, in its script and in several steps. An epilog that waited would wait for an
# hour.
policy 'LeftoverProcesses = wait' 'LeftoverWait = 3600' 'PlaceWait = 0'
large=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:1 --wrap \
	"exec 9<$device; for i in \$(seq 300); do sleep 600 & done
	for i in 1 2 3 4; do srun --overlap --gres=none sh -c 'exec 9<$device; sleep 600; exit' & done; wait")
# The script, its children, and in each step a shell and its child.
step_users() { for pid in $(device_users $node); do cat "/proc/$pid/comm"; done 2>/dev/null | grep -cE '^(sh|sleep)$'; }
has_all_processes() { [ "$(step_users)" = 308 ]; }
await '308 processes use the device' has_all_processes
there=$(device_users $node)
end_a_job() {
	local job
	job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:7 --wrap true)
	finishes "$job"
}
count_queries end_a_job
is 'slurmd is queried once for one running job' 1 "$queries"
like 'only the large job has a tile' "^job $large .* tiles 0 tasks 1 of 1 text -\$" "$(rows $node)"
is 'nothing is withheld' 1 "$(rows $node | wc -l)"
fine bob srun -w $node true

# A second job of that user needs a second query.
second=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:1 --wrap "exec 9<$device; sleep 600")
has_more_users() { [ "$(device_users $node | wc -l)" -gt "$(wc -l <<<"$there")" ]; }
await 'the second job uses the device' has_more_users
count_queries end_a_job
is 'slurmd is queried twice for two running jobs' 2 "$queries"
is 'nothing is withheld' 2 "$(rows $node | wc -l)"
fine run scancel "$second"
finishes "$second"

# A leftover process of another job is found among them, and they do not withhold its tiles after
# its end. The large job stays, but no job starts or ends, so the policy may change.
policy() { replace "$conf" with_policy "$@"; }
policy 'LeftoverProcesses = quarantine' 'PlaceWait = 0'
job=$(leave_process)
finishes "$job"
await_withheld "$job"
left=$(device_users $node | grep -vxF -e "$there")
is 'one process is left behind' 1 "$(wc -w <<<"$left")"
like 'the row names the leftover process' " text process $left \(use-tiles\) of uid $ann_id still holds" "$row"
kill -KILL "$left"
only_large_job() { [ "$(device_users $node)" = "$there" ]; }
await 'the job has left the queue' only_large_job
count_queries eval 'said=$(reap)'
like 'reap releases the tiles' "^job $job .* rdu1 released\$" "$said"
is 'reap queries slurmd once' 1 "$queries"

# Only the leftover process is signalled.
policy 'LeftoverProcesses = kill' 'LeftoverWait = 3600' 'PlaceWait = 0'
job=$(leave_process)
finishes "$job"
await_released "$job"
# With SlurmdDebug=debug2, newer slurmds log what an epilog says a second time.
is 'one process was signalled' 1 "$(sed -n "s/.*tessera: job $job ended; sent SIGTERM to its process \([0-9]*\) .*/\1/p" "$log" | sort -u | wc -l)"
is 'all processes of the large job are running' "$there" "$(device_users $node)"
fine run scancel "$large"
finishes "$large"
is 'no row is left in the ledger' '' "$(rows $node)"
