#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# However a job is started and however it ends, it has its tiles meanwhile and none afterwards.
. "$(dirname "$0")/lib.sh"

tiles() { [ "$(rows "$1" | grep -c "^job $2 ")" = "$3" ]; }

# A job array: each task is a job with tiles of its own.
fine ann sbatch -W -Q -o 'array-%a' --array=1-20 --gres=rdu_tile:4 --wrap 'echo $SF_RNT_TILE_AFFINITY'
is 'each array task has a mask' 20 "$(cat "$(home ann)"/array-* | grep -cE '^0x[0-9a-f]{16}$')"
rm "$(home ann)"/array-*

# A heterogeneous job: each component has what it requested.
is 'each component has its mask' '0x000000000000000f 0x000000ff' \
	"$(ann srun -p sambanova --gres=rdu_tile:4 printenv SF_RNT_TILE_AFFINITY : -p sn10 --gres=rdu:2 printenv SF_RNT_TILE_AFFINITY |
		sort | xargs)"

# A terminal.
like 'a task with --pty has its mask' 0x000000000000ffff \
	"$(ann script -qec 'srun --gres=rdu:2 --pty printenv SF_RNT_TILE_AFFINITY' /dev/null </dev/null)"

# salloc and several steps.
is 'the steps of salloc have the mask' '0x00000000000000ff 0x00000000000000ff' \
	"$(ann salloc -Q --gres=rdu:1 sh -c 'srun printenv SF_RNT_TILE_AFFINITY; srun printenv SF_RNT_TILE_AFFINITY' | xargs)"

# scancel.
job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:2 --wrap 'sleep 600')
reaches "$job" RUNNING
await 'the row of the job exists' tiles sn30-r1-h1 "$job" 1
fine ann scancel "$job"
await 'the row of the job is removed' tiles sn30-r1-h1 "$job" 0

# A requeued job keeps its number.
job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:2 --requeue --wrap 'sleep 600')
reaches "$job" RUNNING
fine run scontrol requeue "$job"
await 'the row of the job is removed' tiles sn30-r1-h1 "$job" 0
# Slurm does not start it on the same node within two minutes, so it moves to the other one.
await 'Slurm allows it to start on another node' \
	eval "run scontrol update jobid=$job ReqNodeList=sn30-r1-h2 StartTime=now 2>/dev/null"
reaches "$job" RUNNING
await 'the row of the second run exists' tiles sn30-r1-h2 "$job" 1
like 'the row names the second run' "^job $job .* restarts 1 tiles 0-15 " "$(rows sn30-r1-h2)"
fine ann scancel "$job"

# The time limit.
job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 -t 1 --wrap 'sleep 600')
reaches "$job" RUNNING
fine run scontrol update jobid="$job" EndTime=now
reaches "$job" TIMEOUT
