# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A block of ports for a lab. Ports of other programs are listed in /proc/net. Other labs may not have bound theirs
# yet, so each claims its block with a symbolic link, which is atomic; a link to a lab that is not running is stale.

port_block=16               # slurmctld, slurmdbd, a port for each node, and
port_vipu=$((port_block - 1)) # the V-IPU controller, the last of the block
port_claims=/tmp/.tessera-lab-ports

# port_taken PORT: a process listens on this TCP port.
port_taken() {
	local hex
	hex=$(printf ':%04X' "$1")
	awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }' \
		/proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# ports_free BASE: succeed if the block is free, else set port_busy to its first port in use.
ports_free() {
	local port
	for ((port = $1; port < $1 + port_block; port++)); do
		port_busy=$port
		port_taken "$port" && return 1
	done
	return 0
}

# ports_claim BASE: claim the block for this lab; fails if another lab has it.
ports_claim() {
	local link=$port_claims/$1 owner
	[ -d "$port_claims" ] || mkdir -m 700 "$port_claims"
	[ -O "$port_claims" ] && [ ! -L "$port_claims" ] || fail "$port_claims is owned by another user: remove it"
	owner=$(readlink "$link" 2>/dev/null) && {
		[ "$owner" != "$LAB" ] && [ "$(cat "$owner/port" 2>/dev/null)" = "$1" ] && return 1
		rm -f "$link"
	}
	# -T: if another lab was quicker, the link must not be made inside that lab's directory.
	ln -sT "$LAB" "$link" 2>/dev/null
}

# ports_choose [BASE]: claim the given block or the first free one, and write it to $LAB/port.
ports_choose() {
	local base
	if [ -n "${1:-}" ]; then
		case $1 in *[!0-9]* | '') fail "--port takes a number from 1024 to $((65536 - port_block)), not '$1'" ;; esac
		[ "$1" -ge 1024 ] && [ "$1" -le $((65536 - port_block)) ] ||
			fail "--port takes a number from 1024 to $((65536 - port_block)), not $1"
		ports_free "$1" || fail "port $port_busy is taken: choose another with --port, or leave --port out"
		echo "$1" >"$LAB/port"
		ports_claim "$1" || fail "port $1 belongs to the lab in $(readlink "$port_claims/$1")"
		return
	fi
	# Below the kernel's range of ports for outgoing connections.
	for ((base = 21000; base < 32000; base += port_block)); do
		ports_free "$base" || continue
		echo "$base" >"$LAB/port"
		ports_claim "$base" && return
	done
	fail "no $port_block free ports in a row between 21000 and 32000"
}

ports_release() {
	local base
	{ read -r base <"$LAB/port"; } 2>/dev/null || return 0
	[ "$(readlink "$port_claims/$base" 2>/dev/null)" = "$LAB" ] && rm -f "$port_claims/$base"
	rmdir "$port_claims" 2>/dev/null
	return 0
}
