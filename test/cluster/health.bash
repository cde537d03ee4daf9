# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios about health. Files in the lab's directory `sick` name the broken parts
# (test/emulator/sick.py).

conf=$TESSERA_LAB/etc/tessera.conf
sick=$TESSERA_LAB/sick
node=sn30-r1-h1
cache=$TESSERA_LAB/state/$node/health

# reset_health: no part is broken or marked, no result is stored, and tessera.conf is restored.
reset_health() {
	rm -f "$sick"/* "$TESSERA_LAB"/marks/*/marks "$TESSERA_LAB"/state/*/health
	[ ! -e "$conf.saved" ] || mv -f "$conf.saved" "$conf"
}
trap reset_health EXIT
reset_health

# keys LINE...: replace these keys in tessera.conf; each call starts from the original file.
keys() {
	local line
	[ -e "$conf.saved" ] || cp "$conf" "$conf.saved"
	cp "$conf.saved" "$conf.new"
	for line in "$@"; do sed -i "/^${line%% *} =/d" "$conf.new" && sed -i "1i $line" "$conf.new"; done
	mv -f "$conf.new" "$conf"
}

# set_broken [PART]...: the broken parts of the node.
set_broken() { printf '%s\n' "$@" | sed '/^$/d' >"$sick/$node"; }

health() { run tessera health --node="$node" "$@"; }
mark() { run tessera mark --node="$node" "$@"; }

# source_column SOURCE COLUMN: from the table of stored results.
source_column() { health --cached --raw -o "source,$2" 2>/dev/null | sed -n "s/^$1 //p"; }

# job_mask ARGUMENT...: the mask of a job on the node, after the job has released its tiles.
job_mask() {
	local before code=0
	before=$(rows "$node" | wc -l)
	ann srun -w "$node" "$@" printenv SF_RNT_TILE_AFFINITY || code=$?
	await 'the tiles are released' eval "[ \"\$(rows $node | wc -l)\" = $before ]"
	return $code
}
