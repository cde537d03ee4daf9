#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job with --no-kill survives the failure of the node that created its partition. It keeps the
# partition while it runs, and the partition is removed when the job ends, whether that node comes
# back before, later or never.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
first=gc-poplar-02 second=gc-poplar-03 third=gc-poplar-04
dead=
revive() {
	[ -z "$dead" ] || fine "$lab" restart $dead
	dead=
	await 'the node is available again' is_back
}
trap 'revive; site_keys' EXIT
is_back() {
	run scontrol update nodename=$first state=resume 2>/dev/null || run sinfo -hn $first -o %T | grep -qE '^(idle|mixed|allocated|completing)$'
}
both_ready() { record_is ready $first "$1" && record_is ready $second "$1"; }
on_second() { [ "$(nodes_of "$1")" = $second ]; }

# die: kill slurmd of the first node.
die() {
	local slurmd
	read -r slurmd _ <"$TESSERA_LAB/pids/$first"
	dead=$first
	kill -KILL "$slurmd"
}
down() { fine run scontrol update nodename=$first state=down reason=dead; }

# allocation OPTION...: an allocation of two nodes without a step; its number is left in $job.
allocation() {
	said=$(ann salloc --no-shell -p p64 -w $first,$second -N2 --ipus=32 "$@" 2>&1) || fail "salloc failed: $said"
	job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
	await 'both nodes have a job record' both_ready "$job"
}

# The node is still down when the job ends.
allocation --no-kill
die
down
await 'the job keeps running' on_second "$job"
has_partition "$job" || fail 'a running job lost its partition'
fine run scancel "$job"
await 'the partition is removed' no_partitions
await 'no job is left' no_jobs
await 'the second node removes its record' no_record $second "$job"
record_is ready $first "$job" || fail 'the record on the dead node was removed'
revive
await 'no job record is left' no_job_records

# The node comes back while the job runs.
allocation --no-kill
die
down
await 'the job keeps running' on_second "$job"
revive
await 'the first node removes its record' no_record $first "$job"
has_partition "$job" || fail 'a running job lost its partition'
record_is ready $second "$job" || fail 'the second node removed its record'
fine run scancel "$job"
await 'the partition is removed' no_partitions
await 'no job record is left' no_job_records
await 'no job is left' no_jobs

# A job ends while slurmctld cannot reach its first node: Slurm waits for that epilog, but the
# partition is removed at once.
allocation
die
fine run scontrol update nodename=$first state=noresp
fine run scancel "$job"
await 'the partition is removed' no_partitions
is 'the job still waits for that epilog' $first "$(nodes_of "$job")"
down
await 'no job is left' no_jobs
revive
await 'no job record is left' no_job_records

# slurmctld has not noticed the failure yet: the second node leaves the partition to the first, and
# reap on any node of the pod finds it.
allocation
die
fine run scancel "$job"
await 'the second node removes its record' no_record $second "$job"
down
await 'no job is left' no_jobs
if has_partition "$job"; then
	is 'reap removes the partition' "job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=$third --conf="$conf")"
fi
is 'no partition is left' '' "$(vipu list)"
revive
await 'no job record is left' no_job_records
