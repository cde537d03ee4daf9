#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job with --no-kill survives the death of the node that made its partition: it keeps the partition while it runs, and the
# partition goes when the job ends, whether that node comes back before, later or never.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
first=gc-poplar-02 second=gc-poplar-03 third=gc-poplar-04
dead=
revive() {
	[ -z "$dead" ] || fine "$lab" restart $dead
	dead=
	await 'the node is back' is_back
}
trap 'revive; site_keys' EXIT
is_back() {
	run scontrol update nodename=$first state=resume 2>/dev/null || run sinfo -hn $first -o %T | grep -qE '^(idle|mixed|allocated|completing)$'
}
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
ready_on() { grep -qs '^state ready' "$TESSERA_LAB/state/$1/job.$2"; }
forgotten() { [ ! -e "$TESSERA_LAB/state/$1/job.$2" ]; }
noted() { ready_on $first "$1" && ready_on $second "$1"; }
nodes_of() { run squeue -hj "$1" -o %N; }
on_second() { [ "$(nodes_of "$1")" = $second ]; }

# die: the first node's slurmd.
die() {
	local slurmd
	read -r slurmd _ <"$TESSERA_LAB/pids/$first"
	dead=$first
	kill -KILL "$slurmd"
}
down() { fine run scontrol update nodename=$first state=down reason=dead; }

# allocation OPTION...: on two nodes, without a step; its number is left in $job.
allocation() {
	said=$(ann salloc --no-shell -p p64 -w $first,$second -N2 --ipus=32 "$@" 2>&1) || broken "salloc failed: $said"
	job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
	await 'both nodes have written it down' noted "$job"
}

# The node is still dead when the job ends.
allocation --no-kill
die
down
await 'the job goes on' on_second "$job"
has_partition "$job" || broken 'a running job lost its partition'
fine run scancel "$job"
await 'its partition is gone' no_partitions
await 'no job is left' no_jobs
await 'the second node forgets it' forgotten $second "$job"
ready_on $first "$job" || broken 'somebody cleaned up on the dead node'
revive
await 'no note is left' no_notes

# The node comes back while the job runs.
allocation --no-kill
die
down
await 'the job goes on' on_second "$job"
revive
await 'the first node forgets it' forgotten $first "$job"
has_partition "$job" || broken 'a running job lost its partition'
ready_on $second "$job" || broken 'the second node forgot it'
fine run scancel "$job"
await 'its partition is gone' no_partitions
await 'no note is left' no_notes
await 'no job is left' no_jobs

# A job ends while slurmctld cannot reach its first node: that epilog is waited for, but not with the partition.
allocation
die
fine run scontrol update nodename=$first state=noresp
fine run scancel "$job"
await 'its partition is gone' no_partitions
is 'the job still waits for that epilog' $first "$(nodes_of "$job")"
down
await 'no job is left' no_jobs
revive
await 'no note is left' no_notes

# slurmctld has not noticed yet: the second node leaves it to the first, and reap finds it on any node of the pod.
allocation
die
fine run scancel "$job"
await 'the second node leaves it' forgotten $second "$job"
down
await 'no job is left' no_jobs
if has_partition "$job"; then
	is 'reap removes it' "job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=$third --conf="$conf")"
fi
is 'it is gone' '' "$(vipu list)"
revive
await 'no note is left' no_notes

# The vendor's program cannot list partitions, so the second node does not rely on the first.
program=$TESSERA_LAB/bin/vipu
site_keys 'Backend = command' "CreateCommand = \"$program -H %h --api-port %o create partition %p --size %n --num-gcds %g --reconfigurable\"" \
	"StatusCommand = \"$program -H %h --api-port %o get partition %p --gcd 0 --ipuof-configs\"" \
	"RemoveCommand = \"$program -H %h --api-port %o remove partition %p\"" \
	"ForceCommand = \"$program -H %h --api-port %o remove partition %p --force\""
allocation
die
fine run scancel "$job"
await 'its partition is gone' no_partitions
await 'the second node forgets it' forgotten $second "$job"
down
await 'no job is left' no_jobs
revive
await 'no note is left' no_notes
