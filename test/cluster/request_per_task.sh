#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --tres-per-task=gres/rdu_tile:N gives each task N tiles of its own, as --tiles-per-task=N does, in jobs
# and in steps, and adds nothing to what Slurm counts for it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# 23.02 has the option, and 23.11 its present syntax.
needs_slurm 23.11
trap 'rm -f "$(home ann)"/{per_task.sh,per_task.out,step.1,step.2,counts}' EXIT
mask='printenv SF_RNT_TILE_AFFINITY'
four='0x000000000000000f 0x00000000000000f0'
sorted() { sort | xargs; }

# shellcheck disable=SC2086
is 'two tasks have four tiles each' "$four" "$(ann srun -Q -N1 -n2 --tres-per-task=gres/rdu_tile:4 $mask | sorted)"
# shellcheck disable=SC2086
is 'two tasks have an RDU each' '0x00000000000000ff 0x000000000000ff00' \
	"$(ann srun -Q -N1 -n2 --tres-per-task=gres/rdu:1 $mask | sorted)"
# shellcheck disable=SC2086
is 'the option is the same as --tiles-per-task' "$four" \
	"$(ann srun -Q -N1 -n2 --tiles-per-task=4 --tres-per-task=gres/rdu_tile:4 $mask | sorted)"
# shellcheck disable=SC2086
is 'it takes precedence over the environment variable' "$four" \
	"$(ann env TESSERA_TILES_PER_TASK=2 srun -Q -N1 -n2 --tres-per-task=gres/rdu_tile:4 $mask | sorted)"
# shellcheck disable=SC2086
is 'the tasks of a step divide its part of the job' '0x0000000000000003 0x000000000000000c' \
	"$(ann salloc -Q -n2 --gres=rdu:1 srun -n2 --tres-per-task=gres/rdu_tile:2 $mask | sorted)"

# Steps inherit the option. Each of two steps waits for the other, so both run at the same time.
cat >"$(home ann)/per_task.sh" <<'SCRIPT'
#!/bin/bash
scontrol -d show job "$SLURM_JOB_ID" >counts
step() { srun -n1 --exact sh -c 'echo $SF_RNT_TILE_AFFINITY >step.$0; until [ -e step.$1 ]; do sleep 0.1; done' "$1" "$2"; }
step 1 2 &
step 2 1 &
wait
srun -n2 printenv SF_RNT_TILE_AFFINITY
SCRIPT
fine ann sbatch -W -Q -N1 -n2 -o per_task.out --tres-per-task=gres/rdu_tile:4 per_task.sh
is 'two steps of one task have different tiles' "$four" "$(cat "$(home ann)"/step.[12] | sorted)"
is 'a step of two tasks divides them' "$four" "$(sorted <"$(home ann)/per_task.out")"
like 'Slurm counts what was requested' ' GRES=(.*,)?rdu_tile[:(]*(CNT:)?8\b' "$(cat "$(home ann)/counts")"
unlike 'nothing is added to --gres' 'TresPerNode' "$(cat "$(home ann)/counts")"

refused ann srun -Q -n2 --tres-per-task=gres/rdu_tile:12 true
like 'a size that no task can have is refused' \
	'tessera: --tres-per-task: 12 tiles for each task is not a valid size on sn30-8: use 1, 2, 4 or a multiple of 8' "$said"
refused ann srun -Q -n2 --tiles-per-task=2 --tres-per-task=gres/rdu_tile:4 true
like 'two different numbers are refused' \
	'tessera: --tres-per-task asks for 4 tiles for each task, --tiles-per-task=2 for 2; omit one of them' "$said"
