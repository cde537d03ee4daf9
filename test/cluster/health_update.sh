#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tessera health --update: slurmctld counts what is good. A bad tile that nobody is in the way of is counted no more, and
# counted again when it is good; while jobs are in the way the node is drained, with the tile's name, and comes back when
# they have ended. What a process that was left behind holds is counted no more either, and drains
# nothing. Whoever drained a node for something else finds it as it was. Jobs run on through all of it.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1 other=sn30-r1-h2
state=$TESSERA_LAB/state

mark() { run tessera mark --node="$1" "${@:2}"; }
# update NODE OPTION...: its output, then what it said otherwise, then its exit code if that is not 0.
update() {
	local code=0 said
	said=$(run tessera health --update --cached --node="$1" "${@:2}" 2>&1) || code=$?
	[ "$code" = 0 ] || said+=" [$code]"
	echo "$said"
}
shows() { run scontrol show node "$1" | sed -n "s/^ *\(.* \)\{0,1\}$2=\([^ ]*\).*/\2/p"; }
counts() { shows "$1" Gres | sed 's/,rdu_mem.*//'; }
reason() { run sinfo -hN -n "$1" -o %E; }
# ready NODE [PATTERN]: it has registered, and is in such a state.
is_ready() { [[ $(shows "$1" State) =~ ^(${2:-IDLE|MIXED})$ ]]; }
ready() { await "$1 is ${2:-open}" is_ready "$@"; }
running() { ann sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'sleep 1000'; }
has_row() { rows "$node" | grep -q "^job $1 .* held"; }
has_started() { reaches "$1" RUNNING && await "job $1 has its tiles" has_row "$1"; }
unused() { ! run scontrol -d show node "$node" | grep -q 'GresUsed=.*rdu_tile:[1-9]'; }
ends() { fine run scancel "$1" && await "job $1 is gone" unused && await "job $1 has given back" no_rows; }
# What was left behind by a job, whose tiles are kept back; and its end.
leaves() { bob sbatch --parsable -w "$node" -o /dev/null "$@" --wrap 'use-tiles --leave'; }
is_kept() { rows "$node" | grep -q "^job $1 .* stale "; }
has_left() { await "the tiles of job $1 are kept back" is_kept "$1" && await "job $1 is gone" unused_but "${2:-0}"; }
unused_but() { [ "$(run squeue -h -w "$node" | wc -l)" = "$1" ]; }
end_left() {
	local pid
	for pid in $(device_holders "$node"); do kill -KILL "$pid" 2>/dev/null; done
	await 'what was left has ended' no_device_holders
}
pending_for() { [ "$(run squeue -hj "$1" -o %r)" = "$2" ]; }

put_back() {
	local name
	end_left
	rm -f "$TESSERA_LAB"/marks/*/marks "$TESSERA_LAB"/sick/* "$TESSERA_LAB"/state/*/health "$TESSERA_LAB"/etc/{deaf,few}.conf
	for name in "$node" "$other"; do
		run scontrol update nodename="$name" state=resume 2>/dev/null
		ready "$name" && run tessera health --update --cached --node="$name" >/dev/null && ready "$name"
	done
}
trap put_back EXIT

full='rdu:8,rdu_tile:64' less='rdu:7,rdu_tile:63'
is 'to begin with' "$full" "$(counts $node)"
is 'nothing to tell' '' "$(update $node)"

# Told beforehand, to anybody; only root tells slurmctld.
fine mark $node 3.5 bad 'hung since Tuesday'
is 'what would be told' "$node: would become rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update $node --dry-run)"
is 'a user may ask' "$node: would become rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" \
	"$(ann tessera health --cached --update --dry-run --node=$node)"
is 'nothing is done' "$full IDLE" "$(counts $node) $(shows $node State)"
code=0
said=$(ann tessera health --cached --update --node=$node 2>&1) || code=$?
is 'a user may not tell' 4 "$code"
like 'and hears why' 'only root may tell slurmctld; --dry-run says' "$said"

# Never more than slurm.conf has: slurmd registers with that.
few=$TESSERA_LAB/etc/few.conf
sed "/^NodeName=$node /s/rdu:8,rdu_tile:64/rdu:sn30:6/" "$TESSERA_LAB/etc/slurm.conf" >"$few"
is 'what slurm.conf has' "$node: would become rdu 8 -> 6 (3.5 bad)" \
	"$(run env SLURM_CONF="$few" tessera health --update --dry-run --cached --node=$node)"

# Fewer, while nobody is there.
is 'told' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update $node)"
is 'in a moment, for which it was drained' 'tessera: counts change' \
	"$("$lab" logs slurmctld | sed -n "s/.*update_node: node $node reason set to: //p" | tail -n 1)"
ready $node IDLE
is 'and counted' "$less" "$(counts $node)"
is 'the rest is as it was' 1M "$(shows $node Gres | sed 's/.*rdu_mem://')"
is 'told once' '' "$(update $node)"
is 'as many as are good' 0xffffffff00ffffff "$(ann srun -w $node --gres=rdu:7 printenv SF_RNT_TILE_AFFINITY)"
is 'more go elsewhere' $other "$(ann srun --gres=rdu:8 printenv SLURMD_NODENAME)"
refused ann srun -w $node --gres=rdu:8 true
like 'or are refused by Slurm' 'Requested node configuration is not available' "$said"
unlike 'and doctor has nothing against it' '^(counts|node_gres) ' "$(run tessera doctor --raw -o check 2>/dev/null)"

# slurmd comes back with all that it has, and changes nothing, not with a job either.
first=$(running --gres=rdu:2)
has_started "$first"
fine "$lab" restart $node
ready $node MIXED
is 'slurmd was restarted' "$less" "$(counts $node)"

# slurm.conf's counts are back after scontrol reconfigure; in 22.05 slurmctld even takes the node out for that.
fine run scontrol reconfigure
await 'slurm.conf is back' eval '[ "$(counts $node)" = "$full" ]'
await 'slurmd is back' eval '[[ ! $(shows $node State) =~ NOT_RESP|UNKNOWN ]]'
if [[ $(shows $node State) =~ INVAL ]]; then
	like 'doctor knows what helps' "^node_gres tessera health --update on $node" \
		"$(run tessera doctor --raw -o check,run 2>/dev/null | sed 's/\\x20/ /g')"
fi
unlike 'put right' '\[' "$(update $node)"
unlike 'slurmctld takes it again' 'INVAL' "$(shows $node State)"
is_state "$first" RUNNING || broken 'the job did not run on'
ends "$first"
update $node >/dev/null
ready $node IDLE
is 'lowered again' "$less" "$(counts $node)"

# The same after slurmctld's restart: its jobs are in the way, so the node is drained until they have ended.
first=$(running --gres=rdu_tile:4)
has_started "$first"
fine "$lab" restart ctld
await 'slurm.conf is back' eval '[ "$(counts $node)" = "$full" ]'
ready $node MIXED
is 'drained' "$node: drained (3.5 bad)" "$(update $node)"
ends "$first"
is 'and lowered' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)
$node: resumed" "$(update $node)"
ready $node IDLE

# A job that no node can run any more is held by slurmctld, and let go when one can. A drain of the admin's stays his.
fine run scontrol update nodename=$other state=drain reason='new fan'
eight=$(ann sbatch --parsable -o /dev/null --gres=rdu:8 --wrap true)
fine mark $other 0.0 bad
is 'told under a drain' "$other: rdu 8 -> 7, rdu_tile 64 -> 63 (0.0 bad)" "$(update $other)"
is 'which stays' "new fan IDLE+DRAIN" "$(reason $other) $(shows $other State)"
await 'no node has 8' pending_for "$eight" BadConstraints
fine mark $node 3.5 good
is 'more again' "$node: rdu 7 -> 8, rdu_tile 63 -> 64
job $eight: waits again" "$(update $node)"
await 'the job has run' eval '[ -z "$(run squeue -hj $eight)" ]'
is 'there' "$full" "$(counts $node)"
fine mark $other 0.0 good
is 'restored under a drain' "$other: rdu 7 -> 8, rdu_tile 63 -> 64" "$(update $other)"
is 'which still stays' "new fan IDLE+DRAIN" "$(reason $other) $(shows $other State)"
fine run scontrol update nodename=$other state=resume
ready $other IDLE

# A job has the bad tile.
ready $node IDLE
first=$(running --gres=rdu:2)
has_started "$first"
fine mark $node 0.5 bad
is 'what would be' "$node: would be drained (0.5 bad)" "$(update $node --dry-run)"
is 'what is' "$node: drained (0.5 bad)" "$(update $node)"
is 'with a reason' 'tessera: 0.5 bad' "$(reason $node)"
is 'the counts wait' "$full MIXED+DRAIN" "$(counts $node) $(shows $node State)"
is 'said once' '' "$(update $node)"
fine mark $node 5.0 bad
is 'another' "$node: drained (0.5,5.0 bad)" "$(update $node)"
is 'with its reason' 'tessera: 0.5,5.0 bad' "$(reason $node)"
second=$(running --gres=rdu:1)
fine "$lab" restart ctld
await 'slurmd has registered' is_ready $node 'MIXED\+DRAIN'
is 'slurmctld was restarted' '' "$(update $node)"
is_state "$first" RUNNING || broken 'the job did not run on'
is_state "$second" PENDING || broken 'a job came to a drained node'
ends "$first"
is 'its end' "$node: rdu 8 -> 6, rdu_tile 64 -> 62 (0.5,5.0 bad)
$node: resumed" "$(update $node)"
has_started "$second"
is 'and the next comes' 'rdu:6,rdu_tile:62 none' "$(counts $node) $(reason $node)"

# More again while a job runs: that waits, and nothing is drained for it.
fine mark $node 5.0 good
like 'it waits' "^tessera: node $node: rdu 6 -> 7, rdu_tile 62 -> 63 must wait until no job has" "$(update $node)"
is 'open' MIXED "$(shows $node State)"
# Fewer while a job runs, where the admin would rather not: the same.
fine mark $node 6.0,7.0 bad
like 'it waits, too' "^tessera: node $node: rdu 6 -> 5, rdu_tile 62 -> 61 must wait" "$(update $node --no-drain)"
is 'open still' MIXED "$(shows $node State)"
# The admin's drain while a job runs: nothing at all.
fine run scontrol update nodename=$node state=drain reason='new fan'
like 'the admin' "^tessera: node $node: rdu 6 -> 5, rdu_tile 62 -> 61 must wait" "$(update $node)"
is 'finds it so' 'new fan' "$(reason $node)"
ends "$second"
is 'then it is told' "$node: rdu 6 -> 5, rdu_tile 62 -> 61 (0.5,6.0,7.0 bad)" "$(update $node)"
is 'and left' 'new fan IDLE+DRAIN' "$(reason $node) $(shows $node State)"
fine run scontrol update nodename=$node state=resume
ready $node IDLE

# Nothing is good: jobs shall wait for the node, not be refused. Until slurmctld answers nothing changes.
fine mark $node rdu0-7 bad
sed 's/^SlurmctldPort=.*/SlurmctldPort=9/; s/^MessageTimeout=.*/MessageTimeout=2/' "$TESSERA_LAB/etc/slurm.conf" >"$TESSERA_LAB/etc/deaf.conf"
code=0
said=$(run env SLURM_CONF="$TESSERA_LAB/etc/deaf.conf" tessera health --update --cached --node=$node 2>&1) || code=$?
is 'slurmctld is not there' 3 "$code"
like 'and that is said' "^tessera: slurmctld did not tell of node $node: " "$said"
code=0
said=$(flock "$state/$node/counts.lock" "$lab" run tessera health --update --cached --node=$node 2>&1) || code=$?
is 'another run goes on' 3 "$code"
like 'and is named' "^tessera: $state/$node/counts.lock is held by another process" "$said"
is 'nothing is left' "$node: drained (rdu0-7 bad)" "$(update $node)"
is 'not counted down' 'rdu:5,rdu_tile:61' "$(counts $node)"
fine mark $node rdu0-7 good
is 'all is well' "$node: rdu 5 -> 8, rdu_tile 61 -> 64
$node: resumed" "$(update $node)"
ready $node IDLE
is 'at the end' "$full none" "$(counts $node) $(reason $node)"

# A drain of ours that nobody needs any more ends: one died in the middle.
fine run scontrol update nodename=$node state=drain reason='tessera: counts change'
is 'ended' "$node: resumed" "$(update $node)"
ready $node IDLE
fine run scontrol update nodename=$node state=drain reason='tessera: counts change'
is 'also where others are the admin'\''s to end' "$node: resumed" "$(update $node --no-resume)"
ready $node IDLE

# What a process that a job left behind holds is counted no more, and again when it has gone: no prolog is needed to see that.
job=$(leaves --gres=rdu:2)
has_left "$job"
is 'kept back' "$node: rdu 8 -> 6, rdu_tile 64 -> 48 (rdu0,rdu1 kept back)" "$(update $node)"
ready $node IDLE
end_left
is 'a dry run looks at nobody' '' "$(update $node --dry-run)"
said=$(update $node)
like 'given back' "job $job: no process holds the device any more: rdu0,rdu1 given back" "$said"
like 'and counted' "^$node: rdu 6 -> 8, rdu_tile 48 -> 64\$" "$said"
ready $node IDLE
no_rows || broken "there are rows: $(rows $node)"
fine mark $node 3.5 bad
is 'what is bad' "$node: rdu 8 -> 7, rdu_tile 64 -> 63 (3.5 bad)" "$(update $node)"
ready $node IDLE
# It drains no node, and adds nothing to a drain: the counts wait for the jobs.
job=$(leaves --gres=rdu:1)
has_left "$job"
first=$(running --gres=rdu:1)
has_started "$first"
like 'the counts wait' "^tessera: node $node: rdu 7 -> 6, rdu_tile 63 -> 55 must wait" "$(update $node)"
is 'and no job' "$less MIXED" "$(counts $node) $(shows $node State)"
fine mark $node 5.0 bad
is 'what drains' "$node: drained (3.5,5.0 bad)" "$(update $node)"
is 'has the reason' 'tessera: 3.5,5.0 bad' "$(reason $node)"
end_left
unlike 'the drain is the same without it' "^$node: |must wait" "$(update $node)"

# slurm.conf's counts come back under our drain: the reason stays ours, even if slurmctld takes the node out for it.
fine run scontrol reconfigure
await 'slurm.conf is back' eval '[ "$(counts $node)" = "$full" ]'
await 'slurmd is back' eval '[[ ! $(shows $node State) =~ NOT_RESP|UNKNOWN ]]'
is 'the reason stays' 'tessera: 3.5,5.0 bad' "$(reason $node)"
if [[ $(shows $node State) =~ INVAL ]]; then
	# Under an admin's reason nothing is done, though there may be nothing to tell either: but not silently.
	fine run scontrol update nodename=$node state=drain reason='new fan'
	fine mark $node 3.5,5.0 good
	like 'refused' "^tessera: node $node: counts not updated.*: slurmctld refuses its registration" "$(update $node)"
	fine mark $node 3.5,5.0 bad
	fine run scontrol update nodename=$node state=drain reason='tessera: 3.5,5.0 bad'
fi
said=$(update $node)
if [[ $(shows $node State) =~ INVAL ]]; then
	like 'and that is said' "^tessera: slurmctld refuses the registration of node $node .*: the next run tries again" "$said"
fi
is_state "$first" RUNNING || broken 'the job did not run on'
ends "$first"
# An admin who would rather see to it himself has the counts, and the drain.
like 'his to end' "^tessera: node $node: its drain \(tessera: 3.5,5.0 bad\) is needed no more: scontrol update nodename=$node" \
	"$(update $node --no-resume)"
is 'drained still' 'rdu:6,rdu_tile:62 IDLE+DRAIN' "$(counts $node) $(shows $node State)"
is 'or ours' "$node: resumed" "$(update $node)"
ready $node IDLE
fine mark $node 3.5,5.0 good
is 'for a moment' "$node: rdu 6 -> 8, rdu_tile 62 -> 64" "$(update $node --no-resume)"
ready $node IDLE

# What we cannot do anything about is left alone.
fine mark $node 1.1 bad
fine run scontrol update nodename=$node state=down reason='no power'
like 'down' "^tessera: node $node: counts not updated \(rdu 8 -> 7, .*\): the node is down or not responding" "$(update $node)"
is 'still' 'no power' "$(reason $node)"

# IPUs hang off a fabric: what is left of them is not a host's to say.
echo '10.1.5.10 2' >"$TESSERA_LAB/sick/gc-poplar-02"
code=0
said=$(run tessera health --update --node=gc-poplar-02 2>&1) || code=$?
is 'a host of IPUs' 0 "$code"
like 'is told so' '^tessera: gcipuinfo calls 1 IPUs bad, which slurmctld cannot be told' "$said"
