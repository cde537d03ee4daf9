#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# On several nodes each has its own tiles: a job gets those that are free on each.
. "$(dirname "$0")/lib.sh"

# RDU 0 is allocated on one node. There the job gets the other RDU of that XRDU, which leaves whole
# XRDUs free.
owner=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap 'sleep 600')
reaches "$owner" RUNNING
# shellcheck disable=SC2016
is 'each node has its own tiles' 'sn30-r1-h1 0x000000000000ff00 sn30-r1-h2 0x00000000000000ff' \
	"$(ann srun -N2 --ntasks-per-node=1 --gres=rdu:1 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort | xargs)"
fine run scancel "$owner"

# 32 tasks on two nodes with four tiles each, as in ALCF's GPT example.
# shellcheck disable=SC2016
got=$(ann srun -N2 -n32 --ntasks-per-node=16 --tiles-per-task=4 --gres=rdu:8 sh -c 'echo $SLURMD_NODENAME $SF_RNT_TILE_AFFINITY' | sort -u | wc -l)
is 'the 32 tasks have different tiles' 32 "$got"
