#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tessera health --update keeps slurmctld's counts equal to the good tiles. A bad tile is no longer
# counted once no job is in the way, and is counted again when it is good. While jobs are in the way
# the node is drained with the tile in its reason, and is resumed when they have ended. Withheld
# tiles are not counted either, but do not drain the node. A drain by the administrator stays. Jobs
# keep running through all of it.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1 other=sn30-r1-h2 idle=sm-01
state=$TESSERA_LAB/state

mark() { run tessera mark --node="$1" "${@:2}"; }
# update NODE OPTION...: print the output, the messages, and the exit code if it is not 0.
update() {
	local code=0 said
	said=$(run tessera health --update --cached --node="$1" "${@:2}" 2>&1) || code=$?
	[ "$code" = 0 ] || said+=" [$code]"
	echo "$said"
}
shows() { run scontrol show node "$1" | sed -n "s/^ *\(.* \)\{0,1\}$2=\([^ ]*\).*/\2/p"; }
counts() { shows "$1" Gres | sed 's/,rdu_mem.*//'; }
reason() { run sinfo -hN -n "$1" -o %E; }
# ready NODE [PATTERN]: the node has registered and is in such a state.
is_ready() { [[ $(shows "$1" State) =~ ^(${2:-IDLE|MIXED})$ ]]; }
ready() { await "$1 is ${2:-open}" is_ready "$@"; }
running() { ann sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'sleep 1000'; }
has_row() { rows "$node" | grep -q "^job $1 .* held"; }
has_started() { reaches "$1" RUNNING && await "job $1 has its tiles" has_row "$1"; }
unused() { ! run scontrol -d show node "$node" | grep -q 'GresUsed=.*rdu_tile:[1-9]'; }
ends() { fine run scancel "$1" && await "job $1 has left the node" unused && await "job $1 has released its tiles" no_rows; }
# leaves: a job that leaves a process behind, so that its tiles are withheld. kill_leftovers ends
# the process.
leaves() { bob sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'use-tiles --leave'; }
is_withheld() { rows "$node" | grep -q "^job $1 .* withheld "; }
await_withheld() { await "the tiles of job $1 are withheld" is_withheld "$1" && await "job $1 has left the node" unused_but "${2:-0}"; }
unused_but() { [ "$(run squeue -h -w "$node" | wc -l)" = "$1" ]; }
kill_leftovers() {
	local pid
	for pid in $(device_users "$node"); do kill -KILL "$pid" 2>/dev/null; done
	await 'the leftover processes have ended' no_device_users
}
pending_for() { [ "$(run squeue -hj "$1" -o %r)" = "$2" ]; }

slurmd=
put_back() {
	local name
	[ -z "$slurmd" ] || kill -CONT "$slurmd" 2>/dev/null
	kill_leftovers
	rm -f "$TESSERA_LAB"/marks/*/marks "$TESSERA_LAB"/sick/* "$TESSERA_LAB"/state/*/health "$TESSERA_LAB"/etc/{deaf,few}.conf
	for name in "$node" "$other" "$idle"; do
		run scontrol update nodename="$name" state=resume 2>/dev/null
		ready "$name" && run tessera health --update --cached --node="$name" >/dev/null && ready "$name"
	done
}
trap put_back EXIT

full='rdu:8,rdu_tile:64' less='rdu:7,rdu_tile:63'
is 'all tiles are counted at first' "$full" "$(counts $node)"
is 'a healthy node needs no update' '' "$(update $node)"

# Only root may update slurmctld's counts.
fine mark $node 3.5 bad 'hung since Tuesday'
code=0
said=$(ann tessera health --cached --update --node=$node 2>&1) || code=$?
is 'a user may not update' 4 "$code"
like 'the message says that only root may update' 'must be root to update the counts in slurmctld; tessera doctor shows whether they differ' "$said"
is 'nothing was changed' "$full IDLE" "$(counts $node) $(shows $node State)"

# Counts never exceed slurm.conf, since slurmd registers with these.
few=$TESSERA_LAB/etc/few.conf
sed "/^NodeName=$node /s/rdu:8,rdu_tile:64/rdu:sn30:6/" "$TESSERA_LAB/etc/slurm.conf" >"$few"
is 'the count is lowered to that of slurm.conf' "$node: rdu 8 -> 6 (3.5 bad)" \
	"$(run env SLURM_CONF="$few" tessera health --update --cached --node=$node)"
ready $node IDLE
is 'slurmctld has the lowered count' 'rdu:6,rdu_tile:64' "$(counts $node)"
fine mark $node 3.5 good
is 'the count is raised with the full slurm.conf' "$node: rdu 6 -> 8" "$(update $node)"
ready $node IDLE
fine mark $node 3.5 bad 'hung since Tuesday'

# Fewer tiles on an idle node.
is 'the bad tile is removed from the counts' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update $node)"
is 'the node was drained for the update' 'tessera: updating counts' \
	"$("$lab" logs slurmctld | sed -n "s/.*update_node: node $node reason set to: tessera/tessera/p" | tail -n 1)"
ready $node IDLE
is 'slurmctld has the lowered counts' "$less" "$(counts $node)"
is 'other GRES are unchanged' 1M "$(shows $node Gres | sed 's/.*rdu_mem://')"
is 'a second update changes nothing' '' "$(update $node)"
is 'a job gets all good RDUs' 0xffffffff00ffffff "$(ann srun -w $node --gres=rdu:7 printenv SF_RNT_TILE_AFFINITY)"
is 'a job that needs more runs on another node' $other "$(ann srun --gres=rdu:8 printenv SLURMD_NODENAME)"
refused ann srun -w $node --gres=rdu:8 true
like 'Slurm refuses the job on this node' 'Requested node configuration is not available' "$said"
unlike 'doctor finds nothing wrong with the counts' '^(counts|node_gres) ' "$(run tessera doctor --raw -o check 2>/dev/null)"

# A restart of slurmd changes nothing, not even while a job runs.
first=$(running --gres=rdu:2)
has_started "$first"
fine "$lab" restart $node
ready $node MIXED
is 'the counts stay after a restart of slurmd' "$less" "$(counts $node)"

# scontrol reconfigure restores the counts of slurm.conf; slurmctld 22.05 then even refuses the
# node.
fine run scontrol reconfigure
await 'the counts of slurm.conf are restored' eval '[ "$(counts $node)" = "$full" ]'
await 'slurmd has registered' eval '[[ ! $(shows $node State) =~ NOT_RESP|UNKNOWN ]]'
if [[ $(shows $node State) =~ INVAL ]]; then
	like 'doctor advises an update' "^node_gres tessera health --update on $node" \
		"$(run tessera doctor --raw -o check,run 2>/dev/null | sed 's/\\x20/ /g')"
fi
unlike 'the update succeeds' '\[' "$(update $node)"
unlike 'slurmctld accepts the node' 'INVAL' "$(shows $node State)"
is_state "$first" RUNNING || fail 'the job did not keep running'
ends "$first"
update $node >/dev/null
ready $node IDLE
is 'the counts are lowered again' "$less" "$(counts $node)"

# The same after a restart of slurmctld. Jobs are in the way, so the node is drained until they have
# ended.
first=$(running --gres=rdu_tile:4)
has_started "$first"
fine "$lab" restart ctld
await 'the counts of slurm.conf are restored' eval '[ "$(counts $node)" = "$full" ]'
ready $node MIXED
is 'the node is drained while a job is in the way' "$node: drained (3.5 bad)" "$(update $node)"
ends "$first"
is 'the counts are lowered after the job' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)
$node: resumed" "$(update $node)"
ready $node IDLE

# slurmctld holds a job that no node can run, and the update releases it when one can. The
# administrator's drain stays.
fine run scontrol update nodename=$other state=drain reason='new fan'
eight=$(ann sbatch --parsable -o /dev/null --gres=rdu:8 --wrap true)
fine mark $other 0.0 bad
is 'a drained node is updated' "$other: rdu 8 -> 7, rdu_tile 64 -> 63 (0.0 bad)" "$(update $other)"
is 'the drain of the administrator stays' "new fan IDLE+DRAIN" "$(reason $other) $(shows $other State)"
await 'no node has 8 RDUs' pending_for "$eight" BadConstraints
fine mark $node 3.5 good
is 'the counts are raised and the job is released' "$node: rdu 7 -> 8, rdu_tile 63 -> 64
job $eight: waits again" "$(update $node)"
await 'the job has run' eval '[ -z "$(run squeue -hj $eight)" ]'
is 'slurmctld has the raised counts' "$full" "$(counts $node)"
fine mark $other 0.0 good
is 'a drained node is updated again' "$other: rdu 7 -> 8, rdu_tile 63 -> 64" "$(update $other)"
is 'the drain of the administrator still stays' "new fan IDLE+DRAIN" "$(reason $other) $(shows $other State)"
fine run scontrol update nodename=$other state=resume
ready $other IDLE

# A running job has the bad tile.
ready $node IDLE
first=$(running --gres=rdu:2)
has_started "$first"
fine mark $node 0.5 bad
is 'the node is drained' "$node: drained (0.5 bad)" "$(update $node)"
is 'the reason names the tile' 'tessera: 0.5 bad' "$(reason $node)"
is 'the counts stay while the job runs' "$full MIXED+DRAIN" "$(counts $node) $(shows $node State)"
is 'a second update changes nothing' '' "$(update $node)"
fine mark $node 5.0 bad
is 'the reason is updated for a second bad tile' "$node: drained (0.5,5.0 bad)" "$(update $node)"
is 'the reason names both tiles' 'tessera: 0.5,5.0 bad' "$(reason $node)"
second=$(running --gres=rdu:1)
fine "$lab" restart ctld
await 'slurmd has registered' is_ready $node 'MIXED\+DRAIN'
is 'the drain stays after a restart of slurmctld' '' "$(update $node)"
is_state "$first" RUNNING || fail 'the job did not keep running'
is_state "$second" PENDING || fail 'a job started on a drained node'
ends "$first"
is 'the counts are lowered after the job' "$node: rdu 8 -> 6, rdu_tile 64 -> 62 (0.5,5.0 bad)
$node: resumed" "$(update $node)"
has_started "$second"
is 'the next job runs on the resumed node' 'rdu:6,rdu_tile:62 none' "$(counts $node) $(reason $node)"

# Raising the counts waits for running jobs, and drains nothing.
fine mark $node 5.0 good
like 'raising the counts waits for the job' "^tessera: node $node: rdu 6 -> 7, rdu_tile 62 -> 63 must wait until no job has" "$(update $node)"
is 'the node is not drained' MIXED "$(shows $node State)"
# Under a drain of the administrator nothing is done while a job runs.
fine mark $node 6.0,7.0 bad
fine run scontrol update nodename=$node state=drain reason='new fan'
like 'the update waits under a drain of the administrator' "^tessera: node $node: rdu 6 -> 5, rdu_tile 62 -> 61 must wait" "$(update $node)"
is 'the reason of the administrator stays' 'new fan' "$(reason $node)"
ends "$second"
is 'the counts are lowered after the job' "$node: rdu 6 -> 5, rdu_tile 62 -> 61 (0.5,6.0,7.0 bad)" "$(update $node)"
is 'the drain of the administrator stays' 'new fan IDLE+DRAIN' "$(reason $node) $(shows $node State)"
fine run scontrol update nodename=$node state=resume
ready $node IDLE

# No tile is good: jobs must wait for the node instead of being refused. Without slurmctld nothing
# changes.
fine mark $node rdu0-7 bad
sed 's/^SlurmctldPort=.*/SlurmctldPort=9/; s/^MessageTimeout=.*/MessageTimeout=2/' "$TESSERA_LAB/etc/slurm.conf" >"$TESSERA_LAB/etc/deaf.conf"
code=0
said=$(run env SLURM_CONF="$TESSERA_LAB/etc/deaf.conf" tessera health --update --cached --node=$node 2>&1) || code=$?
is 'the exit code is 3 without slurmctld' 3 "$code"
like 'the message names slurmctld' "^tessera: slurmctld did not describe node $node: " "$said"
code=0
said=$(flock "$state/$node/counts.lock" "$lab" run tessera health --update --cached --node=$node 2>&1) || code=$?
is 'the exit code is 3 while another update runs' 3 "$code"
like 'the message names the lock' "^tessera: $state/$node/counts.lock is held by another process" "$said"
is 'the node is drained when no tile is good' "$node: drained (rdu0-7 bad)" "$(update $node)"
is 'the counts are not lowered to zero' 'rdu:5,rdu_tile:61' "$(counts $node)"
fine mark $node rdu0-7 good
is 'the counts are raised and the node is resumed' "$node: rdu 5 -> 8, rdu_tile 61 -> 64
$node: resumed" "$(update $node)"
ready $node IDLE
is 'all tiles are counted at the end' "$full none" "$(counts $node) $(reason $node)"

# A drain that an interrupted update left behind is removed.
fine run scontrol update nodename=$node state=drain reason='tessera: updating counts'
is 'the node is resumed' "$node: resumed" "$(update $node)"
ready $node IDLE

# Withheld tiles are not counted, and are counted again after their process has ended, without a
# prolog.
job=$(leaves --gres=rdu:2)
await_withheld "$job"
is 'withheld tiles are removed from the counts' "$node: rdu 8 -> 6, rdu_tile 64 -> 48 (rdu0,rdu1 withheld)" "$(update $node)"
ready $node IDLE
kill_leftovers
said=$(update $node)
like 'the tiles are released after the process ended' "job $job: no process uses the device any more; released rdu0,rdu1" "$said"
like 'the released tiles are counted again' "^$node: rdu 6 -> 8, rdu_tile 48 -> 64\$" "$said"
ready $node IDLE
no_rows || fail "there are rows: $(rows $node)"
fine mark $node 3.5 bad
is 'the bad tile is removed from the counts' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update $node)"
ready $node IDLE
# Withheld tiles drain no node and do not extend a drain: their counts wait for running jobs.
job=$(leaves --gres=rdu:1)
await_withheld "$job"
first=$(running --gres=rdu:1)
has_started "$first"
like 'the counts wait for the job' "^tessera: node $node: rdu 7 -> 6, rdu_tile 63 -> 55 must wait" "$(update $node)"
is 'the node is not drained' "$less MIXED" "$(counts $node) $(shows $node State)"
fine mark $node 5.0 bad
is 'a bad tile drains the node' "$node: drained (3.5,5.0 bad)" "$(update $node)"
is 'the reason names bad tiles only' 'tessera: 3.5,5.0 bad' "$(reason $node)"
kill_leftovers
unlike 'the drain does not change when the process ends' "^$node: |must wait" "$(update $node)"

# The counts of slurm.conf come back under our drain: the reason stays ours, even if slurmctld
# refuses the node.
fine run scontrol reconfigure
await 'the counts of slurm.conf are restored' eval '[ "$(counts $node)" = "$full" ]'
await 'slurmd has registered' eval '[[ ! $(shows $node State) =~ NOT_RESP|UNKNOWN ]]'
is 'our reason stays' 'tessera: 3.5,5.0 bad' "$(reason $node)"
if [[ $(shows $node State) =~ INVAL ]]; then
	# Under the administrator's reason nothing is done, even if there may be nothing to update,
	# but a message says so.
	fine run scontrol update nodename=$node state=drain reason='new fan'
	fine mark $node 3.5,5.0 good
	like 'the message says that slurmctld refuses the node' "^tessera: node $node: counts not updated.*: slurmctld refuses its registration" "$(update $node)"
	fine mark $node 3.5,5.0 bad
	fine run scontrol update nodename=$node state=drain reason='tessera: 3.5,5.0 bad'
fi
said=$(update $node)
if [[ $(shows $node State) =~ INVAL ]]; then
	like 'the message says that the next run tries again' "^tessera: slurmctld refuses the registration of node $node .*: the next run tries again" "$said"
fi
is_state "$first" RUNNING || fail 'the job did not keep running'
ends "$first"
like 'our drain ends after the job' "^$node: resumed\$" "$(update $node)"
ready $node IDLE
is 'the counts are lowered' 'rdu:6,rdu_tile:62' "$(counts $node)"
fine mark $node 3.5,5.0 good
is 'the counts are raised again' "$node: rdu 6 -> 8, rdu_tile 62 -> 64" "$(update $node)"
ready $node IDLE

# Nodes that cannot be updated are not changed. A registration would return this one to service, so
# its slurmd is stopped; no update has made it register before.
fine mark $idle 1.1 bad
read -r slurmd _ <"$TESSERA_LAB/pids/$idle"
fine kill -STOP "$slurmd"
fine run scontrol update nodename=$idle state=down reason='no power'
like 'the message says that the node is down' "^tessera: node $idle: counts not updated \(rdu 8 -> 7, .*\): the node is down or not responding" "$(update $idle)"
is 'the reason of the administrator stays' 'no power' "$(reason $idle)"
fine kill -CONT "$slurmd"

# IPUs belong to a fabric, so a host cannot tell how many are left.
echo '10.1.5.10 2' >"$TESSERA_LAB/sick/gc-poplar-02"
code=0
said=$(run tessera health --update --node=gc-poplar-02 2>&1) || code=$?
is 'the exit code is 0 for a host of IPUs' 0 "$code"
like 'the message says that slurmctld is not updated' '^tessera: gcipuinfo reports 1 bad IPUs; --update cannot exclude IPUs' "$said"
