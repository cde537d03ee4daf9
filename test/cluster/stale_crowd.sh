#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119,SC2218
# A running job with hundreds of processes on the device withholds no tiles of its user's other jobs and delays nobody: slurmd
# is asked once for each job, not for each process.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

log=$TESSERA_LAB/log/$node.log
slurm=$TESSERA_LAB/etc/slurm.conf
cp "$slurm" "$slurm.saved"
undo() {
	end_left
	rewrite "$conf" <"$conf.saved"
	rewrite "$slurm" <"$slurm.saved"
	rm -f "$conf.saved" "$slurm.saved" "$TESSERA_LAB"/use/*
	run scontrol reconfigure
}
trap undo EXIT
sed 's/^SlurmdDebug=.*/SlurmdDebug=debug2/' "$slurm.saved" | rewrite "$slurm"
fine run scontrol reconfigure
question='Start processing RPC: REQUEST_JOB_ID$'
is_verbose() { SLURMD_NODENAME=$node run scontrol pidinfo 1 >/dev/null 2>&1; grep -q "$question" "$log"; }
await 'slurmd logs each question' is_verbose
# questions CMD...: how often CMD had slurmd asked whose a process is, in $asked.
questions() {
	asked=$(grep -c "$question" "$log")
	"$@"
	asked=$(($(grep -c "$question" "$log") - asked))
}

# A job of one tile, in its script and in several steps. An epilog that waited would do so for an hour.
policy 'StaleHolders = wait' 'StaleWait = 3600' 'PlaceWait = 0'
crowd=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:1 --wrap \
	"exec 9<$device; for i in \$(seq 300); do sleep 600 & done
	for i in 1 2 3 4; do srun --overlap --gres=none sh -c 'exec 9<$device; sleep 600; exit' & done; wait")
# The script, its children, and in each step a shell and its child.
step_holders() { for pid in $(device_holders $node); do cat "/proc/$pid/comm"; done 2>/dev/null | grep -cE '^(sh|sleep)$'; }
crowded() { [ "$(step_holders)" = 308 ]; }
await 'a crowd' crowded
there=$(device_holders $node)
end_a_job() {
	local job
	job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:7 --wrap true)
	finishes "$job"
}
questions end_a_job
is 'one question for one running job' 1 "$asked"
like 'only the crowd has a tile' "^job $crowd .* tiles 0 tasks 1 of 1 text -\$" "$(rows $node)"
is 'and nothing is withheld' 1 "$(rows $node | wc -l)"
fine bob srun -w $node true

# A second job of that user takes a second question.
second=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:1 --wrap "exec 9<$device; sleep 600")
more_hold() { [ "$(device_holders $node | wc -l)" -gt "$(wc -l <<<"$there")" ]; }
await 'it holds the device, too' more_hold
questions end_a_job
is 'two questions for two running jobs' 2 "$asked"
is 'nothing is withheld' 2 "$(rows $node | wc -l)"
fine run scancel "$second"
finishes "$second"

# What another job leaves behind is found among them; they are no reason to withhold its tiles any longer.
# The crowd's job stays, but none comes or goes: the policy may change.
rewrite() { cat >"$1.new" && mv -f "$1.new" "$1"; }
policy 'StaleHolders = quarantine' 'PlaceWait = 0'
job=$(leave)
finishes "$job"
kept_back "$job"
left=$(device_holders $node | grep -vxF -e "$there")
is 'one is left' 1 "$(wc -w <<<"$left")"
like 'by what was left' " text process $left \(use-tiles\) of uid $ann_id still holds" "$row"
kill -KILL "$left"
only_crowd() { [ "$(device_holders $node)" = "$there" ]; }
await 'it has gone' only_crowd
questions eval 'said=$(reap)'
like 'reaped' "^job $job .* rdu1 given back\$" "$said"
is 'by one question' 1 "$asked"

# It is the only one to be ended.
policy 'StaleHolders = kill' 'StaleWait = 3600' 'PlaceWait = 0'
job=$(leave)
finishes "$job"
given_back "$job"
is 'one was ended' 1 "$(logged "$job" 'sent SIGTERM to its process')"
is 'all of the crowd are there' "$there" "$(device_holders $node)"
fine run scancel "$crowd"
finishes "$crowd"
is 'all is free' '' "$(rows $node)"
