#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of the helper, of a step's slurmstepd, of slurmd and of the controller, while a partition is being made and while
# the job runs: nothing is left in the end, no node is taken away, and no batch job is lost.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-02
trap 'vipu delay 0' EXIT
partition_is() { vipu list | grep -q "^slurm_$1 .*$2"; }
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
reap() { run tessera reap --node=$node --conf="$conf" >/dev/null; }
clean() {
	await 'the queue is empty' no_jobs
	await 'no note is left' no_notes
	await 'no partition is left' no_partitions
	unlike "no node is taken away" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}
batch() { ann sbatch --parsable -p p64 -w $node --ipus=4 --requeue -o killed.out --wrap "$1"; }
# helper_of JOB: the process that makes its partition. Other clusters beside this one have jobs of the same number.
helper_of() {
	grep -lsz -- "--job=$1\$" /proc/[0-9]*/cmdline | xargs -r grep -lszF "$TESSERA_LAB/bin/tessera-vipu" | sed 's|/proc/||; s|/cmdline||' | head -n 1
}

# The helper.
fine vipu delay 1000
job=$(batch true)
await 'it is being made' partition_is "$job" PENDING
kill -KILL "$(helper_of "$job")" || broken 'there is no helper'
await 'the batch job is back in the queue' requeued "$job"
like 'the user is told' 'tessera-vipu was killed by signal 9; the job goes back to the queue' "$(cat "$(home ann)/killed.out")"
fine vipu delay 0
fine run scancel "$job"
clean

# slurmd, while the partition is being made. Slurm forgets the job on that node or runs it again; either way it lives or is told.
fine vipu delay 1000
job=$(batch 'sleep 600')
await 'it is being made' partition_is "$job" PENDING
read -r slurmd _ <"$TESSERA_LAB/pids/$node"
kill -KILL "$slurmd"
helper=$(helper_of "$job")
[ -z "$helper" ] || kill -KILL "$helper"
fine "$lab" restart $node
fine vipu delay 0
fine run scancel "$job"
await 'the queue is empty' no_jobs
reap
clean

# slurmd, while the job runs: it goes on.
job=$(batch 'sleep 600')
reaches "$job" RUNNING
await 'it has its partition' partition_is "$job" ACTIVE
read -r slurmd _ <"$TESSERA_LAB/pids/$node"
kill -KILL "$slurmd"
fine "$lab" restart $node
is 'still running' RUNNING "$(state_of "$job")"
partition_is "$job" ACTIVE || broken 'the partition of a running job was removed'
fine run scancel "$job"
clean

# The slurmstepd of a step. srun does not notice that, and its task has lost its keeper: both are for the user to end.
job=$(batch 'srun sleep 600')
reaches "$job" RUNNING
stepd_of() {
	local pid
	for pid in /proc/[0-9]*; do
		grep -qs "^slurmstepd: \[$1.0\]" "$pid/cmdline" && readlink "$pid"/fd/* 2>/dev/null | grep -qF "$TESSERA_LAB/" && echo "${pid#/proc/}"
	done
}
task_of() {
	local pid
	for pid in /proc/[0-9]*; do
		grep -qsxz "SLURM_JOB_ID=$1" "$pid/environ" && grep -qsxzF "SLURM_CONF=$TESSERA_LAB/etc/slurm.conf" "$pid/environ" &&
			grep -qsxz 'sleep' "$pid/cmdline" && echo "${pid#/proc/}"
	done
}
started() { [ -n "$(stepd_of "$job")" ] && [ -n "$(task_of "$job")" ]; }
await 'its step runs' started
task=$(task_of "$job")
kill -KILL "$(stepd_of "$job")"
partition_is "$job" ACTIVE || broken 'a dead step took the partition of its job with it'
fine run scancel "$job"
clean
for pid in $task; do kill -KILL "$pid" 2>/dev/null; done

# The controller, with and without its partitions, while it makes one.
for memory in with without; do
	fine vipu delay 1000
	job=$(batch 'echo $IPUOF_VIPU_API_PARTITION_ID; vipu get partition $IPUOF_VIPU_API_PARTITION_ID --gcd 0 --ipuof-configs >/dev/null && echo active')
	await 'it is being made' partition_is "$job" PENDING
	read -r controller _ <"$TESSERA_LAB/pids/vipu"
	kill -KILL "$controller"
	[ $memory = with ] || rm -f "$TESSERA_LAB/vipu/state"
	echo 0 >"$TESSERA_LAB/vipu/delay"
	fine "$lab" restart vipu
	reaches "$job" COMPLETED
	is "$memory its partitions" "slurm_$job active" "$(xargs <"$(home ann)/killed.out")"
	clean
done

# The controller forgets the partition of a running job: the end of the job is no trouble.
job=$(batch 'sleep 600')
reaches "$job" RUNNING
await 'it has its partition' partition_is "$job" ACTIVE
fine vipu remove "slurm_$job"
fine run scancel "$job"
clean
rm -f "$(home ann)"/{killed.out,survived}
