#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# The ledger cannot be read while a process that a job left behind holds its tiles: the epilog ends in time and says what to
# do, once; nobody is sent a signal, no node is taken away, and nobody gets these tiles, neither before the ledger is mended
# nor afterwards while they are held.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

ledger=$TESSERA_LAB/state/$node/ledger
go=$(home ann)/go
undo() {
	[ ! -e "$ledger.good" ] || mv -f "$ledger.good" "$ledger"
	end_left
	rm -f "$go"
	reap >/dev/null
	rewrite "$conf" <"$conf.saved"
	rm -f "$conf.saved" "$TESSERA_LAB"/use/*
}
trap undo EXIT

# Others write only when jobs come or go, so what is put back is what was there.
break_ledger() { cp -p "$ledger" "$ledger.good" && echo 'not a ledger' >"$ledger"; }
mend_ledger() { mv "$ledger.good" "$ledger"; }
advice="$ledger:1: this is no ledger of format 1: stop the jobs of this node and all that they left running, remove the file and restart slurmd"
log=$TESSERA_LAB/log/$node.log
# told: how often the epilogs of this scenario have said that they cannot read it.
told() { tail -n "+$((logged_before + 1))" "$log" | grep -cF "] error: tessera: $advice"; }
stays() { unlike 'the node stays' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"; }
# Nobody gets any tiles as long as it is broken; who wants none does not notice.
none_are_given() {
	refused bob srun -w $node --gres=rdu:1 true
	like 'who wants tiles is told' "tessera: $advice" "$said"
	is 'others' '' "$(bob srun -w $node true 2>&1 | but_waiting)"
	stays
}

# It breaks while the epilog waits, which gives up at its time, and has told once of many looks.
logged_before=$(wc -l <"$log")
policy 'StaleWait = 3' 'PlaceWait = 0'
job=$(leave)
kept_back "$job"
pid=$(left)
break_ledger
finishes "$job"
is 'told once' 1 "$(told)"
is 'it is still there' "$pid" "$(left)"
stays
none_are_given
mend_ledger
is 'mended: others get others' 0x000000000000ff00 "$(mask bob)"
like 'and these are kept back' "^job $job .* state stale .* tiles 0-7 " "$(rows $node)"
end_left
is 'until it has ended' 0x00000000000000ff "$(mask bob)"

# It is mended while the epilog waits: what has ended meanwhile is given back.
policy 'StaleWait = 3600' 'PlaceWait = 0'
logged_before=$(wc -l <"$log")
job=$(leave)
kept_back "$job"
break_ledger
is_told() { [ "$(told)" = 1 ]; }
await 'the epilog tells' is_told
end_left
is 'it waits' COMPLETING "$(state_of "$job")"
mend_ledger
finishes "$job"
is 'given back' '' "$(rows $node)"
is 'and told' '1 1' "$(told) $(logged "$job" 'rdu0 given back')"

# It is broken before the epilog comes, which then cannot know whose the tiles are: it waits for nothing, and kills nobody.
policy 'StaleHolders = kill' 'StaleWait = 3600' 'PlaceWait = 0'
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap \
	'use-tiles --leave; until [ -e go ]; do sleep 0.1; done')
holds() { [ -n "$(left)" ]; }
await 'something is left' holds
pid=$(left)
break_ledger
touch "$go"
finishes "$job"
is 'the epilog says so' 1 "$(logged "$job" "its tiles could not be given back: $advice")"
is 'nobody was sent a signal' 0 "$(logged "$job" 'sent SIG')"
is 'it is still there' "$pid" "$(left)"
stays
none_are_given
refused reap
like 'reap' "$advice" "$said"
is 'nor by reap' "$pid" "$(left)"
mend_ledger
is 'mended: others get others' 0x000000000000ff00 "$(mask bob)"
like 'and these are held still' "^job $job .* tiles 0-7 " "$(rows $node)"
like 'until somebody looks' "^job $job .* rdu0 given back\$" "$(reap 2>/dev/null)"
is 'what was left was ended for that' '' "$(left)"
is 'all is free' '' "$(rows $node)"
