#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node without the plugin does not start and says why, instead of running jobs without tiles. The
# other nodes work.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
other=$TESSERA_LAB/etc/other
mkdir -p "$other"
cp "$TESSERA_LAB"/etc/*.conf "$other"
sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$other/plugstack.conf|" "$other/slurm.conf"
echo "required $TESSERA_LAB/lib/spank_gone.so" >"$other/plugstack.conf"
trap 'rm -r "$other"' EXIT

refused env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart $node
like 'slurmd names the missing plugin' "$node: .*spank_gone.so" "$said"
is 'the other node runs jobs' 0x00000000000000ff "$(ann srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"

# The plugin is restored.
fine "$lab" restart $node
is 'the node runs jobs again' 0x00000000000000ff "$(ann srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
