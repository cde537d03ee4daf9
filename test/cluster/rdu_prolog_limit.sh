#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PlaceWait is longer than Slurm lets a prolog run: a job that waits for tiles gives up before Slurm
# ends its prolog, so that a wish for allocated tiles cannot drain a node.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1
trap restore_slurm_conf EXIT
limit_prologs 6

owner=$(ann sbatch --parsable -w $node --gres=rdu:1 --tile-affinity=rdu0 -o /dev/null --wrap 'sleep 600')
reaches "$owner" RUNNING
holds() { rows $node | grep -q "^job $1 "; }
await 'the job has its tiles' holds "$owner"
refused bob srun -Q -w $node --gres=rdu:1 --tile-affinity=rdu0 true
like 'the message names the job that has the tiles' "tessera: .*job $owner" "$said"
unlike 'the node stays available' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
fine run scancel "$owner"
await 'the queue is empty' no_jobs
