#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the lab cannot do it says in a sentence, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"

other=$TESSERA_LAB.refused
busy=
trap '[ -z "$busy" ] || kill "$busy"; rm -rf "$other"' EXIT
gone() { [ ! -e "$other" ] && [ ! -e "$other.lock" ] || broken "after '$1' there is still $(echo "$other"*)"; }

refused "$lab" up
like 'already up' "already up in $TESSERA_LAB" "$said"

refused "$lab" -d "$other" down
like 'no lab' "there is no lab in $other" "$said"

# The checkout itself may be closed to others.
scripts=$(mktemp -d)
cp -r "$top/test/lab" "$scripts" && chmod -R a+rX "$scripts"
refused setpriv --reuid=nobody --clear-groups "$scripts/lab/lab" -d "$other" up
rm -r "$scripts"
like 'not root' 'become root' "$said"
gone 'not root'

refused "$lab" -d "$other" up --nodes sn30:x
like 'nodes' "not 'sn30:x'" "$said"
refused "$lab" -d "$other" up --nodes tpu:1
like 'nodes' "not 'tpu'" "$said"
refused "$lab" -d "$other" up --nodes sn30:15
like 'nodes' '15 nodes are too many' "$said"
gone 'wrong nodes'

refused "$lab" -d "$other" -b /nowhere up
like 'no build' '/nowhere is not a build tree' "$said"
gone 'no build'

mkdir "$other" && touch "$other/precious"
refused "$lab" -d "$other" up
like 'not a lab' 'not empty and not a lab' "$said"
[ -e "$other/precious" ] || broken 'the lab removed a file that is not its own'
rm -r "$other"

# The port of the first lab's slurmctld is taken for sure.
port=$(cat "$TESSERA_LAB/port")
refused "$lab" -d "$other" up --port "$port"
like 'port taken' "port $port is taken" "$said"
gone 'port taken'

# A plugin that cannot be loaded: slurmd says why, and up says what slurmd said.
mkdir -p "$other.build/.libs"
cp build/Makefile build/tessera "$other.build"
cp build/.libs/{job_submit_tessera,tessera_conf,tessera_grant}.so "$other.build/.libs"
echo 'not a shared object' >"$other.build/.libs/spank_tessera.so"
refused "$lab" -d "$other" -b "$other.build" up --nodes sn30:1
rm -r "$other.build"
like 'broken plugin' 'sn30-r1-h1: .*spank_tessera.so' "$said"
like 'broken plugin' 'taking away what was started' "$said"
gone 'broken plugin'
is 'processes left' '' "$(grep -lsz "SLURM_CONF=$other/" /proc/[0-9]*/environ)"
