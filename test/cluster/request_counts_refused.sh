#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A wrong request for IPUs or for a pool is refused before it is queued, with a sentence, whatever client it comes from.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
conf=$TESSERA_LAB/etc/tessera.conf
cp -p "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; rm -rf "$TESSERA_LAB/plain"' EXIT

first=$(last_job)
by_client() {
	local wanted=$1
	shift
	refused ann srun "$@" true
	like "srun $*" "^srun: error: tessera: .*($wanted)" "$said"
	refused ann sbatch -o /dev/null "$@" --wrap true
	like "sbatch $*" "^sbatch: error: tessera: .*($wanted)" "$said"
}
each_request bad_counts by_client
is 'jobs that came to slurmctld' "$first" "$(last_job)"

by_controller() {
	local wanted=$1
	shift
	refused plain_srun "$@" true
	like "the controller on $*" "^srun: error: tessera: .*($wanted)" "$said"
}
each_request bad_counts by_controller
is 'jobs in the queue' '' "$(run squeue -h)"

long=$(printf '%04097d' 1)
refused ann srun -p p64 --ipus="$long" true
like 'a long value' '^srun: error: tessera: --ipus has 4097 characters, at most 4096' "$said"
refused plain_srun --csx="$long" true
like 'a long value, sent' '^srun: error: tessera: an option has 4097 characters' "$said"

# A tessera.conf that cannot be used is an error for those who ask for something; who asks for nothing does not hear of it.
echo 'Nonsense = 1' >>"$conf"
refused ann srun --csx=1 true
like 'a pool' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
refused ann srun -p p64 --ipus=1 true
like 'broken' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
refused plain_srun --csx=1 true
like 'broken, at the controller' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
is 'nothing asked for' '' "$(ann srun true 2>&1 | but_waiting)"
# Where not even its pools can be found out, their options do not exist.
echo 'pool broken {' >>"$conf"
refused ann srun --csx=1 true
like 'no pools' "unrecognized option '--csx=1'" "$said"
is 'still nothing asked for' '' "$(ann srun true 2>&1 | but_waiting)"
