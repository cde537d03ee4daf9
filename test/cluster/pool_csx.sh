#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An accelerator that is only counted: a block in tessera.conf defines its option, its jobs wait for
# a free system, and find their count in the environment, on nodes with and without other
# accelerators.
. "$(dirname "$0")/lib.sh"

for partition in p64 sambanova; do
	is "a job on $partition has one system" 1 "$(ann srun -p $partition --csx=1 printenv TESSERA_CSX)"
done
is 'a job has two systems' 2 "$(ann srun --csx=2 printenv TESSERA_CSX)"
is 'a job with the license has one system' 1 "$(ann srun -L csx:1 printenv TESSERA_CSX)"
is 'the environment variable requests one system' 1 "$(ann env TESSERA_CSX=1 srun printenv TESSERA_CSX)"
is 'the count is set with --export=NONE' 1 "$(ann srun --export=NONE --csx=1 /usr/bin/printenv TESSERA_CSX)"
refused ann srun --csx=3 true
like 'three systems are refused' 'tessera: --csx=3 exceeds the 2 in the pool' "$said"
is 'a job without a request has no variable' '' "$(ann srun env | grep TESSERA_CSX)"

# Beside tiles, in script and steps.
fine ann sbatch -W --csx=1 --gres=rdu:1 -o csx.out --wrap 'echo $TESSERA_CSX $SF_RNT_TILE_AFFINITY; srun -Q sh -c "echo \$TESSERA_CSX \$SF_RNT_TILE_AFFINITY"'
is 'script and step have a system and an RDU' '1 0x00000000000000ff 1 0x00000000000000ff' "$(xargs <"$(home ann)/csx.out")"

# A job submitted by a job requests its own.
fine ann sbatch -W --csx=2 -o /dev/null --wrap 'sbatch -W -o csx.out --wrap "env; srun env"'
unlike 'a job in a job has no variable' 'TESSERA_CSX' "$(cat "$(home ann)/csx.out")"

# The third job waits.
a=$(ann sbatch --parsable --csx=1 -o /dev/null --wrap 'sleep 600')
b=$(bob sbatch --parsable --csx=1 -o /dev/null --wrap 'sleep 600')
reaches "$a" RUNNING
reaches "$b" RUNNING
c=$(ann sbatch --parsable --csx=1 -o csx.out --wrap 'echo $TESSERA_CSX')
waits() { [ "$(run squeue -hj "$1" -o '%T %r')" = 'PENDING Licenses' ]; }
await 'the third job waits for a license' waits "$c"
fine run scancel "$b"
reaches "$c" COMPLETED
is 'the third job has its system' 1 "$(cat "$(home ann)/csx.out")"
fine run scancel "$a"
like 'the system is accounted as a license' 'license/csx=1' "$(run sacct -nXPj "$c" -o alloctres)"
rm -f "$(home ann)/csx.out"
