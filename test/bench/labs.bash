# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several labs for a benchmark: ours, and others with another plugin instead of ours. The including script sets $base, a
# directory of its own, and calls labs_end at its end.
lab=test/lab/lab
export LAB_QUIET=1
labs=()

# lab_start NAME UP-ARGUMENT...: start a lab with its state in memory, as /run is on a node.
lab_start() {
	local name=$1
	shift
	labs+=("$name")
	$lab -d "$base.$name" up "$@" || return 1
	[ ! -d /dev/shm ] || sed -i "s|^StateDir = .*|StateDir = \"/dev/shm/${base##*/}.$name.%n\"|" "$base.$name/etc/tessera.conf"
	printf 'MaxArraySize=10001\nMaxJobCount=1000000\n' >>"$base.$name/etc/slurm.conf"
}

# lab_plugin NAME [LINE]: plugstack.conf has only this line, and slurmctld does not load our plugin.
lab_plugin() {
	echo "${2:-}" >"$base.$1/etc/plugstack.conf"
	sed -i '/^JobSubmitPlugins/d' "$base.$1/etc/slurm.conf"
}

# lab_restart NAME NODE...: restart it with its current files.
lab_restart() {
	local name=$1 node
	shift
	for node in ctld "$@"; do $lab -d "$base.$name" restart "$node" || return 1; done
}

# lab_account NAME: count the CPU time of its daemons and their descendants from now on, in a control group. Fails if this
# machine has no usable control groups.
lab_account() {
	local pid group
	group=$(account_group "$1") && mkdir -p "$group" || return 1
	for pid in "$base.$1"/run/*.pid; do echo "$(<"$pid")" >"$group/cgroup.procs" || return 1; done
}

# lab_cpu NAME: the milliseconds counted so far.
lab_cpu() {
	local group
	group=$(account_group "$1")
	if [ -e "$group/cpuacct.usage" ]; then
		echo $(($(<"$group/cpuacct.usage") / 1000000))
	else
		awk '$1 == "usage_usec" { print int($2 / 1000) }' "$group/cpu.stat"
	fi
}

# cgroup v1 has a hierarchy for CPU accounting, v2 one for all controllers.
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

# empty_plugin NAME [FLAG]: build $base/NAME.so.
empty_plugin() { cc -shared -fPIC -O2 "${@:2}" -o "$base/$1.so" test/bench/empty_plugin.c; }
