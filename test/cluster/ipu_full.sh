#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 64 jobs of one IPU fill the pod, the 65th waits for its license, a job of all 64 IPUs follows, and
# Slurm accounts for all of them.
. "$(dirname "$0")/lib.sh"

partitions() { vipu list | wc -l; }
are() { [ "$($1)" = "$2" ]; }
active() { vipu list | grep -c ACTIVE; }

first=$(ann sbatch --parsable -p p64 --ipus=1 -o /dev/null --array=1-64 --wrap 'sleep 600')
await '64 partitions are active' are active 64
is 'all 64 jobs run' 64 "$(run squeue -hj "$first" -t R -o %i | wc -l)"
late=$(ann sbatch --parsable -p p64 --ipus=1 -o late.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
whole=$(bob sbatch --parsable -p p64 --ipus=64 -o whole.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
reason() { run squeue -hj "$1" -o '%T %r'; }
waits() { [ "$(reason "$1")" = 'PENDING Licenses' ]; }
await 'the 65th job waits for licenses' waits "$late"
is 'no partition is created for it' 64 "$(partitions)"
fine run scancel "${first}_7"
reaches "$late" COMPLETED
is 'it ran with its partition' "slurm_$late" "$(cat "$(home ann)/late.out")"
like 'the job of the whole pod waits' 'PENDING (Licenses|Priority|Resources)' "$(reason "$whole")"
fine run scancel "$first"
reaches "$whole" COMPLETED
is 'the job of the whole pod ran with its partition' "slurm_$whole" "$(cat "$(home bob)/whole.out")"

accounted() { [ -n "$(run sacct -nXPj "$1" -o alloctres)" ]; }
await 'slurmdbd has the TRES of the job' accounted "$whole"
like 'the IPUs are accounted as licenses' 'license/ipu=64' "$(run sacct -nXPj "$whole" -o alloctres)"
rm -f "$(home ann)/late.out" "$(home bob)/whole.out"
