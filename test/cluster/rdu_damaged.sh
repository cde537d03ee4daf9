#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node whose ledger is damaged, or whose tessera.conf is anybody's: jobs with tiles fail there with a sentence, other
# jobs and other nodes do not notice, and no node is drained.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
state=$TESSERA_LAB/state/$node
conf=$TESSERA_LAB/etc/tessera.conf
trap 'rm -f "$state/ledger"; chmod 644 "$conf"' EXIT

echo 'not a ledger' >"$state/ledger"
refused ann srun -w $node --gres=rdu:1 true
like 'damaged' "$state/ledger:1" "$said"
fine ann srun -w $node true

# Whoever submits it, and whatever stands beside it: a job that was granted tiles does not run without them.
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$(home ann)/slurm.conf"
refused ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node --gres=rdu:1 true
fine ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node true
rm "$(home ann)/slurm.conf"
refused ann srun -w $node --gres=rdu:1 true : -w sn30-r1-h1 true
is 'the other node' 0x00000000000000ff "$(ann srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
rm "$state/ledger"
fine ann srun -w $node --gres=rdu:1 true

chmod 666 "$conf"
refused ann srun -w $node --gres=rdu:1 true
like 'anybody may write tessera.conf' "$conf" "$said"
fine ann srun -w $node true
