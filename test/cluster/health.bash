# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Health in scenarios: what is broken is written into the lab's directory `sick` (test/emulator/sick.py).

conf=$TESSERA_LAB/etc/tessera.conf
sick=$TESSERA_LAB/sick
node=sn30-r1-h1
cache=$TESSERA_LAB/state/$node/health

# healthy: all is well again, nobody has said anything yet, and tessera.conf is as it was.
healthy() {
	rm -f "$sick"/* "$TESSERA_LAB"/marks/*/marks "$TESSERA_LAB"/state/*/health
	[ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"
}
trap healthy EXIT
healthy

# keys LINE...: tessera.conf with these lines, in place of its own of those names.
keys() {
	local line
	[ -e "$conf.saved" ] || cp "$conf" "$conf.saved"
	cp "$conf.saved" "$conf.new"
	for line in "$@"; do sed -i "/^${line%% *} =/d" "$conf.new" && sed -i "1i $line" "$conf.new"; done
	mv -f "$conf.new" "$conf"
}

# breaks PART...: of the node; none: all are well.
breaks() { printf '%s\n' "$@" | sed '/^$/d' >"$sick/$node"; }

health() { run tessera health --node="$node" "$@"; }
mark() { run tessera mark --node="$node" "$@"; }

# said_of SOURCE COLUMN: of the table.
said_of() { health --cached --raw -o "source,$2" 2>/dev/null | sed -n "s/^$1 //p"; }

# granted ARGUMENT...: the mask of a job on the node, which has given it back.
granted() {
	local before code=0
	before=$(rows "$node" | wc -l)
	ann srun -w "$node" "$@" printenv SF_RNT_TILE_AFFINITY || code=$?
	await 'its tiles are given back' eval "[ \"\$(rows $node | wc -l)\" = $before ]"
	return $code
}
