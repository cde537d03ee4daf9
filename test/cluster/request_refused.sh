#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A wrong request is refused with a message before it is queued, from any client; so is a wrong
# change.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
trap 'rm -rf "$TESSERA_LAB/plain"' EXIT

first=$(last_job)

each_request bad_requests refused_by_clients
refused ann salloc --gres=rdu:9 true
like salloc '^salloc: error: tessera: .*rdu:9' "$said"
is 'no job reached slurmctld' "$first" "$(last_job)"

# The check of the client is for convenience; that of the controller is binding.
each_request bad_requests refused_by_controller
refused plain sbatch -o /dev/null --gres=rdu:9 --wrap true
like 'sbatch without the plugin is refused' '^sbatch: error: tessera: .*rdu:9' "$said"
is 'no job is in the queue' '' "$(run squeue -h)"

# Values of excessive length.
long=$(printf '%04097d' 0)
refused ann srun --gres=rdu:1 --tile-affinity="$long" true
like 'a long value is refused by the client' '^srun: error: tessera: --tile-affinity has 4097 characters, the limit is 4096' "$said"
refused ann env TESSERA_TILE_AFFINITY="$long" srun --gres=rdu:1 true
like 'a long environment variable is refused' 'TESSERA_TILE_AFFINITY in the environment has 4097 characters' "$said"
refused plain_srun --gres=rdu:1 --tile-affinity="$long" true
like 'a long value is refused by the controller' '^srun: error: tessera: an option has 4097 characters' "$said"

# A change is checked together with the rest of the request.
job=$(plain sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
fine run scontrol update job="$job" gres=rdu:3
is 'the change is applied' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
for change in gres=rdu:9 gres=rdu_tile:3 gres=rdu:1,rdu_tile:4 partition=sn10 'partition=p64 gres=rdu:1'; do
	# shellcheck disable=SC2086
	refused run scontrol update job="$job" $change
	like "the change $change is refused" 'Invalid generic resource' "$said"
done
is 'refused changes are not applied' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
fine run scontrol update job="$job" partition=sn10 gres=rdu:3
is 'the job is moved to the other platform' gres:rdu:3,gres:rdu_tile:12 "$(tres_of "$job")"
fine run scontrol update job="$job" timelimit=5 comment=x
fine run scontrol update job="$job" gres=rdu_mem:1
is 'the job has no RDUs any more' gres:rdu_mem:1 "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -n16 --tiles-per-task=4 --wrap true)
refused run scontrol update job="$job" gres=rdu:1
fine run scontrol update job="$job" gres=
is 'the option of the job still counts' gres:rdu_tile:64 "$(tres_of "$job")"
fine run scancel "$job"

# An invalid or missing tessera.conf refuses jobs that request something, with the reason, and no
# other jobs.
conf=$TESSERA_LAB/etc/tessera.conf
cp -p "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; rm -rf "$TESSERA_LAB/plain"' EXIT
echo 'Nonsense = 1' >>"$conf"
for client in ann plain; do
	refused "$client" srun --gres=rdu:1 true
	like "$client: an invalid file is reported" "^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense" "$said"
	fine "$client" srun true
done
rm "$conf"
for client in ann plain; do
	refused "$client" srun --gres=rdu:1 true
	like "$client: a missing file is reported" '^srun: error: tessera: .*tessera.conf' "$said"
	fine "$client" srun true
done
cp -p "$conf.saved" "$conf"
fine plain srun --gres=rdu:1 true
