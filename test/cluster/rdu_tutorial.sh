#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipe of ALCF's user guides, --gres=rdu:1 --ntasks-per-node=16, means one RDU for 16 tasks in
# Slurm. Where a site reads it as one RDU for each task, the message says how to request four tiles
# per task.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
recipe() { ann srun -N1 --ntasks-per-node=16 "$@" printenv SF_RNT_TILE_AFFINITY; }

is 'RduScope = node: 16 tasks share one RDU' "$(yes 0x00000000000000ff | head -n 16)" "$(recipe --gres=rdu:1)"
echo 'RduScope = task' >>"$conf"
refused recipe --gres=rdu:1
like 'RduScope = task: the message advises --tiles-per-task' 'tessera: .*16 RDUs.*has 8.*--tiles-per-task=4' "$said"
is 'the advice works' 16 "$(recipe --tiles-per-task=4 | sort -u | wc -l)"
is 'RduScope = task: two tasks have an RDU each' '0x00000000000000ff 0x000000000000ff00' \
	"$(ann srun -N1 --ntasks-per-node=2 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY | sort | xargs)"
