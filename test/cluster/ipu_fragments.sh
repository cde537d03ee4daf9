#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Half the pod is free, but nowhere eight IPUs in a row: the job's prolog waits a while, then an interactive job fails
# with the controller's words and a batch job goes back to the queue; with patience both run.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
patience() { sed "s/^\tPort/\tCreateWait = $1\n\tPort/; \$ a MaxRequeue = 1" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"; }

# Sixteen partitions of four, one after the other, and every second one goes again: 32 IPUs are free, and no aligned 8.
placed() { "$lab" vipu list | wc -l; }
are() { [ "$($1)" = "$2" ]; }
pieces=()
for i in {1..16}; do
	pieces+=("$(bob sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')")
	await "$i partitions" are placed "$i"
done
for job in "${pieces[@]}"; do reaches "$job" RUNNING; done
for i in 0 2 4 6 8 10 12 14; do fine run scancel "${pieces[i]}"; done
await '8 partitions are left' are placed 8
refused vipu create fragments 8
like 'no aligned 8' '32' "$said"

patience 2
refused ann srun -p p64 --ipus=8 true
like 'interactive' 'tessera: partition slurm_[0-9]+ of 8 IPUs .*(free|room)' "$said"
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=8 --requeue -o pieces.out --wrap true)
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
await 'a batch job is back in the queue' requeued "$job"
like 'what the user reads' 'back to the queue \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"

# What still does not fit when its tries are used up is held, and not lost. On another node: Slurm lets no job come back to
# the one it was on for two minutes.
await 'it may start elsewhere' eval "run scontrol update jobid=$job ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
held() { run squeue -hj "$1" -o '%T %r' | grep -qi 'PENDING.*held'; }
await 'the job is held' held "$job"
like 'and the user is told' "after 2 tries the job is held: scontrol release $job" "$(cat "$(home ann)/pieces.out")"
fine run scancel "$job"

# With patience it waits until somebody leaves.
patience 60
job=$(ann sbatch --parsable -p p64 --ipus=8 -o pieces.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
reaches "$job" RUNNING
tried() { grep -q "CreatePartition id=slurm_$job status=RESOURCE_EXHAUSTED" "$TESSERA_LAB/log/vipu.out"; }
await 'it was refused once' tried
fine run scancel "${pieces[5]}"
reaches "$job" COMPLETED
is 'it got its eight' "slurm_$job" "$(cat "$(home ann)/pieces.out")"
fine run scancel "${pieces[@]}"
rm -f "$(home ann)/pieces.out"
