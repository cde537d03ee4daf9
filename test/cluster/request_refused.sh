#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A wrong request is refused before it is queued, with a sentence, whatever client it comes from; so is a wrong change.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
trap 'rm -rf "$TESSERA_LAB/plain"' EXIT

first=$(last_job)

by_client() {
	local wanted=$1
	shift
	refused ann srun "$@" true
	like "srun $*" "^srun: error: tessera: .*($wanted)" "$said"
	refused ann sbatch -o /dev/null "$@" --wrap true
	like "sbatch $*" "^sbatch: error: tessera: .*($wanted)" "$said"
}
each_request bad_requests by_client
refused ann salloc --gres=rdu:9 true
like salloc '^salloc: error: tessera: .*rdu:9' "$said"
is 'jobs that came to slurmctld' "$first" "$(last_job)"

# The client's check is a service to the user, the controller's is the law.
by_controller() {
	local wanted=$1
	shift
	refused plain_srun "$@" true
	like "the controller on $*" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad_requests by_controller
refused plain sbatch -o /dev/null --gres=rdu:9 --wrap true
like 'sbatch without the plugin' '^sbatch: error: tessera: .*rdu:9' "$said"
is 'jobs in the queue' '' "$(run squeue -h)"

# A value that nobody would type.
long=$(printf '%04097d' 0)
refused ann srun --gres=rdu:1 --tile-affinity="$long" true
like 'a long value' '^srun: error: tessera: --tile-affinity has 4097 characters, at most 4096' "$said"
refused ann env TESSERA_TILE_AFFINITY="$long" srun --gres=rdu:1 true
like 'a long twin' 'TESSERA_TILE_AFFINITY in the environment has 4097 characters' "$said"
refused plain_srun --gres=rdu:1 --tile-affinity="$long" true
like 'a long value, sent' '^srun: error: tessera: an option has 4097 characters' "$said"

# A change is judged together with what stays.
job=$(plain sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
fine run scontrol update job="$job" gres=rdu:3
is 'changed' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
for change in gres=rdu:9 gres=rdu_tile:3 gres=rdu:1,rdu_tile:4 partition=sn10 'partition=p64 gres=rdu:1'; do
	# shellcheck disable=SC2086
	refused run scontrol update job="$job" $change
	like "$change" 'Invalid generic resource' "$said"
done
is 'after refusals' gres:rdu:3,gres:rdu_tile:24 "$(tres_of "$job")"
fine run scontrol update job="$job" partition=sn10 gres=rdu:3
is 'moved' gres:rdu:3,gres:rdu_tile:12 "$(tres_of "$job")"
fine run scontrol update job="$job" timelimit=5 comment=x
fine run scontrol update job="$job" gres=rdu_mem:1
is 'no RDUs any more' gres:rdu_mem:1 "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -n16 --tiles-per-task=4 --wrap true)
refused run scontrol update job="$job" gres=rdu:1
fine run scontrol update job="$job" gres=
is 'its option still counts' gres:rdu_tile:64 "$(tres_of "$job")"
fine run scancel "$job"

# A tessera.conf that is broken or gone stops those who ask, with the reason, and nobody else; then all is well again.
conf=$TESSERA_LAB/etc/tessera.conf
cp -p "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; rm -rf "$TESSERA_LAB/plain"' EXIT
echo 'Nonsense = 1' >>"$conf"
for client in ann plain; do
	refused "$client" srun --gres=rdu:1 true
	like "$client, broken" "^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense" "$said"
	fine "$client" srun true
done
rm "$conf"
for client in ann plain; do
	refused "$client" srun --gres=rdu:1 true
	like "$client, gone" '^srun: error: tessera: .*tessera.conf' "$said"
	fine "$client" srun true
done
cp -p "$conf.saved" "$conf"
fine plain srun --gres=rdu:1 true
