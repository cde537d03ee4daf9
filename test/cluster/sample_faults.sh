#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tool that hangs, fails, prints garbage or is missing gives a message and exit code 3, and
# nothing is added. Unknown values stay unknown.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

job=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles')
in_use $one 1
fine sample $one --interval=10
before=$(cat "$TESSERA_LAB/state/$one"/used.*)

# wrong MESSAGE [CONF]: exit code 3, the message, and nothing added.
wrong() {
	local code=0
	said=$(run tessera sample --node=$one --conf="${2:-$conf}" --interval=10 2>&1) || code=$?
	is "$1: the exit code" 3 "$code"
	like "$1: the message" "$1" "$said"
	is "$1: one line is printed" 1 "$(wc -l <<<"$said")"
	is "$1: nothing is added" "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
}
# broken_by FAULT MESSAGE
broken_by() {
	echo "$1" >"$TESSERA_LAB/use/fault"
	wrong "$2"
	rm -f "$TESSERA_LAB/use/fault"
}
broken_by fail 'env failed with 1: sntilestat: SND is not running$'
broken_by garbage 'cannot parse the output of sntilestat: .* no header line with TILE and PID'
broken_by cut 'cannot parse .*: line 2: a row has fewer columns'
broken_by empty 'cannot parse .* no tile was found'
other=$conf.other
trap 'rm -f "$other"' EXIT
{ grep -v Sntilestat "$conf" && echo 'SampleWait = 1' && echo 'SntilestatCommand = "/bin/sleep 600"'; } >"$other"
wrong '/bin/sleep timed out and was killed after 1 seconds' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = "/nowhere/sntilestat"'; } >"$other"
wrong '/nowhere/sntilestat: No such file' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = ""'; } >"$other"
wrong 'SntilestatCommand is not set in tessera.conf' "$other"
{ grep -v Sntilestat "$conf" && echo 'SntilestatCommand = "/usr/bin/seq 1000000"'; } >"$other"
wrong '/usr/bin/seq printed more than 1 MiB' "$other"

# The same for the other tool, which is queried only while a job has IPUs.
node=gc-poplar-02
{ grep -v GcMonitor "$conf" && echo 'GcMonitorCommand = "/bin/echo garbage"'; } >"$other"
fine run tessera sample --node=$node --conf="$other"
ipus=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=2 --wrap 'sleep 600')
reaches "$ipus" RUNNING
refused run tessera sample --node=$node --conf="$other"
like 'garbage is reported' 'the output of gc-monitor is not JSON' "$said"
is 'no sample record is written' '' "$(sampled_jobs $node)"

# Of two runs at once the second refuses to start.
echo hang >"$TESSERA_LAB/use/fault"
sample $one --interval=10 &
await 'the first run has the lock and queries the tool' test -e "$TESSERA_LAB/use/hangs"
refused sample $one --interval=10
like 'the second run reports the lock' 'sample.lock is held by another process' "$said"
is 'the second run adds nothing' "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
rm -f "$TESSERA_LAB/use/fault"
fine wait $!
is 'the first run is not affected' 160 "$(sample_value $one "$job" tiles)"
before=$(cat "$TESSERA_LAB/state/$one"/used.*)

# A user may not sample; the job keeps running.
code=0
ann tessera sample --node=$one --conf="$conf" >/dev/null 2>&1 || code=$?
is 'the exit code for a user is 4' 4 "$code"
is 'nothing is added' "$before" "$(cat "$TESSERA_LAB/state/$one"/used.*)"
ends "$job" "$ipus"
clear_samples
