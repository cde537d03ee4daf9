#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status --all shows tiles that no job gets, as far as slurmctld knows of them: those that it counts no more, and bad ones
# for which a node is drained.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
mark() { run tessera mark --node=$node "$@"; }
update() { run tessera health --update --cached --node=$node >/dev/null 2>&1; }
state() { run scontrol show node $node | sed -n 's/^ *State=\([^ ]*\).*/\1/p'; }
is_open() { [[ $(state) =~ ^(IDLE|MIXED)$ ]]; }
# rest STATE COLUMN: of the node's tiles that no job has.
rest() {
	ann tessera status --all --json | /usr/bin/python3 -c 'import json, sys
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

like 'all is well' "^$node  \.{32}  0 of 64 tiles held\$" "$(ann tessera status --all)"

# slurmctld counts them no more. Why is the node's to know.
fine mark 3.5 bad 'hung since Tuesday'
fine update
await "$node is open" is_open
said=$(ann tessera status --all)
like 'a bar with a gap' "^$node  \.{31}X  0 of 64 tiles held, 1 withheld\$" "$said"
like 'and a row' "^$node +- +- +withheld +1 tiles .*slurmctld counts 63 of 64 tiles: tessera status on $node" "$said"
is 'for programs' '1 63' "$(rest withheld count) $(rest free count)"
like 'another node has none' '^sn30-r1-h2  \.{32}  0 of 64 tiles held$' "$said"
put_back
is 'all is well again' ' 64' "$(rest withheld count) $(rest free count)"

# While jobs run the node is drained, and the reason names the tile.
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:4 --wrap 'sleep 600')
reaches "$job" RUNNING
fine mark 3.5,rdu6 bad
fine update
said=$(ann tessera status --all)
like 'jobs, bad ones, free ones' "^$node  ##\.{25}X{5}  4 of 64 tiles held, 9 bad\$" "$said"
like 'which' "^$node +- +- +bad +9 tiles +3\.5,rdu6 " "$said"
is 'and the rest' '9 3.5,rdu6 51' "$(rest bad count) $(rest bad tiles) $(rest free count)"
run scancel "$job"
await 'it has given back' no_rows
