#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm starts a job for which enough tiles are free, but fragmented: an interactive job fails with
# the reason, a batch job is requeued a limited number of times, and the node stays available. With
# a longer PlaceWait both run.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
impatient() { sed -i '/^PlaceWait\|^MaxRequeue/d' "$conf" && printf 'PlaceWait = 0\nMaxRequeue = %s\n' "$1" >>"$conf"; }

# One tile of every RDU is allocated: 24 of 32 are free, and no RDU is whole.
pieces=()
for rdu in {0..7}; do
	pieces+=("$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu_tile:1 --tile-affinity="$rdu.0" --wrap 'sleep 600')")
done
for job in "${pieces[@]}"; do reaches "$job" RUNNING; done

impatient 1
refused ann srun -p sn10 --gres=rdu:1 true
like 'an interactive job fails with the reason' 'tessera: 1 whole RDU needed, none free \(24 of 32 tiles free but fragmented\)' "$said"

# A batch job is requeued once, and not at all where MaxRequeue is 0.
job=$(ann sbatch --parsable -o pieces.out -p sn10 --gres=rdu:1 --requeue --wrap true)
await 'the job is requeued' requeued "$job"
like 'the output says that the job is requeued' 'requeueing the job \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"
fine ann scancel "$job"
impatient 0
job=$(ann sbatch --parsable -o pieces.out -p sn10 --gres=rdu:1 --wrap true)
reaches "$job" FAILED
like 'the output has the reason' '1 whole RDU needed' "$(cat "$(home ann)/pieces.out")"

# A job of two nodes with too few tiles on the second: its first step there requeues it.
blocks=()
for rdu in {0..7}; do
	blocks+=("$(bob sbatch --parsable -o /dev/null -w sn30-r1-h2 --gres=rdu_tile:1 --tile-affinity="$rdu.7" --wrap 'sleep 600')")
done
for job in "${blocks[@]}"; do reaches "$job" RUNNING; done
impatient 1
job=$(ann sbatch --parsable -o pieces.out -N2 --gres=rdu:1 --requeue --wrap 'srun -N2 true; sleep 600')
await 'the job is requeued' requeued "$job"
like 'the output says that the job is requeued' 'requeueing the job \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"
fine run scancel "$job" "${blocks[@]}"

# With a longer PlaceWait the job waits until another job ends.
mv "$conf.saved" "$conf" && cp "$conf" "$conf.saved"
job=$(ann sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --wrap 'echo $SF_RNT_TILE_AFFINITY >patient')
reaches "$job" RUNNING
fine run scancel "${pieces[2]}"
reaches "$job" COMPLETED
is 'the job gets the RDU that became whole' 0x00000f00 "$(cat "$(home ann)/patient")"
fine run scancel "${pieces[@]}"
rm -f "$(home ann)/patient" "$(home ann)/pieces.out"
