#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tessera health --update right behind another waits until the node has registered, so that its counts follow. When slurmctld
# does not take the counts, or the node does not register, the command says so and fails. tessera doctor names a node whose
# counts differ from its health.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1
work=$TESSERA_LAB/update_again
slurmd=$(cat "$TESSERA_LAB/run/slurmd-$node.pid")

health() { run tessera health --cached --node=$node "$@"; }
update() { health --update; }
shows() { run scontrol show node $node | sed -n "s/^ *\(.* \)\{0,1\}$1=\([^ ]*\).*/\2/p"; }
counts() { shows Gres | sed 's/,rdu_mem.*//'; }
is_idle() { [ "$(shows State)" = IDLE ]; }
finding() { run tessera doctor --node=$node --raw -o check,text,run 2>/dev/null | sed -n 's/\\x20/ /g; s/^health_counts //p'; }
# fails PATTERN CMD...: with exit code 3 and such a message.
fails() {
	local pattern=$1 code=0
	shift
	said=$("$@" 2>&1) || code=$?
	is 'the exit code' 3 "$code"
	like 'the message' "$pattern" "$said"
}

put_back() {
	kill -CONT "$slurmd"
	rm -rf "$work" "$TESSERA_LAB/marks/$node/marks" "$TESSERA_LAB/state/$node/health"
	run scontrol update nodename=$node state=resume 2>/dev/null
	await 'the node is idle' is_idle
	update >/dev/null
	await 'the node is idle' is_idle
}
trap put_back EXIT

full='rdu:8,rdu_tile:64' less='rdu:7,rdu_tile:63'
fine run tessera health --node=$node >/dev/null
is 'to begin with' "$full" "$(counts)"
is 'doctor has no finding' '' "$(finding)"

# One behind the other.
fine run tessera mark --node=$node 0.5 bad hung
like 'doctor names the node' "^slurmctld counts rdu:8,rdu_tile:64, but .* rdu:7,rdu_tile:63 \(0.5 bad\) .*tessera health --update on $node" "$(finding)"
is 'fewer' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (0.5 bad)" "$(fine update 2>&1)"
fine run tessera mark --node=$node 0.5 good
is 'more, right behind' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$(fine update 2>&1)"
is 'and counted' "$full" "$(counts)"
is 'a dry run waits too' '' "$(fine health --update --dry-run 2>&1)"
await 'the node is idle' is_idle
is 'doctor has no finding now' '' "$(finding)"

# Jobs are in the way: that is a matter of time, and no failure.
job=$(ann sbatch --parsable -w $node -o /dev/null --gres=rdu:1 --wrap 'sleep 1000')
reaches "$job" RUNNING
fine run tessera mark --node=$node 7.5 bad
like 'a job waits for nobody' 'must wait until no job' "$(fine health --update --no-drain 2>&1)"
like 'doctor says so' 'tessera health --update on sn30-r1-h1, when no job there has rdu or rdu_tile' "$(finding)"
fine run scancel "$job"
await 'the job is gone' no_jobs
await 'its tiles are free' no_rows
fine update >/dev/null
is 'lowered' "$less" "$(counts)"
await 'the node is idle' is_idle
fine run tessera mark --node=$node 7.5 good

# slurmctld accepts the counts, and does not take them: never a line that says so, and no drain that lasts.
mkdir "$work"
fine cc -shared -fPIC -o "$work/dropped.so" "$top/test/cluster/update_dropped.c" -ldl
fails "^tessera: node $node: counts not updated \(rdu 7 -> 8, rdu_tile 63 -> 64\): slurmctld accepted them and still has the old ones" \
	run env LD_PRELOAD="$work/dropped.so" tessera health --update --cached --node=$node
unlike 'nothing else is claimed' "^$node: " "$said"
unlike 'it is not drained' DRAIN "$(shows State)"
is 'the counts' "$less" "$(counts)"
await 'the node is idle' is_idle

# slurmd hangs when slurmctld asks for the registration.
kill -STOP "$slurmd"
fine run scontrol update nodename=$node state=drain reason='new fan'
fine run scontrol update nodename=$node state=resume
fails "^tessera: node $node: counts not updated \(rdu 7 -> 8, rdu_tile 63 -> 64\): the node did not register with slurmctld within 30 s" update
kill -CONT "$slurmd"
is 'the next run' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$(fine update 2>&1)"
is 'at the end' "$full" "$(counts)"

# A node that is down.
await 'the node is idle' is_idle
fine run tessera mark --node=$node 1.1 bad
fine run scontrol update nodename=$node state=down reason='no power'
fails "^tessera: node $node: counts not updated \(rdu 8 -> 7, rdu_tile 64 -> 63\): the node is down or not responding" update
