#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A fresh lab has the nodes, tiles, partitions and IPU pool that it describes, and a database of
# jobs.
. "$(dirname "$0")/lib.sh"

is 'all nodes exist' 'gc-poplar-02 gc-poplar-03 gc-poplar-04 sm-01 sn30-r1-h1 sn30-r1-h2' \
	"$(run sinfo -hN -o %N | sort | xargs)"
is 'an SN30 node has its CPUs and GRES' '128 rdu:8,rdu_tile:64,rdu_mem:1M' "$(run sinfo -hn sn30-r1-h1 -o '%c %G')"
is 'an SN10 node has its CPUs and GRES' '128 rdu:8,rdu_tile:32' "$(run sinfo -hn sm-01 -o '%c %G')"
is 'all partitions exist' 'p64 sambanova* sn10' "$(run sinfo -h -o %P | sort | xargs)"
like 'the IPU pool has 64 licenses' 'Total=64 Used=0' "$(run scontrol show licenses ipu)"

# A node has 8 RDUs: a job for one more waits until one is free.
first=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:8 --wrap 'sleep 600')
await 'the first job runs' eval "[ \"\$(run squeue -hj $first -o %T)\" = RUNNING ]"
second=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap true)
await 'the second job waits for resources' eval "[ \"\$(run squeue -hj $second -o %r)\" = Resources ]"
fine run scancel "$first"
await 'the second job has run' eval "run sacct -nXPj $second -o state,alloctres | grep -q '^COMPLETED.*gres/rdu=1'"

# A job runs as the user who submitted it.
is 'the job runs as tess-bob' tess-bob "$(bob srun -n1 id -un)"
is 'two nodes run one task each' 'sn30-r1-h1 sn30-r1-h2' "$(ann srun -N2 printenv SLURMD_NODENAME | sort | xargs)"
