#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# HealthCheckProgram in slurm.conf can be a script that runs tessera health --update. slurmd passes
# it the node's name and nothing else, periodically, and at its start before it registers: neither
# waits for the other then, and the node is open with its new counts when slurmd has registered.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1 program=$TESSERA_LAB/check conf=$TESSERA_LAB/etc/slurm.conf
counted() { [ "$(run sinfo -hN -n "$node" -o '%T %G' | sed 's/,rdu_mem.*//')" = "idle $1" ]; }
is_ended() { [[ $("$lab" status) =~ $node\ +is\ not\ running ]]; }

put_back() {
	[ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"
	rm -f "$TESSERA_LAB/marks/$node/marks" "$program"
	[ -e "$TESSERA_LAB/run/slurmd-$node.pid" ] || "$lab" restart "$node"
	"$lab" restart ctld && "$lab" restart "$node"
	run tessera health --cached --update --node="$node" >/dev/null
	await 'the counts of the node are restored' counted rdu:8,rdu_tile:64
}
trap put_back EXIT

# restart_with INTERVAL: slurmctld and slurmd with the program and this HealthCheckInterval.
restart_with() {
	rewrite "$conf" with_lines "$conf.saved" "HealthCheckProgram=$program" "HealthCheckInterval=$1" HealthCheckNodeState=ANY
	fine "$lab" restart ctld
	fine "$lab" restart "$node"
}

# The configuration of a real site is at its default path, and needs no SLURM_CONF.
printf '#!/bin/sh\nSLURM_CONF=%s exec %s/bin/tessera health --update\n' "$conf" "$TESSERA_LAB" >"$program"
chmod 755 "$program"
cp "$conf" "$conf.saved"

# At the start only: the next interval does not come.
fine run tessera mark --node="$node" 3.5 bad
restart_with 3600
await 'the bad tile is no longer counted' counted rdu:7,rdu_tile:63
is 'the results of the tools are stored' 1 "$(grep -c '^source snfadm time [1-9]' "$TESSERA_LAB/state/$node/health")"

# Also if slurmctld waits for the node when slurmd starts.
kill "$(cat "$TESSERA_LAB/run/slurmd-$node.pid")"
await 'slurmd has ended' is_ended
fine run scontrol update nodename="$node" state=down reason='no power'
fine run scontrol update nodename="$node" state=resume
fine run tessera mark --node="$node" 5.0 bad
fine "$lab" restart "$node"
await 'both bad tiles are no longer counted' counted rdu:6,rdu_tile:62

# Periodically.
restart_with 10
fine run tessera mark --node="$node" 3.5,5.0 good
await 'all tiles are counted again' counted rdu:8,rdu_tile:64
fine run tessera mark --node="$node" 3.5 bad
await 'the bad tile is no longer counted' counted rdu:7,rdu_tile:63
unlike 'slurmd logs no error of the program' 'health_check' "$("$lab" logs "$node" | tail -n 200)"
