#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On several nodes each has its own tiles: a job takes what is free on each.
. "$(dirname "$0")/lib.sh"

holder=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap 'sleep 600')
reaches "$holder" RUNNING
# shellcheck disable=SC2016
is 'tiles on two nodes' 'sn30-r1-h1 0x0000000000ff0000 sn30-r1-h2 0x00000000000000ff' \
	"$(ann srun -N2 --ntasks-per-node=1 --gres=rdu:1 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort | xargs)"
fine run scancel "$holder"

# 32 tasks on two nodes with four tiles each, as in ALCF's GPT example.
# shellcheck disable=SC2016
got=$(ann srun -N2 -n32 --ntasks-per-node=16 --tiles-per-task=4 --gres=rdu:8 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort -u | wc -l)
is 'different masks on two nodes' 32 "$got"
