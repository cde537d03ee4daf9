#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Steps that request parts of the job's tiles have different parts at the same time; steps that
# request nothing share all.
. "$(dirname "$0")/lib.sh"

# Two steps of half an RDU each wait for each other, so both must run at the same time.
cat >"$(home ann)/two.sh" <<'SCRIPT'
#!/bin/bash
step() { srun -n1 --exact --gres=rdu_tile:4 sh -c 'echo $SF_RNT_TILE_AFFINITY >step.$0; until [ -e step.$1 ]; do sleep 0.1; done' "$1" "$2"; }
step 1 2 &
step 2 1 &
until [ -e step.1 ] && [ -e step.2 ]; do sleep 0.1; done
srun -n1 --overlap --gres=none sh -c 'echo "<$SF_RNT_TILE_AFFINITY>"' >none
wait
srun -n1 --overlap printenv SF_RNT_TILE_AFFINITY >all
SCRIPT
fine ann sbatch -W -Q -n2 -o two.out --gres=rdu:1 two.sh
is 'two steps have different halves' '0x000000000000000f 0x00000000000000f0' "$(cat "$(home ann)"/step.[12] | sort | xargs)"
is 'a step with --gres=none has no tiles' '<>' "$(cat "$(home ann)/none")"
is 'a step without a request has all tiles' 0x00000000000000ff "$(cat "$(home ann)/all")"
rm -f "$(home ann)"/{step.1,step.2,all,none,two.sh,two.out}

# Tasks of a step with a part divide that part.
is 'tasks divide the part of their step' '0x0000000000000003 0x000000000000000c' \
	"$(ann salloc -Q -n2 --gres=rdu:1 srun -n2 --gres=rdu_tile:4 --tiles-per-task=2 printenv SF_RNT_TILE_AFFINITY | sort | xargs)"

# A step without the environment still has its requested part.
is 'a step without the environment has its part' 0x000000000000000f \
	"$(ann salloc -Q --gres=rdu:1 srun -n1 --export=NONE --gres=rdu_tile:4 /usr/bin/printenv SF_RNT_TILE_AFFINITY)"
