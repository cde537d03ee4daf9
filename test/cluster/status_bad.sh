#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status --all shows tiles that no job can get: on the node itself the bad ones, on other
# nodes those that slurmctld does not count and bad ones for which a node is drained.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
mark() { run tessera mark --node=$node "$@"; }
update() { run tessera health --update --cached --node=$node >/dev/null 2>&1; }
state() { run scontrol show node $node | sed -n 's/^ *State=\([^ ]*\).*/\1/p'; }
is_open() { [[ $(state) =~ ^(IDLE|MIXED)$ ]]; }
# all [OPTION]...: status --all as on a login node, or on the node $at.
at=gc-poplar-02
all() { ann tessera status --all --node="$at" "$@"; }
# rest STATE COLUMN: a column of the node's tiles in that state.
rest() {
	all --json | /usr/bin/python3 -c 'import json, sys
node, state, name = sys.argv[1:]
print(*[r[name] for r in json.load(sys.stdin) if r["node"] == node and r["state"] == state])' $node "$1" "$2"
}
put_back() {
	rm -f "$TESSERA_LAB/marks/$node/marks"
	run scontrol update nodename=$node state=resume 2>/dev/null
	await "$node is available" is_open
	update
	await "$node is available" is_open
}
trap put_back EXIT

like 'the bar of a healthy node' "^$node  \.{32}  0 of 64 tiles held\$" "$(all)"

# Only the node knows of a bad tile until slurmctld is updated.
fine mark 3.5 bad 'hung since Tuesday'
is 'other nodes do not know of the bad tile' ' 64' "$(rest bad count) $(rest free count)"
is 'the node knows of the bad tile' '1 3.5 63' "$(at=$node && rest bad count) $(at=$node && rest bad tiles) $(at=$node && rest free count)"
like 'the bar shows the bad tile' "^$node  \.{31}X  0 of 64 tiles held, 1 bad\$" "$(at=$node && all)"

# slurmctld does not count it any more. Only the node knows why.
fine update
await "$node is available" is_open
said=$(all)
like 'the bar shows the uncounted tile' "^$node  \.{31}X  0 of 64 tiles held, 1 withheld\$" "$said"
like 'the table has a row of uncounted tiles' "^$node +- +- +uncounted +1 tiles .*slurmctld counts 63 of 64 tiles: see tessera status on $node" "$said"
is 'the JSON has the uncounted tile' '1 63' "$(rest uncounted count) $(rest free count)"
is 'the node shows the bad tile' ' 1 3.5 63' "$(at=$node && rest uncounted count) $(at=$node && rest bad count) $(at=$node && rest bad tiles) $(at=$node && rest free count)"
like 'another node has no uncounted tile' '^sn30-r1-h2  \.{32}  0 of 64 tiles held$' "$said"
put_back
is 'all tiles are counted again' ' 64' "$(rest uncounted count) $(rest free count)"

# While jobs run the node is drained, and its reason names the tile.
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:4 --tile-affinity=0.0-3 --wrap 'sleep 600')
reaches "$job" RUNNING
fine mark 3.5,rdu6 bad
fine update
said=$(all)
like 'the bar shows allocated, bad and free tiles' "^$node  ##\.{25}X{5}  4 of 64 tiles held, 9 bad\$" "$said"
like 'the table names the bad tiles' "^$node +- +- +bad +9 tiles +3\.5,rdu6 " "$said"
is 'the JSON has the bad tiles' '9 3.5,rdu6 51' "$(rest bad count) $(rest bad tiles) $(rest free count)"

# A tile is bad whether a job has it or not. Only the node knows that a job has it.
fine mark rdu0 bad
await 'the ledger has the job' eval '[ "$(rows $node | wc -l)" = 1 ]'
is 'bad tiles of the job are counted' '17 47' "$(at=$node && rest bad count) $(at=$node && rest free count)"
like 'the bar has the same length' "^$node  ##\.{23}X{7}  4 of 64 tiles held, 17 bad\$" "$(at=$node && all)"
run scancel "$job"
await 'the tiles are released' no_rows
