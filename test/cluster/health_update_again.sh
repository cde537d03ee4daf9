#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tessera health --update right after another one waits until the node has registered, so that its
# counts take effect. When slurmctld does not apply the counts or a resume, or the node does not
# register, the command says so and fails. tessera doctor names a node whose counts differ from its
# health.
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
# fails PATTERN CMD...: CMD exits with 3 and such a message.
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
is 'all tiles are counted at first' "$full" "$(counts)"
is 'doctor has no finding' '' "$(finding)"

# Two updates in a row.
fine run tessera mark --node=$node 0.5 bad hung
like 'doctor names the node' "^slurmctld counts rdu:8,rdu_tile:64, but .* rdu:7,rdu_tile:63 \(0.5 bad\) .*tessera health --update on $node" "$(finding)"
is 'the first update lowers the counts' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (0.5 bad)" "$(fine update 2>&1)"
fine run tessera mark --node=$node 0.5 good
is 'the second update raises them' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$(fine update 2>&1)"
is 'slurmctld has the full counts' "$full" "$(counts)"
await 'the node is idle' is_idle
is 'doctor has no finding now' '' "$(finding)"

# Jobs are in the way: the update waits, which is not a failure.
fine run tessera mark --node=$node 7.5 bad
fine update >/dev/null
is 'the counts are lowered' "$less" "$(counts)"
await 'the node is idle' is_idle
job=$(ann sbatch --parsable -w $node -o /dev/null --gres=rdu:1 --wrap 'sleep 1000')
reaches "$job" RUNNING
fine run tessera mark --node=$node 7.5 good
like 'raising the counts waits for the job' 'must wait until no job' "$(fine update 2>&1)"
like 'doctor says when to update' 'tessera health --update on sn30-r1-h1, once no job there holds rdu or rdu_tile' "$(finding)"
fine run scancel "$job"
await 'the job has left the queue' no_jobs
await 'the tiles are free' no_rows
is 'the counts are still lowered' "$less" "$(counts)"
await 'the node is idle' is_idle

# slurmctld accepts the counts but does not apply them: the update reports that, and leaves no
# drain.
mkdir "$work"
fine cc -shared -fPIC -o "$work/dropped.so" "$top/test/cluster/update_dropped.c" -ldl
fails "^tessera: node $node: counts not updated \(rdu 7 -> 8, rdu_tile 63 -> 64\): slurmctld accepted them and still has the old ones" \
	run env DROPPED=gres LD_PRELOAD="$work/dropped.so" tessera health --update --cached --node=$node
unlike 'the update reports no success' "^$node: " "$said"
unlike 'the node is not drained' DRAIN "$(shows State)"
is 'the counts are unchanged' "$less" "$(counts)"
await 'the node is idle' is_idle

# slurmctld accepts the resume but leaves the node drained: the update must not report "resumed".
# The next run resumes the node.
fine run tessera mark --node=$node 7.5 bad
fine run scontrol update nodename=$node state=drain reason='tessera: updating counts'
fails "^tessera: node $node: not resumed: slurmctld accepted the resume and the node is still drained \(tessera: updating counts\)" \
	run env DROPPED=resume LD_PRELOAD="$work/dropped.so" tessera health --update --cached --node=$node
unlike 'the update reports no success' "^$node: " "$said"
is 'the node is drained' 'IDLE+DRAIN' "$(shows State)"
is 'the next run resumes it' "$node: resumed" "$(fine update 2>&1)"
await 'the node is idle' is_idle
fine run tessera mark --node=$node 7.5 good

# slurmd hangs when slurmctld requests the registration.
kill -STOP "$slurmd"
fine run scontrol update nodename=$node state=drain reason='new fan'
fine run scontrol update nodename=$node state=resume
code=0
said=$(update 2>&1) || code=$?
kill -CONT "$slurmd"
if [ "$code" = 0 ] && slurm_since 23.11; then
	# From 23.11 on a message that slurmctld records late may have opened the node before.
	is 'the update raises the counts of an open node' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$said"
else
	is 'the exit code' 3 "$code"
	like 'the message' "^tessera: node $node: counts not updated \(rdu 7 -> 8, rdu_tile 63 -> 64\): the node did not register with slurmctld within 30 s" "$said"
	is 'the next update raises the counts' "$node: rdu 7 -> 8, rdu_tile 63 -> 64" "$(fine update 2>&1)"
fi
is 'all tiles are counted at the end' "$full" "$(counts)"

# A node that is down.
await 'the node is idle' is_idle
fine run tessera mark --node=$node 1.1 bad
fine run scontrol update nodename=$node state=down reason='no power'
fails "^tessera: node $node: counts not updated \(rdu 8 -> 7, rdu_tile 64 -> 63\): the node is down or not responding" update
