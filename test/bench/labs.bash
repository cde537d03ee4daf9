# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Labs side by side for a benchmark: ours, and others with somebody else's plugin in the place of ours. Whoever includes
# this has $base, a directory of its own, and calls labs_end when it ends.
lab=test/lab/lab
export LAB_QUIET=1
labs=()

# lab_start NAME UP-ARGUMENT...: a lab as ours is, but its state in memory, as /run is on a node.
lab_start() {
	local name=$1
	shift
	labs+=("$name")
	$lab -d "$base.$name" up "$@" || return 1
	[ ! -d /dev/shm ] || sed -i "s|^StateDir = .*|StateDir = \"/dev/shm/${base##*/}.$name.%n\"|" "$base.$name/etc/tessera.conf"
	printf 'MaxArraySize=10001\nMaxJobCount=1000000\n' >>"$base.$name/etc/slurm.conf"
}

# lab_plugin NAME [LINE]: this line is all of plugstack.conf, and slurmctld has no plugin of ours.
lab_plugin() {
	echo "${2:-}" >"$base.$1/etc/plugstack.conf"
	sed -i '/^JobSubmitPlugins/d' "$base.$1/etc/slurm.conf"
}

# lab_restart NAME NODE...: with what its files say now.
lab_restart() {
	local name=$1 node
	shift
	for node in ctld "$@"; do $lab -d "$base.$name" restart "$node" || return 1; done
}

labs_end() {
	local name
	for name in "${labs[@]}"; do
		$lab -d "$base.$name" down 2>/dev/null
		rm -rf "/dev/shm/${base##*/}.$name."*
	done
	rm -rf "$base"
}

# empty_plugin NAME [FLAG]: builds $base/NAME.so.
empty_plugin() { cc -shared -fPIC -O2 "${@:2}" -o "$base/$1.so" test/bench/empty_plugin.c; }
