#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Batch script, step and task of a job have the same tiles, on SN10 and SN30. Each of 16 tasks has
# its own four.
. "$(dirname "$0")/lib.sh"

mask='printenv SF_RNT_TILE_AFFINITY'

# On an empty node a job gets the first two RDUs, which share an XRDU.
# shellcheck disable=SC2086
{
	is 'rdu:2 on SN30' 0x000000000000ffff "$(ann srun --gres=rdu:2 $mask)"
	is 'rdu:2 on SN10' 0x000000ff "$(ann srun -p sn10 --gres=rdu:2 $mask)"
	is 'half an RDU on SN30' 0x000000000000000f "$(bob srun --gres=rdu_tile:4 $mask)"
	is 'the whole node' 0xffffffffffffffff "$(bob srun --gres=rdu:8 $mask)"
	is 'a job without a request has no mask' '' "$(ann srun $mask)"
}

# The same in the batch script, a step in it, and the tasks of the step.
fine ann sbatch -W -n2 -o masks.out -e /dev/null --gres=rdu:2 --wrap "$mask; srun -n1 $mask; srun -n2 sh -c '$mask'" >/dev/null
is 'batch script, step and two tasks have the same mask' "$(yes 0x000000000000ffff | head -n 4)" "$(cat "$(home ann)/masks.out")"

# 16 tasks with four tiles each: aligned and all different.
# shellcheck disable=SC2016
got=$(ann srun --gres=rdu:8 -n16 --tiles-per-task=4 sh -c 'echo $SLURM_LOCALID $SF_RNT_TILE_AFFINITY' | sort -n)
wanted=$(for task in {0..15}; do printf '%d 0x%016x\n' "$task" $((0xf << (4 * task))); done)
is '16 tasks have different tiles' "$wanted" "$got"

# --tile-bind: all tiles for every task, in blocks, round the RDUs, by a list.
each() { ann srun -n2 --gres=rdu:2 "$@" sh -c 'echo $SLURM_LOCALID $SF_RNT_TILE_AFFINITY' | sort -n | xargs; }
is '--tile-bind=none' '0 0x000000000000ffff 1 0x000000000000ffff' "$(each)"
is '--tile-bind=block' '0 0x00000000000000ff 1 0x000000000000ff00' "$(each --tile-bind=block)"
is '--tile-bind=cyclic' '0 0x000000000000000f 1 0x0000000000000f00' "$(each --tile-bind=cyclic --tiles-per-task=4)"
is '--tile-bind=map' '0 0x000000000000ff00 1 0x00000000000000ff' "$(each --tile-bind=map:rdu1,rdu0)"
