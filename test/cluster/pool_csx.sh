#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An accelerator that is only counted: a block in tessera.conf gives it an option, its jobs wait for a free one, and find
# what they have in their environment. On nodes with and without other accelerators.
. "$(dirname "$0")/lib.sh"

for partition in p64 sambanova; do
	is "one on $partition" 1 "$(ann srun -p $partition --csx=1 printenv TESSERA_CSX)"
done
is 'two' 2 "$(ann srun --csx=2 printenv TESSERA_CSX)"
is 'as a licence' 1 "$(ann srun -L csx:1 printenv TESSERA_CSX)"
is 'by its twin' 1 "$(ann env TESSERA_CSX=1 srun printenv TESSERA_CSX)"
is 'with nothing of the user' 1 "$(ann srun --export=NONE --csx=1 /usr/bin/printenv TESSERA_CSX)"
refused ann srun --csx=3 true
like 'there are two' 'tessera: --csx=3 asks for more than there are, which is 2' "$said"
is 'nobody else' '' "$(ann srun env | grep TESSERA_CSX)"

# Beside tiles, and in script and steps.
fine ann sbatch -W --csx=1 --gres=rdu:1 -o csx.out --wrap 'echo $TESSERA_CSX $SF_RNT_TILE_AFFINITY; srun -Q sh -c "echo \$TESSERA_CSX \$SF_RNT_TILE_AFFINITY"'
is 'with an RDU' '1 0x00000000000000ff 1 0x00000000000000ff' "$(xargs <"$(home ann)/csx.out")"

# A job of a job asks for itself.
fine ann sbatch -W --csx=2 -o /dev/null --wrap 'sbatch -W -o csx.out --wrap "env; srun env"'
unlike 'an inner job' 'TESSERA_CSX' "$(cat "$(home ann)/csx.out")"

# The third waits.
a=$(ann sbatch --parsable --csx=1 -o /dev/null --wrap 'sleep 600')
b=$(bob sbatch --parsable --csx=1 -o /dev/null --wrap 'sleep 600')
reaches "$a" RUNNING
reaches "$b" RUNNING
c=$(ann sbatch --parsable --csx=1 -o csx.out --wrap 'echo $TESSERA_CSX')
waits() { [ "$(run squeue -hj "$1" -o '%T %r')" = 'PENDING Licenses' ]; }
await 'the third waits for a system' waits "$c"
fine run scancel "$b"
reaches "$c" COMPLETED
is 'and gets it' 1 "$(cat "$(home ann)/csx.out")"
fine run scancel "$a"
like 'accounted' 'license/csx=1' "$(run sacct -nXPj "$c" -o alloctres)"
rm -f "$(home ann)/csx.out"
