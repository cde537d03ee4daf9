#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of the helper, of a step's slurmstepd, of slurmd and of the controller, while a partition
# is created and while the job runs. Nothing is left in the end, no node is drained, and no batch
# job is lost.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-02
trap 'vipu delay 0' EXIT
reap() { run tessera reap --node=$node --conf="$conf" >/dev/null; }
clean() {
	await 'the queue is empty' no_jobs
	await 'no job record is left' no_job_records
	await 'no partition is left' no_partitions
	unlike "no node is drained or down" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}
batch() { ann sbatch --parsable -p p64 -w $node --ipus=4 --requeue -o killed.out --wrap "$1"; }
# helper_of JOB: the process that creates its partition. Jobs of other clusters on this machine can
# have the same number.
helper_of() {
	grep -lsz -- "--job=$1\$" /proc/[0-9]*/cmdline | xargs -r grep -lszF "$TESSERA_LAB/bin/tessera-vipu" | sed 's|/proc/||; s|/cmdline||' | head -n 1
}

# The helper.
fine vipu delay 1000
job=$(batch true)
await 'the partition is pending' has_pending_partition "$job"
kill -KILL "$(helper_of "$job")" || fail 'no helper is running'
await 'the batch job is requeued' requeued "$job"
like 'the output of the job says why' 'tessera-vipu was killed by signal 9; requeueing the job' "$(cat "$(home ann)/killed.out")"
fine vipu delay 0
fine run scancel "$job"
clean

# slurmd, while the partition is created. Slurm drops the job on that node or runs it again.
fine vipu delay 1000
job=$(batch 'sleep 600')
await 'the partition is pending' has_pending_partition "$job"
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

# slurmd, while the job runs. The job keeps running.
job=$(batch 'sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
read -r slurmd _ <"$TESSERA_LAB/pids/$node"
kill -KILL "$slurmd"
fine "$lab" restart $node
is 'the job is still running' RUNNING "$(state_of "$job")"
has_partition "$job" || fail 'the partition of a running job was removed'
fine run scancel "$job"
clean

# The slurmstepd of a step. srun does not notice that, and the task has no parent: the user must end
# both.
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
await 'the step runs' started
task=$(task_of "$job")
kill -KILL "$(stepd_of "$job")"
has_partition "$job" || fail 'the partition of a job was removed with its step'
fine run scancel "$job"
clean
for pid in $task; do kill -KILL "$pid" 2>/dev/null; done

# The controller, while it creates a partition, with and without its saved state.
for memory in with without; do
	fine vipu delay 1000
	job=$(batch 'echo $IPUOF_VIPU_API_PARTITION_ID; vipu get partition $IPUOF_VIPU_API_PARTITION_ID --gcd 0 --ipuof-configs >/dev/null && echo active')
	await 'the partition is pending' has_pending_partition "$job"
	read -r controller _ <"$TESSERA_LAB/pids/vipu"
	kill -KILL "$controller"
	[ $memory = with ] || rm -f "$TESSERA_LAB/vipu/state"
	echo 0 >"$TESSERA_LAB/vipu/delay"
	fine "$lab" restart vipu
	reaches "$job" COMPLETED
	is "the job runs $memory saved partitions" "slurm_$job active" "$(xargs <"$(home ann)/killed.out")"
	clean
done

# The controller has lost the partition of a running job: the job can still end.
job=$(batch 'sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
fine vipu remove "slurm_$job"
fine run scancel "$job"
clean
rm -f "$(home ann)"/{killed.out,survived}
