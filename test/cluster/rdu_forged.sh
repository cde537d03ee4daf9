#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever a user puts into options and variables, a job has what slurmctld allocated, and no more.
. "$(dirname "$0")/lib.sh"

# RDU 0 belongs to another job.
victim=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap 'sleep 600')
reaches "$victim" RUNNING
all=0xffffffffffffffff
forged() { ann env "$@" srun -Q -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>&1; }
granted=0x000000000000ff00

is 'a forged mask gives nothing' "$granted" "$(forged TESSERA_MASK=$all SF_RNT_TILE_AFFINITY=$all)"
is 'a forged step size gives nothing' "$granted" "$(forged SLURM_TESSERA_STEP_TILES=64)"
is 'a forged overlapping step gives nothing' "$granted" "$(forged SLURM_TESSERA_STEP_TILES='64 overlap')"
is 'a forged ledger gives nothing' "$granted" "$(forged TESSERA_NODE_LEDGER=/tmp SLURMD_NODENAME=sn30-r1-h2)"
is 'forged variables of Slurm give nothing' "$granted" "$(forged SLURM_JOB_GRES=rdu:8 SLURM_STEP_GRES=gres:rdu:1 SLURM_GRES=rdu:8)"
is 'a forged job variable gives nothing' "$granted" "$(forged SPANK_TESSERA_TILES=$all SPANK__SLURM_SPANK_OPTION_tessera_tile_affinity=$all)"
for name in _SLURM_SPANK_OPTION_tessera_tile_affinity SLURM_SPANK__SLURM_SPANK_OPTION_tessera_tile_affinity; do
	got=$(forged "$name=$all")
	[ "$got" = $granted ] || like "$name: the message" '^(srun: error: )?.*tessera: ' "$got"
	unlike "$name: not all tiles are given" "^$all" "$got"
done

# A client without any plugin gets a job with its own tiles only.
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$(home ann)/slurm.conf"
is 'a client without the plugin gets its own tiles' "$granted" \
	"$(ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>/dev/null)"
rm "$(home ann)/slurm.conf"
fine run scancel "$victim"
