#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# slurm.conf's HealthCheckProgram can be a script that runs tessera health --update: slurmd gives it the node's name and
# nothing else, at its start before it has registered, and again and again.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1 program=$TESSERA_LAB/check conf=$TESSERA_LAB/etc/slurm.conf
counted() { [ "$(run sinfo -hN -n "$node" -o '%T %G' | sed 's/,rdu_mem.*//')" = "idle $1" ]; }

put_back() {
	[ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"
	rm -f "$TESSERA_LAB/marks/$node/marks" "$program"
	"$lab" restart ctld && "$lab" restart "$node"
	run tessera health --cached --update --node="$node" >/dev/null
	await 'the node is as it was' counted rdu:8,rdu_tile:64
}
trap put_back EXIT

# A real site's is at its usual place, and needs no word of it.
printf '#!/bin/sh\nSLURM_CONF=%s exec %s/bin/tessera health --update\n' "$conf" "$TESSERA_LAB" >"$program"
chmod 755 "$program"
cp "$conf" "$conf.saved"
{ cat "$conf.saved" && printf '%s\n' "HealthCheckProgram=$program" HealthCheckInterval=2 HealthCheckNodeState=ANY; } | rewrite "$conf"

fine run tessera mark --node="$node" 3.5 bad
fine "$lab" restart ctld
fine "$lab" restart "$node"
await 'fewer are counted' counted rdu:7,rdu_tile:63
is 'what the tools say is kept' 1 "$(grep -c '^source snfadm time [1-9]' "$TESSERA_LAB/state/$node/health")"
fine run tessera mark --node="$node" 3.5 good
await 'all are counted' counted rdu:8,rdu_tile:64
unlike 'slurmd has nothing against it' 'health_check' "$("$lab" logs "$node" | tail -n 200)"
