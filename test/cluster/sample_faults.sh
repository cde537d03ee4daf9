#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tool that hangs, fails, prints garbage or is missing: a sentence, exit 3, and nothing is added. What is not known stays so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
forget

job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles')
in_use $one 1
fine sample $one --interval=10
before=$(cat "$TESSERA_LAB/state/$one"/used.*)

# wrong SENTENCE [CONF]: exit 3, the sentence, nothing added.
wrong() {
	local code=0
	said=$(run tessera sample --node=$one --conf="${2:-$conf}" --interval=10 2>&1) || code=$?
	is "$1: exit code" 3 "$code"
	like "$1: sentence" "$1" "$said"
	is "$1: lines" 1 "$(wc -l <<<"$said")"
	is "$1: nothing is added" "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
}
# broken_by FAULT SENTENCE
broken_by() {
	echo "$1" >"$TESSERA_LAB/use/fault"
	wrong "$2"
	rm -f "$TESSERA_LAB/use/fault"
}
broken_by fail 'env failed with 1: sntilestat: SND is not running$'
broken_by garbage 'sntilestat printed was not understood: .* no head with TILE and PID'
broken_by cut 'not understood: line 2: a tile has fewer columns'
broken_by empty 'not understood: .* there was no tile'
other=$conf.other
trap 'rm -f "$other"' EXIT
{ grep -v Sntilestat "$conf" && echo 'SampleWait = 1' && echo 'SntilestatCommand = "/bin/sleep 600"'; } >"$other"
wrong '/bin/sleep did not end in time, and was killed after 1 seconds' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = "/nowhere/sntilestat"'; } >"$other"
wrong '/nowhere/sntilestat: No such file' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = ""'; } >"$other"
wrong 'names no tool to look with \(SntilestatCommand\)' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = "/usr/bin/seq 1000000"'; } >"$other"
wrong '/usr/bin/seq printed more than 1 MiB' "$other"

# The same for the other tool, which is only asked while somebody has IPUs.
node=gc-poplar-02
{ grep -v GcMonitor "$conf" && echo 'GcMonitorCommand = "/bin/echo garbage"'; } >"$other"
fine run tessera sample --node=$node --conf="$other"
ipus=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=2 --wrap 'sleep 600')
reaches "$ipus" RUNNING
refused run tessera sample --node=$node --conf="$other"
like 'garbage' 'gc-monitor printed is no JSON' "$said"
is 'nothing is written' '' "$(noted $node)"

# Two at once: the second one is told to come again.
echo hang >"$TESSERA_LAB/use/fault"
sample $one --interval=10 &
await 'the first one has the lock, and asks the tool' test -e "$TESSERA_LAB/use/hangs"
refused sample $one --interval=10
like 'the second one is told' 'sample.lock is held by another process' "$said"
is 'and adds nothing' "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
rm -f "$TESSERA_LAB/use/fault"
fine wait $!
is 'the first one was not disturbed' 160 "$(used $one "$job" tiles)"
before=$(cat "$TESSERA_LAB/state/$one"/used.*)

# An ordinary user may not; and the job goes on.
code=0
ann tessera sample --node=$one --conf="$conf" >/dev/null 2>&1 || code=$?
is 'an ordinary user' 4 "$code"
is 'nothing is added' "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
ends "$job" "$ipus"
forget
