#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A wrong request for IPUs or for a pool is refused with a message before it is queued, from any
# client.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
conf=$TESSERA_LAB/etc/tessera.conf
cp -p "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; rm -rf "$TESSERA_LAB/plain"' EXIT

first=$(last_job)
each_request bad_counts refused_by_clients
is 'no job reached slurmctld' "$first" "$(last_job)"

each_request bad_counts refused_by_controller
is 'no job is in the queue' '' "$(run squeue -h)"

long=$(printf '%04097d' 1)
refused ann srun -p p64 --ipus="$long" true
like 'a long value is refused by the client' '^srun: error: tessera: --ipus has 4097 characters, the limit is 4096' "$said"
refused plain_srun --csx="$long" true
like 'a long value is refused by the controller' '^srun: error: tessera: an option has 4097 characters' "$said"

# An invalid tessera.conf is an error for jobs that request something. Other jobs get no message.
echo 'Nonsense = 1' >>"$conf"
refused ann srun --csx=1 true
like 'a request for a pool is refused' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
refused ann srun -p p64 --ipus=1 true
like 'a request for IPUs is refused' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
refused plain_srun --csx=1 true
like 'the controller refuses a request for a pool' '^srun: error: tessera: .*tessera.conf:[0-9]+: .*Nonsense' "$said"
is 'a job without a request gets no message' '' "$(ann srun true 2>&1 | drop_wait_messages)"
# Where the pools cannot be read, their options do not exist.
echo 'pool broken {' >>"$conf"
refused ann srun --csx=1 true
like 'the option of the pool does not exist' "unrecognized option '--csx=1'" "$said"
is 'a job without a request still gets no message' '' "$(ann srun true 2>&1 | drop_wait_messages)"
