#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --tile-affinity allocates exactly these tiles if they are free, in any notation. Otherwise the
# message names a tile and the job that has it.
. "$(dirname "$0")/lib.sh"

wish() { "$1" srun -p sn10 --gres=rdu:2 --tile-affinity="$2" printenv SF_RNT_TILE_AFFINITY; }
is 'a mask is accepted' 0xff000000 "$(wish ann 0xff000000)"
is 'RDUs are accepted' 0xff000000 "$(wish ann rdu6,rdu7)"
is 'tiles of RDUs are accepted' 0xff000000 "$(wish ann 6.0-3,7.0-3)"
is '--gres is not needed' 0xff000000 "$(ann srun -p sn10 --tile-affinity=rdu6-7 printenv SF_RNT_TILE_AFFINITY)"

# RDU 6 is allocated. PlaceWait is short, so that the test does not wait for a minute.
sed -i 's/^PlaceWait = .*/PlaceWait = 0/' "$TESSERA_LAB/etc/tessera.conf"
trap 'sed -i "s/^PlaceWait = .*/PlaceWait = 60/" "$TESSERA_LAB/etc/tessera.conf"' EXIT
owner=$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu6 --wrap 'sleep 600')
reaches "$owner" RUNNING
refused wish ann 0xff000000
like 'the message names the job' "tile 6\\.0 is held by job $owner" "$said"
is 'other tiles are free' 0xf0000000 "$(ann srun -p sn10 --gres=rdu:1 --tile-affinity=rdu7 printenv SF_RNT_TILE_AFFINITY)"
fine run scancel "$owner"
