#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --exclusive allocates all GRES of the node to a job; the job uses what it requested, and nothing
# if it requested nothing.
. "$(dirname "$0")/lib.sh"

is 'a job without a request has no mask' '' "$(ann srun --exclusive printenv SF_RNT_TILE_AFFINITY)"
is 'a job of one RDU has one RDU' 0x00000000000000ff "$(ann srun --exclusive --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
is 'a wish for an RDU is respected' 0xff00000000000000 \
	"$(ann srun --exclusive --gres=rdu:1 --tile-affinity=rdu7 printenv SF_RNT_TILE_AFFINITY)"
