#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node allocates no more than slurmctld counted, even if slurmctld does not load
# job_submit_tessera.so: it refuses RDUs without tiles and a GRES that is named twice, says what to
# do, and stays available.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

export TESSERA_LAB=$TESSERA_LAB.uncounted
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT
fine "$lab" up --db --nodes sn30:1,ipu:2 --ipu-model=gres
sed -i '/^JobSubmitPlugins=/d' "$TESSERA_LAB/etc/slurm.conf"
fine "$lab" restart ctld
fine cc -o "$TESSERA_LAB/submit" "$top/test/cluster/submit.c" -lslurm

partitions_made() { grep -c ' CreatePartition ' "$TESSERA_LAB/log/vipu.out"; }

# Slurm counts 8 RDUs and no tile: another job could get the same 64 tiles.
refused plain srun --gres=rdu:8 printenv SF_RNT_TILE_AFFINITY
like 'RDUs without tiles are refused' 'tessera: 8 RDUs were allocated without their tiles: .*JobSubmitPlugins=tessera' "$said"
refused plain srun --exclusive --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY
like 'an exclusive node without tiles is refused' 'tessera: 1 RDUs were allocated without their tiles' "$said"
is 'a request for tiles works' 0x000000000000000f "$(plain srun -Q --gres=rdu_tile:4 printenv SF_RNT_TILE_AFFINITY)"
is 'our client adds the tiles to RDUs' 0x00000000000000ff "$(ann srun -Q --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"

# Slurm counts the last of two items.
refused plain srun --gres=rdu_tile:8,rdu_tile:8 printenv SF_RNT_TILE_AFFINITY
like 'tiles named twice are refused' 'tessera: .*TresPerNode names rdu_tile 2 times, .* name it once: rdu_tile:16' "$said"
refused plain srun -p p64 --gres=ipu:8,ipu:8 printenv IPUOF_VIPU_API_PARTITION_ID
like 'IPUs named twice are refused' 'tessera: .*TresPerNode names ipu 2 times, .* name it once: ipu:16' "$said"
ended_badly() { is_state "$1" FAILED; }
for request in gres:ipu:31,gres:ipu:1 gres:ipu:1,gres:ipu:16; do
	job=$(ann "$TESSERA_LAB/submit" partition=p64 min_nodes=2 tres_per_node=$request run="$(home ann)/api.out") ||
		fail "was refused: $request"
	await "the job with $request fails" ended_badly "$job"
	like "the output of the job with $request says why" 'tessera: .*TresPerNode names ipu 2 times' "$(cat "$(home ann)/api.out")"
done
is 'no partition was created' 0 "$(partitions_made)"
is 'the counted IPUs are allocated' "slurm_$((job + 1))" "$(plain srun -Q -p p64 --gres=ipu:8 printenv IPUOF_VIPU_API_PARTITION_ID)"
is 'one partition was created' 1 "$(partitions_made)"
left_clean
