#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mask that the user exported: within the allocated tiles it narrows them, outside it the task
# fails and the message names the job that has the tiles. UserMask of the site changes this.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
with() { ann env SF_RNT_TILE_AFFINITY="$1" srun -p sn10 --gres=rdu:2 printenv SF_RNT_TILE_AFFINITY; }

is 'a mask within the tiles narrows them' 0x0000000f "$(with 0xf)"
is 'a mask of all tiles is accepted' 0x000000ff "$(with 0xff)"
refused with 0xf00
like 'a mask outside the tiles is refused' 'tessera: SF_RNT_TILE_AFFINITY=0xf00 names tiles that are not allocated to this task: rdu2' "$said"

other=$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu7 --wrap 'sleep 600')
reaches "$other" RUNNING
refused with 0xf0000000
like 'the message names the other job' "held by job $other" "$said"
fine run scancel "$other"

echo 'UserMask = ignore' >>"$conf"
is 'UserMask = ignore ignores the mask' 0x000000ff "$(with 0xf0000000)"
sed -i 's/^UserMask.*/UserMask = refuse/' "$conf"
refused with 0xf
like 'UserMask = refuse refuses the mask' 'does not allow' "$said"

# The mask that a batch script got from us is not a wish: a step on another node has its own tiles.
sed -i '/^UserMask/d' "$conf"
fine ann sbatch -W -N2 -o both.out --gres=rdu:1 --wrap 'srun -Q -N2 printenv SF_RNT_TILE_AFFINITY' >/dev/null
is 'a step on two nodes has the tiles of each' '0x00000000000000ff 0x00000000000000ff' "$(xargs <"$(home ann)/both.out")"
