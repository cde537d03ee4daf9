#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab refuses with a message what it cannot do, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"

other=$TESSERA_LAB.refused
busy=
trap '[ -z "$busy" ] || kill "$busy"; rm -rf "$other"' EXIT
nothing_left() { [ ! -e "$other" ] && [ ! -e "$other.lock" ] || fail "after '$1' there is still $(echo "$other"*)"; }

refused "$lab" up
like 'a second up is refused' "already up in $TESSERA_LAB" "$said"

refused "$lab" -d "$other" down
like 'a command without a lab is refused' "there is no lab in $other" "$said"

# The source tree itself may be unreadable for other users.
scripts=$(mktemp -d)
cp -r "$top/test/lab" "$scripts" && chmod -R a+rX "$scripts"
refused setpriv --reuid=nobody --clear-groups "$scripts/lab/lab" -d "$other" up
rm -r "$scripts"
like 'a user that is not root is refused' 'become root' "$said"
nothing_left 'not root'

refused "$lab" -d "$other" up --nodes sn30:x
like 'a wrong node count is refused' "not 'sn30:x'" "$said"
refused "$lab" -d "$other" up --nodes tpu:1
like 'an unknown node type is refused' "not 'tpu'" "$said"
refused "$lab" -d "$other" up --nodes sn30:15
like 'too many nodes are refused' '15 nodes are too many' "$said"
nothing_left 'wrong nodes'

refused "$lab" -d "$other" -b /nowhere up
like 'a missing build is refused' '/nowhere is not a build tree' "$said"
nothing_left 'no build'

mkdir "$other" && touch "$other/precious"
refused "$lab" -d "$other" up
like 'a directory that is not a lab is refused' 'not empty and not a lab' "$said"
[ -e "$other/precious" ] || fail 'the lab removed a file that is not its own'
rm -r "$other"

# The port of the first lab's slurmctld is certainly in use.
port=$(cat "$TESSERA_LAB/port")
refused "$lab" -d "$other" up --port "$port"
like 'a port in use is refused' "port $port is taken" "$said"
nothing_left 'port taken'

# A plugin that cannot be loaded: up prints the message of slurmd.
mkdir -p "$other.build/.libs"
cp build/Makefile build/tessera "$other.build"
cp build/.libs/{job_submit_tessera,tessera_conf,tessera_grant}.so "$other.build/.libs"
echo 'not a shared object' >"$other.build/.libs/spank_tessera.so"
refused "$lab" -d "$other" -b "$other.build" up --nodes sn30:1
rm -r "$other.build"
like 'the message of slurmd is printed' 'sn30-r1-h1: .*spank_tessera.so' "$said"
like 'the started daemons are stopped' 'taking away what was started' "$said"
nothing_left 'broken plugin'
is 'no process is left' '' "$(grep -lsz "SLURM_CONF=$other/" /proc/[0-9]*/environ)"

# Two labs claim one block of ports at once: the second sees no claim at first, and then fails to make its own.
claims=$(mktemp -d)
mkdir "$claims/first"
ln -s "$claims/first" "$claims/21000"
# shellcheck disable=SC2034,SC2317
claim_late() (
	LAB=$other
	# shellcheck source=/dev/null
	. "$top/test/lab/ports.sh"
	port_claims=$claims
	readlink() { return 1; }
	ports_claim 21000
)
refused claim_late
is 'nothing is left in the directory of the first lab' '' "$(ls -A "$claims/first")"
rm -r "$claims"
