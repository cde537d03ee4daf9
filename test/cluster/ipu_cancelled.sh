#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job is cancelled while it waits, while its partition is being made, while it runs, and while the partition is being
# removed: each time nothing is left.
. "$(dirname "$0")/lib.sh"

trap 'vipu delay 0; vipu remove-delay 0' EXIT
partition_of() { vipu list | grep -q "^slurm_$1 .*$2"; }
seen() { grep -q " CreatePartition id=slurm_$1 " "$TESSERA_LAB/log/vipu.out"; }
nothing_left() {
	await 'the queue is empty' no_jobs
	await 'no note is left' no_notes
	await 'no partition is left' no_partitions
	unlike "no node is taken away ($1)" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}

# In the queue.
job=$(ann sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap true)
fine ann scancel "$job"
nothing_left 'in the queue'
! seen "$job" || broken 'a partition was made for a job that never ran'

# While the controller makes the partition: batch and interactive.
fine vipu delay 1000
job=$(ann sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap true)
await 'it is being made' partition_of "$job" PENDING
like 'that is written down before' '^state making' "$(cat "$TESSERA_LAB"/state/*/"job.$job")"
fine ann scancel "$job"
nothing_left 'batch, being made'
ann srun -p p64 -J interactive --ipus=4 true >/dev/null 2>&1 &
pending() { vipu list | grep -q PENDING; }
await 'it is being made' pending
job=$(run squeue -hn interactive -o %A)
fine ann scancel "$job"
wait $! && broken 'srun succeeded, though its job was cancelled'
nothing_left 'interactive, being made'
fine vipu delay 0

# While it runs.
job=$(ann sbatch --parsable -p p64 -N2 --ipus=4 -o /dev/null --wrap 'srun sleep 600')
reaches "$job" RUNNING
await 'it has its partition' partition_of "$job" ACTIVE
fine ann scancel "$job"
nothing_left 'running'

# While the partition goes.
fine vipu remove-delay 1000
job=$(ann sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap 'true')
removing() { vipu status "slurm_$1" 2>/dev/null | grep -q REMOVING; }
await 'it is being removed' removing "$job"
run scancel "$job" 2>/dev/null
fine vipu remove-delay 0
nothing_left 'being removed'
