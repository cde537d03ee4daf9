#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --exclusive grants a job all that the node has; it uses what it asked for, and nothing if it asked for nothing.
. "$(dirname "$0")/lib.sh"

is 'nothing asked for' '' "$(ann srun --exclusive printenv SF_RNT_TILE_AFFINITY)"
is 'one RDU' 0x00000000000000ff "$(ann srun --exclusive --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'one by name' 0xff00000000000000 \
	"$(ann srun --exclusive --gres=rdu:1 --tile-affinity=rdu7 printenv SF_RNT_TILE_AFFINITY)"
