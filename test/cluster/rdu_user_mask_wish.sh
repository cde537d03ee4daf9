#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# UserMask = wish: a mask that was exported before the job is submitted asks for these tiles, as --tile-affinity does. It asks
# for nothing by itself, and an option weighs more.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
export SF_RNT_TILE_AFFINITY=0xff000000
mine() { ann srun -p sn10 "$@" sh -c 'echo "<$SF_RNT_TILE_AFFINITY>"'; }
batch() { ann sbatch -Q -W -o wish.out -p sn10 "$@" --wrap 'echo $SF_RNT_TILE_AFFINITY; srun -Q sh -c "echo \$SF_RNT_TILE_AFFINITY"' && xargs <"$(home ann)/wish.out"; }

refused mine --gres=rdu:2
like 'without wish' 'names tiles that this task was not granted' "$said"
echo 'UserMask = wish' >>"$conf"

# The line of the user guides.
is 'srun' '<0xff000000>' "$(mine --gres=rdu:2)"
is 'sbatch, its script and its step' '0xff000000 0xff000000' "$(batch --gres=rdu:2)"
is 'salloc and its step' 0xff000000 "$(ann salloc -Q -p sn10 --gres=rdu:2 srun -Q printenv SF_RNT_TILE_AFFINITY)"
is 'two nodes' '0x000000000000ff00 0x000000000000ff00' \
	"$(SF_RNT_TILE_AFFINITY=0xff00 ann srun -N2 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY | xargs)"

# Inside a job it narrows, as ever: the wish was the job's.
is 'a step that wants less' 0x0f000000 \
	"$(ann salloc -Q -p sn10 --gres=rdu:2 sh -c 'SF_RNT_TILE_AFFINITY=0x0f000000 srun -Q printenv SF_RNT_TILE_AFFINITY')"
# A job in a job has the mask from us: it is nobody's wish.
fine ann srun -Q -p sn10 --gres=rdu:2 \
	sbatch -Q -W -p sn10 --gres=rdu:1 -o inner.out --wrap 'echo $SF_RNT_TILE_AFFINITY' >/dev/null
is 'a job in a job' 0x0000000f "$(cat "$(home ann)/inner.out")"

# An option, or its variable, weighs more; then the mask narrows as usual.
is 'an option' '<0xff000000>' "$(mine --gres=rdu:4 --tile-affinity=rdu4-7)"
is 'its variable' '<0xff000000>' "$(TESSERA_TILE_AFFINITY=rdu4-7 mine --gres=rdu:4)"
is 'nothing is asked for' '<0xff000000>' "$(mine)"

# What cannot be is said at once, with the name of the variable.
refused mine --gres=rdu:1
like 'another number' 'tessera: SF_RNT_TILE_AFFINITY=0xff000000.*--gres asks for 4' "$said"
SF_RNT_TILE_AFFINITY=banana refused mine --gres=rdu:1
like 'no mask' 'tessera: SF_RNT_TILE_AFFINITY=banana' "$said"

# Tiles that somebody holds are waited for, and their holder is named.
sed -i 's/^PlaceWait.*/PlaceWait = 0/' "$conf"
other=$(unset SF_RNT_TILE_AFFINITY && bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu7 --wrap 'sleep 600')
reaches "$other" RUNNING
refused mine --gres=rdu:2
like 'whose' "tile 7.0 is held by job $other" "$said"
fine run scancel "$other"
rm -f "$(home ann)"/{wish,inner}.out
