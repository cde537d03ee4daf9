#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Half of the pod is free, but no eight adjacent IPUs are. The prolog waits a while; then an
# interactive job fails with the controller's message and a batch job is requeued. With a longer
# CreateWait both run.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
set_create_wait() { sed "s/^\tPort/\tCreateWait = $1\n\tPort/; \$ a MaxRequeue = 1" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"; }

# Sixteen partitions of four IPUs, of which every second is removed: 32 IPUs are free, but no
# aligned 8.
placed() { "$lab" vipu list | wc -l; }
are() { [ "$($1)" = "$2" ]; }
pieces=()
for i in {1..16}; do
	pieces+=("$(bob sbatch --parsable -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')")
	await "$i partitions are created" are placed "$i"
done
for job in "${pieces[@]}"; do reaches "$job" RUNNING; done
for i in 0 2 4 6 8 10 12 14; do fine run scancel "${pieces[i]}"; done
await '8 partitions are left' are placed 8
refused vipu create fragments 8
like 'the controller has no aligned 8' '32' "$said"

set_create_wait 2
refused ann srun -p p64 --ipus=8 true
like 'an interactive job fails with the message' 'tessera: partition slurm_[0-9]+ of 8 IPUs .*(free|room)' "$said"
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=8 --requeue -o pieces.out --wrap true)
await 'a batch job is requeued' requeued "$job"
like 'the output of the job says why' 'requeueing the job \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"

# A job that still does not fit after MaxRequeue tries is held and not lost. It moves to another
# node, since Slurm does not start a job on the same node again within two minutes.
await 'Slurm allows it to start on another node' eval "run scontrol update jobid=$job ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
held() { run squeue -hj "$1" -o '%T %r' | grep -qi 'PENDING.*held'; }
await 'the job is held' held "$job"
like 'the output of the job says so' "holding the job after 2 tries: scontrol release $job" "$(cat "$(home ann)/pieces.out")"
fine run scancel "$job"

# With a longer CreateWait the job waits until another job ends.
set_create_wait 60
job=$(ann sbatch --parsable -p p64 --ipus=8 -o pieces.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
reaches "$job" RUNNING
tried() { grep -q "CreatePartition id=slurm_$job status=RESOURCE_EXHAUSTED" "$TESSERA_LAB/log/vipu.out"; }
await 'the partition was refused once' tried
fine run scancel "${pieces[5]}"
reaches "$job" COMPLETED
is 'the job ran with its partition' "slurm_$job" "$(cat "$(home ann)/pieces.out")"
fine run scancel "${pieces[@]}"
rm -f "$(home ann)/pieces.out"
