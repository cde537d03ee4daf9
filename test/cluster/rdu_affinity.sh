#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --tile-affinity gives exactly those tiles if they are free, in any way of writing them; otherwise the job hears which
# tile is held by which job.
. "$(dirname "$0")/lib.sh"

wish() { "$1" srun -p sn10 --gres=rdu:2 --tile-affinity="$2" printenv SF_RNT_TILE_AFFINITY; }
is 'a mask' 0xff000000 "$(wish ann 0xff000000)"
is 'RDUs' 0xff000000 "$(wish ann rdu6,rdu7)"
is 'tiles of RDUs' 0xff000000 "$(wish ann 6.0-3,7.0-3)"
is 'without --gres' 0xff000000 "$(ann srun -p sn10 --tile-affinity=rdu6-7 printenv SF_RNT_TILE_AFFINITY)"

# RDU 6 is taken. Not to wait for a minute, the node is told to be impatient.
sed -i 's/^PlaceWait = .*/PlaceWait = 0/' "$TESSERA_LAB/etc/tessera.conf"
trap 'sed -i "s/^PlaceWait = .*/PlaceWait = 60/" "$TESSERA_LAB/etc/tessera.conf"' EXIT
holder=$(bob sbatch --parsable -o /dev/null -p sn10 --gres=rdu:1 --tile-affinity=rdu6 --wrap 'sleep 600')
reaches "$holder" RUNNING
refused wish ann 0xff000000
like 'who holds it' "tile 6\\.0 is held by job $holder" "$said"
is 'the rest is free' 0xf0000000 "$(ann srun -p sn10 --gres=rdu:1 --tile-affinity=rdu7 printenv SF_RNT_TILE_AFFINITY)"
fine run scancel "$holder"
