#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Requests of srun, sbatch, #SBATCH lines, salloc and of steps ask Slurm for what the user meant,
# and the controller completes them in the same way when a client has no plugin.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
home=$TESSERA_LAB/home/tess-ann
trap 'rm -rf "$TESSERA_LAB/plain" "$TESSERA_LAB/other" "$home/script"' EXIT

by_client() {
	local wanted=$1
	shift
	is "the request of srun $*" "$wanted" "$(ann srun -Q "$@" sh -c "$say_request")"
}
by_controller() {
	local wanted=$1
	shift
	is "the request of the controller for $*" "$wanted" "$(plain_srun -Q "$@" sh -c "$say_request")"
}
each_request good_requests by_client
each_request good_requests by_controller

# held ARGUMENT...: the request of sbatch with these arguments.
held() {
	local job
	job=$(ann env "${variables[@]}" sbatch --parsable --hold -o /dev/null "$@") && tres_of "$job" && run scancel "$job"
}
variables=()
is 'sbatch' gres:rdu:2,gres:rdu_tile:16 "$(held --gres=rdu:2 --wrap true)"
is 'sbatch with options alone' gres:rdu_tile:64 "$(held -n16 --tiles-per-task=4 --wrap true)"
is 'sbatch without a request' - "$(held -n16 --wrap true)"
is 'sbatch --gres=none' - "$(held --gres=none --wrap true)"
is 'sbatch with a GRES type' gres:rdu:sn30:2,gres:rdu_tile:16 "$(held --gres=rdu:sn30:2 --wrap true)"
is 'sbatch with an array' gres:rdu:1,gres:rdu_tile:8 "$(held --array=1-20 --gres=rdu:1 --wrap true)"
is 'SBATCH_GRES' gres:rdu:1,gres:rdu_tile:8 "$(variables=(SBATCH_GRES=rdu:1) && held --wrap true)"
is 'SBATCH_PARTITION' gres:rdu:1,gres:rdu_tile:4 "$(variables=(SBATCH_PARTITION=sn10) && held --gres=rdu:1 --wrap true)"
printf '%s\n' '#!/bin/sh' '#SBATCH -p sn10 -n8' '#SBATCH --tiles-per-task=2' >"$home/script"
is '#SBATCH lines' gres:rdu_tile:16 "$(held script)"
is 'the command line before #SBATCH lines' gres:rdu_tile:8 "$(held --tiles-per-task=1 script)"
is 'salloc' gres:rdu:2,gres:rdu_tile:16 "$(ann salloc -Q --gres=rdu:2 env SLURM_PROCID=0 sh -c "$say_request")"
like 'srun --pty' gres:rdu:1,gres:rdu_tile:8 \
	"$(ann script -qec "srun -Q --gres=rdu:1 --pty sh -c '$say_request'" /dev/null </dev/null)"

# Environment variables stand for options that were not given, and count only where RDUs, tiles or
# one of our options are requested.
is 'an environment variable' gres:rdu_tile:12 "$(variables=(TESSERA_TILES_PER_TASK=4) && held -n3 --gres=rdu_tile:12 --wrap true)"
is 'an environment variable beside an option' gres:rdu:1,gres:rdu_tile:8 \
	"$(variables=(TESSERA_TILE_AFFINITY=rdu3) && held -n2 --tile-bind=block --wrap true)"
is '#SBATCH lines before an environment variable' gres:rdu_tile:16 "$(variables=(TESSERA_TILES_PER_TASK=4) && held script)"
is 'an environment variable alone' - "$(variables=(TESSERA_TILES_PER_TASK=4) && held -n2 --wrap true)"
is 'an environment variable beside other GRES' gres:rdu_mem:1 "$(variables=(TESSERA_TILES_PER_TASK=4) && held --gres=rdu_mem:1 --wrap true)"
is 'an empty environment variable' gres:rdu:1,gres:rdu_tile:8 "$(variables=(TESSERA_TILE_AFFINITY=) && held --gres=rdu:1 --wrap true)"
refused ann env TESSERA_TILES_PER_TASK=3 srun --gres=rdu:1 true
like 'a wrong environment variable' 'tiles-per-task=3 is not a valid size' "$said"

# Each component of a heterogeneous job has its own request.
is 'components of sbatch' 'gres:rdu_tile:8
gres:rdu:1,gres:rdu_tile:8
-' "$(held -n2 --tiles-per-task=4 : -n1 --gres=rdu:1 : -p sn10 -n1 --wrap true)"
is 'components of sbatch on different platforms' '-
gres:rdu:1,gres:rdu_tile:4' "$(held -n1 : -p sn10 -n1 --gres=rdu:1 --wrap true)"
# shellcheck disable=SC2016
is 'components of srun' 'gres:rdu_tile:8 gres:rdu:1,gres:rdu_tile:8 -' \
	"$(ann srun -Q -n1 --tiles-per-task=8 sh -c 'scontrol -o show job $SLURM_JOB_ID' : -n1 --gres=rdu:1 true : -p sn10 -n1 true |
		sed 's/.* TresPerNode=\([^ ]*\).*/\1/; t; s/.*/-/' | xargs)"

# Steps: what a step names is completed; what it does not name comes from its job.
# shellcheck disable=SC2016
printf '%s\n' 'step() { srun -Q -n1 "$@" sh -c "scontrol -o show step \$SLURM_JOB_ID.\$SLURM_STEP_ID" |' \
	"sed 's/.* TresPerNode=\\([^ ]*\\).*/\\1/; t; s/.*/-/'; }" \
	'step; step --gres=rdu:1; step --gres=rdu_tile:4; step --gres=rdu_mem:3,rdu:1; step --gres=none; step --tiles-per-task=8' \
	"SLURM_STEP_GRES=${gres_prefix}rdu:1 step" >"$home/script"
is 'requests of steps' 'gres:rdu:2,gres:rdu_tile:16,gres:rdu_mem:9
gres:rdu:1,gres:rdu_tile:8
gres:rdu_tile:4
gres:rdu_mem:3,gres:rdu:1,gres:rdu_tile:8
-
gres:rdu:2,gres:rdu_tile:16,gres:rdu_mem:9
gres:rdu:1,gres:rdu_tile:8' "$(ann salloc -Q -n2 --gres=rdu:2,rdu_mem:9 --tiles-per-task=4 sh script)"
is 'a step on another platform' gres:rdu:1,gres:rdu_tile:4 \
	"$(ann salloc -Q -p sn10 --gres=rdu:2 sh script 2>/dev/null | sed -n 2p)"
refused ann salloc -Q --gres=rdu:2 srun --gres=rdu_tile:3 true
like 'a wrong step' 'rdu_tile:3 is not a valid size' "$said"
refused ann salloc -Q --gres=rdu:2 srun --tiles-per-task=3 true
like 'a wrong option of a step' 'tiles-per-task=3 is not a valid size' "$said"

# A job submitted from inside a job inherits nothing of it.
# shellcheck disable=SC2016
is 'a job from inside a job' '- gres:rdu:1,gres:rdu_tile:8' "$(ann salloc -Q -n2 --gres=rdu:2 --tiles-per-task=4 sh -c '
	for gres in none rdu:1; do
		job=$(sbatch --parsable --hold -o /dev/null --gres=$gres --wrap true)
		scontrol -o show job $job; scancel $job
	done' | sed 's/.* TresPerNode=gres\([^ ]*\).*/gres\1/; t; s/.*/-/' | xargs)"

# tessera.conf is the file that plugstack.conf names, or the one beside slurm.conf.
mkdir "$TESSERA_LAB/other"
printf '%s\n' 'platform half { Like = sn30-8 TilesPerGres = 4 }' 'partition sambanova { Platform = half }' \
	>"$TESSERA_LAB/other/tessera.conf"
sed "s|^PlugStackConfig=.*|PlugStackConfig=$TESSERA_LAB/other/plugstack.conf|" "$TESSERA_LAB/etc/slurm.conf" \
	>"$TESSERA_LAB/other/slurm.conf"
other() { refused ann env "SLURM_CONF=$TESSERA_LAB/other/slurm.conf" sbatch -o /dev/null --gres=rdu:17 --wrap true; }
echo "required $TESSERA_LAB/lib/spank_tessera.so" >"$TESSERA_LAB/other/plugstack.conf"
other
like 'the file beside slurm.conf is read' 'a node of half has, which is 16' "$said"
echo "required $TESSERA_LAB/lib/spank_tessera.so conf=$TESSERA_LAB/etc/tessera.conf" >"$TESSERA_LAB/other/plugstack.conf"
other
like 'the named file is read' 'a node of sn30-8 has, which is 8' "$said"
