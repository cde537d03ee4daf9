#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status --all shows tiles that no job gets: on the node itself the bad ones, elsewhere what slurmctld knows of them: those
# that it counts no more, and bad ones for which a node is drained.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
mark() { run tessera mark --node=$node "$@"; }
update() { run tessera health --update --cached --node=$node >/dev/null 2>&1; }
state() { run scontrol show node $node | sed -n 's/^ *State=\([^ ]*\).*/\1/p'; }
is_open() { [[ $(state) =~ ^(IDLE|MIXED)$ ]]; }
# all [OPTION]...: as on a login node, unless $at names the node that we are on.
at=gc-poplar-02
all() { ann tessera status --all --node="$at" "$@"; }
# rest STATE COLUMN: of the node's tiles that no job has.
rest() {
	all --json | /usr/bin/python3 -c 'import json, sys
node, state, name = sys.argv[1:]
print(*[r[name] for r in json.load(sys.stdin) if r["node"] == node and r["state"] == state])' $node "$1" "$2"
}
put_back() {
	rm -f "$TESSERA_LAB/marks/$node/marks"
	run scontrol update nodename=$node state=resume 2>/dev/null
	await "$node is open" is_open
	update
	await "$node is open" is_open
}
trap put_back EXIT

like 'all is well' "^$node  \.{32}  0 of 64 tiles held\$" "$(all)"

# Only the node knows, until slurmctld is told.
fine mark 3.5 bad 'hung since Tuesday'
is 'elsewhere it is not known' ' 64' "$(rest bad count) $(rest free count)"
is 'on the node it is' '1 3.5 63' "$(at=$node && rest bad count) $(at=$node && rest bad tiles) $(at=$node && rest free count)"
like 'a bar' "^$node  \.{31}X  0 of 64 tiles held, 1 bad\$" "$(at=$node && all)"

# slurmctld counts them no more. Why is the node's to know.
fine update
await "$node is open" is_open
said=$(all)
like 'a bar with a gap' "^$node  \.{31}X  0 of 64 tiles held, 1 withheld\$" "$said"
like 'and a row' "^$node +- +- +withheld +1 tiles .*slurmctld counts 63 of 64 tiles: tessera status on $node" "$said"
is 'for programs' '1 63' "$(rest withheld count) $(rest free count)"
is 'the node knows why' ' 1 3.5 63' "$(at=$node && rest withheld count) $(at=$node && rest bad count) $(at=$node && rest bad tiles) $(at=$node && rest free count)"
like 'another node has none' '^sn30-r1-h2  \.{32}  0 of 64 tiles held$' "$said"
put_back
is 'all is well again' ' 64' "$(rest withheld count) $(rest free count)"

# While jobs run the node is drained, and the reason names the tile.
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:4 --tile-affinity=0.0-3 --wrap 'sleep 600')
reaches "$job" RUNNING
fine mark 3.5,rdu6 bad
fine update
said=$(all)
like 'jobs, bad ones, free ones' "^$node  ##\.{25}X{5}  4 of 64 tiles held, 9 bad\$" "$said"
like 'which' "^$node +- +- +bad +9 tiles +3\.5,rdu6 " "$said"
is 'and the rest' '9 3.5,rdu6 51' "$(rest bad count) $(rest bad tiles) $(rest free count)"

# A bad tile is bad whoever has it. That it is held and not free is known on the node.
fine mark rdu0 bad
await 'it is in the ledger' eval '[ "$(rows $node | wc -l)" = 1 ]'
is 'the job has four of them' '17 47' "$(at=$node && rest bad count) $(at=$node && rest free count)"
like 'a bar that is as long' "^$node  ##\.{23}X{7}  4 of 64 tiles held, 17 bad\$" "$(at=$node && all)"
run scancel "$job"
await 'it has given back' no_rows
