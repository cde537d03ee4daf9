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

# lab_account NAME: from now on count the CPU time of its daemons and of all that they start, in a group of its own. False
# if this machine has no control groups to do that with.
lab_account() {
	local pid group
	group=$(account_group "$1") && mkdir -p "$group" || return 1
	for pid in "$base.$1"/run/*.pid; do echo "$(<"$pid")" >"$group/cgroup.procs" || return 1; done
}

# lab_cpu NAME: the milliseconds so far.
lab_cpu() {
	local group
	group=$(account_group "$1")
	if [ -e "$group/cpuacct.usage" ]; then
		echo $(($(<"$group/cpuacct.usage") / 1000000))
	else
		awk '$1 == "usage_usec" { print int($2 / 1000) }' "$group/cpu.stat"
	fi
}

# Version 1 has a tree for it, version 2 one for all.
account_group() {
	local top
	for top in /sys/fs/cgroup/cpuacct /sys/fs/cgroup; do
		[ -w "$top/cgroup.procs" ] && echo "$top/${base##*/}.$1" && return
	done
	return 1
}

labs_end() {
	local name
	for name in "${labs[@]}"; do
		$lab -d "$base.$name" down 2>/dev/null
		rm -rf "/dev/shm/${base##*/}.$name."*
		rmdir "$(account_group "$name")" 2>/dev/null
	done
	rm -rf "$base"
}

# empty_plugin NAME [FLAG]: builds $base/NAME.so.
empty_plugin() { cc -shared -fPIC -O2 "${@:2}" -o "$base/$1.so" test/bench/empty_plugin.c; }
