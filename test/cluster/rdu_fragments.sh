#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The counters let a job in for which there are tiles enough, but only in pieces: an interactive job fails and hears why,
# a batch job goes back to the queue a limited number of times, the node stays; and with patience both run.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
impatient() { sed -i '/^PlaceWait\|^MaxRequeue/d' "$conf" && printf 'PlaceWait = 0\nMaxRequeue = %s\n' "$1" >>"$conf"; }

# One tile of every RDU is taken: 24 of 32 are free, and no RDU is whole.
pieces=()
for rdu in {0..7}; do
	pieces+=("$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu_tile:1 --tile-affinity="$rdu.0" --wrap 'sleep 600')")
done
for job in "${pieces[@]}"; do reaches "$job" RUNNING; done

impatient 1
refused ann srun -p sn10 --gres=rdu:1 true
like 'interactive' 'tessera: 1 whole RDU is needed, none is free \(24 of 32 tiles are free, in parts\)' "$said"

# A batch job: once back to the queue, and no more where MaxRequeue is 0.
job=$(ann sbatch --parsable -o pieces.out -p sn10 --gres=rdu:1 --requeue --wrap true)
requeued() { [ "$(run squeue -hj "$1" -o %T)" = PENDING ] && run scontrol show job "$1" | grep -q 'Restarts=1'; }
await 'back in the queue' requeued "$job"
like 'what the user reads' 'back to the queue \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"
fine ann scancel "$job"
impatient 0
job=$(ann sbatch --parsable -o pieces.out -p sn10 --gres=rdu:1 --wrap true)
reaches "$job" FAILED
like 'what the user reads' '1 whole RDU is needed' "$(cat "$(home ann)/pieces.out")"

# A job of two nodes that lacks room on the second: its first step there sends it back.
blocks=()
for rdu in {0..7}; do
	blocks+=("$(bob sbatch --parsable -o /dev/null -w sn30-r1-h2 --gres=rdu_tile:1 --tile-affinity="$rdu.7" --wrap 'sleep 600')")
done
for job in "${blocks[@]}"; do reaches "$job" RUNNING; done
impatient 1
job=$(ann sbatch --parsable -o pieces.out -N2 --gres=rdu:1 --requeue --wrap 'srun -N2 true; sleep 600')
await 'back in the queue' requeued "$job"
like 'what the user reads' 'back to the queue \(1 of 1\)' "$(cat "$(home ann)/pieces.out")"
fine run scancel "$job" "${blocks[@]}"

# With patience it waits until somebody leaves.
mv "$conf.saved" "$conf" && cp "$conf" "$conf.saved"
job=$(ann sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --wrap 'echo $SF_RNT_TILE_AFFINITY >patient')
reaches "$job" RUNNING
fine run scancel "${pieces[2]}"
reaches "$job" COMPLETED
is 'the RDU that became whole' 0x00000f00 "$(cat "$(home ann)/patient")"
fine run scancel "${pieces[@]}"
rm -f "$(home ann)/patient" "$(home ann)/pieces.out"
