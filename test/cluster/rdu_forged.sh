#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever an ordinary user puts into options and variables, a job has what slurmctld granted, and no more.
. "$(dirname "$0")/lib.sh"

# Somebody else's RDU 0 is what a thief would like to have.
victim=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap 'sleep 600')
reaches "$victim" RUNNING
all=0xffffffffffffffff
forged() { ann env "$@" srun -Q -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>&1; }
granted=0x000000000000ff00

is 'our copy of the mask' "$granted" "$(forged TESSERA_MASK=$all SF_RNT_TILE_AFFINITY=$all)"
is 'a step of 64 tiles' "$granted" "$(forged SLURM_TESSERA_STEP_TILES=64)"
is 'a step that overlaps' "$granted" "$(forged SLURM_TESSERA_STEP_TILES='64 overlap')"
is 'another ledger' "$granted" "$(forged TESSERA_NODE_LEDGER=/tmp SLURMD_NODENAME=sn30-r1-h2)"
is 'numbers of Slurm' "$granted" "$(forged SLURM_JOB_GRES=rdu:8 SLURM_STEP_GRES=gres:rdu:1 SLURM_GRES=rdu:8)"
is 'a job variable' "$granted" "$(forged SPANK_TESSERA_TILES=$all SPANK__SLURM_SPANK_OPTION_tessera_tile_affinity=$all)"
for name in _SLURM_SPANK_OPTION_tessera_tile_affinity SLURM_SPANK__SLURM_SPANK_OPTION_tessera_tile_affinity; do
	got=$(forged "$name=$all")
	[ "$got" = $granted ] || like "$name" '^(srun: error: )?.*tessera: ' "$got"
	unlike "$name" "^$all" "$got"
done

# A client that loads no plugin at all still gets a job that has its own tiles only.
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$(home ann)/slurm.conf"
is 'a client without the plugin' "$granted" \
	"$(ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>/dev/null)"
rm "$(home ann)/slurm.conf"
fine run scancel "$victim"
