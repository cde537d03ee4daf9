#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command, as an ordinary user, with slurmdbd running, dead, and silent (stopped, so that connections to it are
# accepted and never answered): it ends in time, with its own exit code and a message, and not in the dynamic linker or
# by a signal. So does root's tessera sample, which is the other command that talks to slurmdbd.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

tmp=$(mktemp -d)
trap 'resume_slurmdbd; rm -rf "$tmp"' EXIT
read -r slurmdbd _ <"$TESSERA_LAB/pids/slurmdbd"

# is_slurmdbd STATE: one letter of ps: T is stopped.
is_slurmdbd() { [ "$(ps -o stat= -p "$slurmdbd" | cut -c1)" = "$1" ]; }
resume_slurmdbd() {
	kill -CONT "$slurmdbd" 2>/dev/null
	"$lab" status | grep -q '^slurmdbd .*is not running$' && "$lab" restart dbd
	return 0
}

# answers CODES CMD...: CMD ends with one of CODES, an extended regular expression. With 0 it prints something; else a
# line of its own on standard error says why. The time limit is much longer than the command's own for slurmdbd, which
# TESSERA_PATIENCE sets.
answers() {
	local codes=$1 code=0
	shift
	timeout 60 "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	grep -qxE "$codes" <<<"$code" || fail "slurmdbd $mode: wanted $codes, got $code: ${*:2}: $(cat "$tmp/err")"
	unlike "slurmdbd $mode: the dynamic linker speaks: ${*:2}" 'symbol lookup error|undefined symbol|shared librar' "$(cat "$tmp/err")"
	if [ -s "$tmp/out" ]; then return; fi
	[ "$code" != 0 ] || fail "slurmdbd $mode: nothing is printed: ${*:2}"
	like "slurmdbd $mode: the message: ${*:2}" '^tessera: .' "$(cat "$tmp/err")"
}

job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 2')
held=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
in_use $one 1
reaches "$held" RUNNING

# ARGUMENTS | exit codes | the same without an answer of slurmdbd, if they differ. Only root may do what ends with 4.
all_commands() {
	cat <<-COMMANDS
		conf --platform=sn30-8 | 0
		doctor --conf=$conf | [013]
		explain --conf=$conf --platform=sn30-8 --gres=rdu:2 | 0
		guard --conf=$conf --node=$one | 4
		health --conf=$conf --node=$one --cached | [013]
		mark --conf=$conf --node=$one | 0
		mark --conf=$conf --node=$one 3.5 bad | 4
		mask --platform=sn10-8 rdu6,rdu7 | 0
		metrics --conf=$conf --node=$one | 0
		pool --conf=$conf | 0
		reap --conf=$conf --node=$one | 4
		report --conf=$conf --start=now-1hour | 0 | 3
		report --conf=$conf --start=now-1hour --user=tess-ann --account=physics --by=day --json | 0 | 3
		report --conf=$conf --job=$job --by=job --csv | 0 | 3
		sample --conf=$conf --node=$one | 4
		status --conf=$conf --all | 0
		status --conf=$conf --node=$one | 0
		status --conf=$conf --job=$held | 0
		task --conf=$conf --node=$one echo done | 0
		topology --conf=$conf --platform=sn30-8 | 0
		verify --conf=$conf --node=$one | 10
	COMMANDS
}
is 'the table has every command' "$(run tessera --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" \
	"$(all_commands | cut -d' ' -f1 | sort -u)"

# try_all MODE: all commands, with what slurmdbd does at the moment.
try_all() {
	local arguments codes without
	mode=$1
	while IFS='|' read -r arguments codes without; do
		[ "$mode" = up ] || codes=${without:-$codes}
		# shellcheck disable=SC2086
		answers "${codes// /}" "$lab" as tess-ann env TESSERA_PATIENCE=2 tessera $arguments </dev/null
	done < <(all_commands)
}

try_all up
fine sample $one --interval=10 --no-deliver
fine run scancel "$job"
await "job $job has left the queue" eval '[ -z "$(run squeue -hj "$job" -o %T 2>/dev/null)" ]'
await "slurmdbd has the end of job $job" known_end "$job"

fine kill -STOP "$slurmdbd"
await 'slurmdbd is stopped' is_slurmdbd T
try_all silent
answers 3 "$lab" run env TESSERA_PATIENCE=2 tessera sample --conf="$conf" --node=$one
fine kill -CONT "$slurmdbd"

fine kill -KILL "$slurmdbd"
await 'slurmdbd has ended' eval '! kill -0 "$slurmdbd" 2>/dev/null'
try_all dead
answers 3 "$lab" run env TESSERA_PATIENCE=2 tessera sample --conf="$conf" --node=$one
like 'the message of sample' '^tessera: slurmdbd does not answer .*: the usage stays on this node' "$(cat "$tmp/err")"

# Nothing was lost.
fine "$lab" restart dbd
read -r slurmdbd _ <"$TESSERA_LAB/pids/slurmdbd"
await_delivered $one "$job"
is 'the usage is delivered later' "$(object $one 20 null 0 10)" "$(comment "$job")"
ends "$held"
clear_samples
