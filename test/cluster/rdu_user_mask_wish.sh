#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UserMask = wish: a mask that was exported before the submission requests these tiles, as
# --tile-affinity does. Alone it requests nothing, and an option has precedence.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
export SF_RNT_TILE_AFFINITY=0xff000000
mine() { ann srun -p sn10 "$@" sh -c 'echo "<$SF_RNT_TILE_AFFINITY>"'; }
batch() { ann sbatch -Q -W -o wish.out -p sn10 "$@" --wrap 'echo $SF_RNT_TILE_AFFINITY; srun -Q sh -c "echo \$SF_RNT_TILE_AFFINITY"' && xargs <"$(home ann)/wish.out"; }

refused mine --gres=rdu:2
like 'without wish the mask is refused' 'names tiles that are not allocated to this task' "$said"
echo 'UserMask = wish' >>"$conf"

# The line of the user guides.
is 'srun gets the tiles' '<0xff000000>' "$(mine --gres=rdu:2)"
is 'script and step of sbatch get the tiles' '0xff000000 0xff000000' "$(batch --gres=rdu:2)"
is 'a step of salloc gets the tiles' 0xff000000 "$(ann salloc -Q -p sn10 --gres=rdu:2 srun -Q printenv SF_RNT_TILE_AFFINITY)"
is 'each of two nodes gets the tiles' '0x000000000000ff00 0x000000000000ff00' \
	"$(SF_RNT_TILE_AFFINITY=0xff00 ann srun -N2 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY | xargs)"

# Inside a job a mask narrows the tiles as usual: the wish was the job's.
is 'a step narrows its tiles' 0x0f000000 \
	"$(ann salloc -Q -p sn10 --gres=rdu:2 sh -c 'SF_RNT_TILE_AFFINITY=0x0f000000 srun -Q printenv SF_RNT_TILE_AFFINITY')"
# A job in a job has the mask from us, which is not a wish.
fine ann srun -Q -p sn10 --gres=rdu:2 \
	sbatch -Q -W -p sn10 --gres=rdu:1 -o inner.out --wrap 'echo $SF_RNT_TILE_AFFINITY' >/dev/null
is 'a job in a job has its own tiles' 0x0000000f "$(cat "$(home ann)/inner.out")"

# An option or its environment variable has precedence; the mask then narrows the tiles as usual.
is 'the option has precedence' '<0xff000000>' "$(mine --gres=rdu:4 --tile-affinity=rdu4-7)"
is 'its environment variable has precedence' '<0xff000000>' "$(TESSERA_TILE_AFFINITY=rdu4-7 mine --gres=rdu:4)"
is 'the mask alone requests nothing' '<0xff000000>' "$(mine)"

# An invalid mask is refused at once with the name of the variable.
refused mine --gres=rdu:1
like 'another number of tiles is refused' 'tessera: SF_RNT_TILE_AFFINITY=0xff000000.*--gres asks for 4' "$said"
SF_RNT_TILE_AFFINITY=banana refused mine --gres=rdu:1
like 'a value that is not a mask is refused' 'tessera: SF_RNT_TILE_AFFINITY=banana' "$said"

# Allocated tiles are waited for, and the message names the job that has them.
sed -i 's/^PlaceWait.*/PlaceWait = 0/' "$conf"
other=$(unset SF_RNT_TILE_AFFINITY && bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu7 --wrap 'sleep 600')
reaches "$other" RUNNING
refused mine --gres=rdu:2
like 'the message names the job' "tile 7.0 is held by job $other" "$said"
fine run scancel "$other"
rm -f "$(home ann)"/{wish,inner}.out
