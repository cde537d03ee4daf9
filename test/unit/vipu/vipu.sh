#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Test tessera-vipu against an emulated controller: vipu.sh EMULATOR HELPER [PART]. Checks partitions and messages.
set -u
emulator=${1:?usage: vipu.sh EMULATOR HELPER [PART]}
helper=$(realpath "${2:?usage: vipu.sh EMULATOR HELPER [PART]}")
here=$(realpath "$(dirname "$emulator")")
dir=$(mktemp -d) || exit 1
server=
failed=0
parts=()
trap 'stop_emulator; rm -rf "$dir"' EXIT
mkdir "$dir/control"
umask 022

# report NAME RESULT
report() {
	[ "$2" = 0 ] && echo "ok - $1" && return
	echo "not ok - $1"
	sed 's/^/# stdout: /' "$dir/out"
	sed 's/^/# stderr: /' "$dir/err"
	tail -n 12 "$dir/emulator.log" | sed 's/^/# emulator: /'
	failed=1
}

# start_emulator [ARGUMENT]...: with its saved state and its previous port, if any
start_emulator() {
	rm -f "$dir/port"
	"$emulator" --port "${port:-0}" --port-file "$dir/port" --control "$dir/control" --state "$dir/state" "$@" \
		>>"$dir/emulator.log" 2>&1 &
	server=$!
	until [ -e "$dir/port" ]; do
		kill -0 "$server" 2>/dev/null || { cat "$dir/emulator.log" && exit 1; }
		sleep 0.02
	done
	port=$(cat "$dir/port")
}

stop_emulator() {
	[ -n "$server" ] && kill "$server" && wait "$server"
	server=
}

# conf [LINE]...: tessera.conf with these lines in its block
conf() {
	{
		echo 'vipu "pod[1-2]" {'
		printf '%s\n' 'Host = 127.0.0.1' "Port = $port" "CallWait = ${call_wait:-2}" 'RemoveWait = 1' "$@" '}'
	} >"$dir/tessera.conf"
}

# run CODE ARG...: the helper exits with that code within 30 seconds
run() {
	local want=$1 code
	shift
	timeout 30 env -i ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$helper" --conf="$dir/tessera.conf" --node=pod1 "$@" >"$dir/out" 2>"$dir/err"
	code=$?
	[ "$code" = "$want" ]
}

# does ARG...: succeeds, with nothing on standard error
does() {
	run 0 "$@" && [ ! -s "$dir/err" ]
	report "$*" $?
}

# fails CODE PATTERN ARG...: exits with that code and prints one matching line on standard error, nothing else
fails() {
	local code=$1 pattern=$2
	shift 2
	run "$code" "$@" && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] && [ "$(wc -c <"$dir/err")" -le 512 ] &&
		! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$dir/err" && grep -qE -e "$pattern" "$dir/err"
	report "$* fails with $code: $pattern" $?
}

# has [LINE]...: exactly these partitions exist ("ID SIZE STATE"), according to the emulator's own client
has() {
	"$here/emulate" --control "$dir/control" list >"$dir/out" 2>"$dir/err"
	[ "$(sort "$dir/out")" = "$([ $# = 0 ] || printf '%s\n' "$@" | sort)" ]
	report "there are: ${*:-none}" $?
}

# fault KIND [METHOD] [COUNT], fault none; pace delay|remove_delay SECONDS
fault() { if [ "$1" = none ]; then rm -f "$dir/control/fault"; else control fault "$*"; fi; }
pace() { control "$1" "$2"; }
control() { echo "$2" >"$dir/control/$1.new" && mv "$dir/control/$1.new" "$dir/control/$1"; }
# other COMMAND...: another user of the controller
other() { "$here/emulate" --control "$dir/control" "$@"; }

# calls METHOD: the number of calls since the mark; sent TEXT: did a call have TEXT?
mark() { calls_before=$(wc -l <"$dir/emulator.log"); }
calls() { tail -n +$((calls_before + 1)) "$dir/emulator.log" | grep 'from=client' | grep -c " $1 "; }
sent() { tail -n +$((calls_before + 1)) "$dir/emulator.log" | grep -qF -e "$1"; }
# await_calls METHOD COUNT: wait for that many calls by $waiter, or until it has ended
await_calls() {
	until [ "$(calls "$1")" -ge "$2" ]; do
		kill -0 "$waiter" 2>/dev/null || return 1
		sleep 0.02
	done
}
is() {
	[ "$2" = "$3" ]
	report "$1: $2 is $3" $?
}


# Run all parts in parallel, each with its own emulator: they mostly wait.
if [ -z "${3:-}" ]; then
	for part in life faults secrets program; do
		bash "$0" "$1" "$2" $part >"$dir/$part.out" 2>&1 &
		parts[$!]=$part
	done
	for pid in "${!parts[@]}"; do
		wait "$pid" || failed=1
		cat "$dir/${parts[pid]}.out"
	done
	exit $failed
fi

start_emulator
conf
# shellcheck source-path=SCRIPTDIR
case $3 in
life) . "$(dirname "$0")/vipu_life.sh" ;;
faults) . "$(dirname "$0")/vipu_faults.sh" ;;
secrets) . "$(dirname "$0")/vipu_secrets.sh" ;;
program) . "$(dirname "$0")/vipu_program.sh" ;;
*) echo "vipu.sh: there is no part '$3'" >&2 && exit 2 ;;
esac
exit $failed
