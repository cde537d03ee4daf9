#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A fresh lab is the cluster it says it is: nodes, tiles, partitions, the IPU pool, and a database that keeps jobs.
. "$(dirname "$0")/lib.sh"

is 'nodes' 'gc-poplar-02 gc-poplar-03 gc-poplar-04 sm-01 sn30-r1-h1 sn30-r1-h2' \
	"$(run sinfo -hN -o %N | sort | xargs)"
is 'an SN30 node' '128 rdu:8,rdu_tile:64,rdu_mem:1M' "$(run sinfo -hn sn30-r1-h1 -o '%c %G')"
is 'an SN10 node' '128 rdu:8,rdu_tile:32' "$(run sinfo -hn sm-01 -o '%c %G')"
is 'partitions' 'p64 sambanova* sn10' "$(run sinfo -h -o %P | sort | xargs)"
like 'the IPU pool' 'Total=64 Used=0' "$(run scontrol show licenses ipu)"

# 8 RDUs are 8 RDUs: a ninth waits until one is free.
holder=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:8 --wrap 'sleep 600')
await 'the first job runs' eval "[ \"\$(run squeue -hj $holder -o %T)\" = RUNNING ]"
waiter=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap true)
await 'the second waits for resources' eval "[ \"\$(run squeue -hj $waiter -o %r)\" = Resources ]"
fine run scancel "$holder"
await 'the second has run' eval "run sacct -nXPj $waiter -o state,alloctres | grep -q '^COMPLETED.*gres/rdu=1'"

# An ordinary user's job is that user's.
is 'who runs' tess-bob "$(bob srun -n1 id -un)"
is 'one task a node' 'sn30-r1-h1 sn30-r1-h2' "$(ann srun -N2 printenv SLURMD_NODENAME | sort | xargs)"
