#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two labs in two directories run jobs at the same time, and stopping one does not affect the other.
. "$(dirname "$0")/lib.sh"

other=$TESSERA_LAB.other
trap 'LAB_QUIET=1 "$lab" -d "$other" down 2>/dev/null' EXIT
there() { TESSERA_LAB=$other "$lab" "$@"; }

fine there up --nodes sn30:1
[ "$(cat "$TESSERA_LAB/port")" != "$(cat "$other/port")" ] || fail 'both labs have the same ports'

# Each job waits for a file of the other, so both must run at the same time.
meet=$(mktemp -d)
chmod 777 "$meet"
# shellcheck disable=SC2016
script='touch $1/$2; for i in $(seq 600); do [ -e $1/$3 ] && exit 0; sleep 0.1; done; exit 1'
run srun -n1 sh -c "$script" meet "$meet" here there &
here=$!
fine there run srun -n1 sh -c "$script" meet "$meet" there here
wait "$here" || fail 'the job in the first lab did not meet the other'
rm -rf "$meet"

fine there down
[ ! -e "$other" ] || fail "$other is still there"
fine run srun -n1 true
