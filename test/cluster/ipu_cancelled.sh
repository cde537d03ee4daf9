#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job is cancelled while it waits, while its partition is created, while it runs, and while the
# partition is removed. Nothing is left in any case.
. "$(dirname "$0")/lib.sh"

trap 'vipu delay 0; vipu remove-delay 0' EXIT
was_created() { grep -q " CreatePartition id=slurm_$1 " "$TESSERA_LAB/log/vipu.out"; }
nothing_left() {
	await 'the queue is empty' no_jobs
	await 'no job record is left' no_job_records
	await 'no partition is left' no_partitions
	unlike "no node is drained or down ($1)" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}

# In the queue.
job=$(ann sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap true)
fine ann scancel "$job"
nothing_left 'in the queue'
! was_created "$job" || fail 'a partition was created for a job that never ran'

# While the controller creates the partition: a batch and an interactive job.
fine vipu delay 1000
job=$(ann sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap true)
await 'the partition is pending' has_pending_partition "$job"
like 'the job record was written before' '^state making' "$(cat "$TESSERA_LAB"/state/*/"job.$job")"
fine ann scancel "$job"
nothing_left 'batch, being made'
ann srun -p p64 -J interactive --ipus=4 true >/dev/null 2>&1 &
pending() { vipu list | grep -q PENDING; }
await 'the partition is pending' pending
job=$(run squeue -hn interactive -o %A)
fine ann scancel "$job"
wait $! && fail 'srun succeeded although its job was cancelled'
nothing_left 'interactive, being made'
fine vipu delay 0

# While it runs.
job=$(ann sbatch --parsable -p p64 -N2 --ipus=4 -o /dev/null --wrap 'srun sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
fine ann scancel "$job"
nothing_left 'running'

# While the partition is removed.
fine vipu remove-delay 1000
job=$(ann sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap 'true')
removing() { vipu status "slurm_$1" 2>/dev/null | grep -q REMOVING; }
await 'the partition is being removed' removing "$job"
run scancel "$job" 2>/dev/null
fine vipu remove-delay 0
nothing_left 'being removed'
