# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab's processes. Each daemon is recorded with its PID and start time, so that a reused PID is never signalled,
# and has the lab's mark in its environment, which slurmstepd inherits from slurmd. No process is ended by its name.

# process_start PID: the start time in clock ticks, which with the PID identifies a process. Fails if it has ended.
process_start() {
	local stat
	{ stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
	[ -n "$stat" ] || return 1
	# The second field is the program's name in parentheses and may contain spaces: count from its end.
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	[ "$1" != Z ] && printf '%s\n' "${20}"
}

# process_record NAME PID: record a daemon.
process_record() {
	local start
	start=$(process_start "$2") || return 1
	mkdir -p "$LAB/pids"
	printf '%s %s\n' "$2" "$start" >"$LAB/pids/$1"
}

# process_of NAME: the PID of a recorded daemon that is running.
process_of() {
	local pid start
	{ read -r pid start <"$LAB/pids/$1"; } 2>/dev/null || return 1
	[ "$(process_start "$pid")" = "$start" ] && printf '%s\n' "$pid"
}

# process_launch NAME CMD...: start a daemon in its own session, with its output in log/NAME.out.
process_launch() {
	local name=$1
	shift
	# Descriptor 9 is the lock of up and down, which a daemon must not inherit.
	# The environment is that of a system service and not the caller's, since slurmstepd inherits it.
	env -i PATH="$PATH" SLURM_CONF="$LAB/etc/slurm.conf" TESSERA_LAB_MARK="$(<"$LAB/mark")" \
		setsid "$@" </dev/null >>"$LAB/log/$name.out" 2>&1 9>&- &
	process_record "$name" $!
}

# process_end NAME: end a recorded daemon, with SIGTERM first, and wait for its end.
process_end() {
	local pid
	pid=$(process_of "$1") || return 0
	kill -TERM "$pid" 2>/dev/null
	await 10 process_gone "$1" || {
		kill -KILL "$pid" 2>/dev/null
		await 5 process_gone "$1"
	}
	rm -f "$LAB/pids/$1"
}

process_gone() { ! process_of "$1" >/dev/null; }

# process_remains: the remaining processes of the lab: daemons by their mark, slurmstepd (whose title overwrites its
# environment) by its open log, tasks by this lab's SLURM_CONF, and all their descendants. A shell inside the lab is
# not one of them.
process_remains() {
	local mark environ pid found=()
	{ mark=$(<"$LAB/mark"); } 2>/dev/null || return 0
	while read -r environ; do
		pid=${environ#/proc/} pid=${pid%/environ}
		grep -qsz "^TESSERA_LAB_MARK=$mark\$\|^SLURM_TASK_PID=" "$environ" && found+=("$pid")
	done < <(grep -lsFxz -e "TESSERA_LAB_MARK=$mark" -e "SLURM_CONF=$LAB/etc/slurm.conf" /proc/[0-9]*/environ)
	for pid in /proc/[0-9]*; do
		case $(readlink "$pid/exe" 2>/dev/null) in */slurmstepd*) ;; *) continue ;; esac
		readlink "$pid"/fd/* 2>/dev/null | grep -qF "$LAB/" && found+=("${pid#/proc/}")
	done
	[ ${#found[@]} -gt 0 ] && process_family "${found[@]}"
}

# process_family PID...: these processes and their descendants, without zombies.
process_family() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v roots="$*" '
		{ pid = $1; sub(/^.*\) /, ""); parent[pid] = $2; if ($1 != "Z") alive[pid] = 1 }
		END {
			split(roots, root, " ")
			for (i in root) family[root[i]] = 1
			do {
				grown = 0
				for (pid in parent)
					if (!(pid in family) && (parent[pid] in family)) { family[pid] = 1; grown = 1 }
			} while (grown)
			for (pid in family) if (pid in alive) print pid
		}'
}

# process_sweep: end the remaining processes: steps whose slurmd was killed, daemons of a killed lab.
process_sweep() {
	local pid remains round
	for round in 1 2 3 4 5; do
		remains=$(process_remains)
		[ -n "$remains" ] || return 0
		for pid in $remains; do kill -KILL "$pid" 2>/dev/null; done
		await "$round" process_swept
	done
	fail "these processes of the lab do not end: $(tr '\n' ' ' <<<"$remains")"
}

process_swept() { [ -z "$(process_remains)" ]; }

# await SECONDS CMD...: repeat CMD until it succeeds; fails after SECONDS.
await() {
	local end=$((SECONDS + $1 + 1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}
