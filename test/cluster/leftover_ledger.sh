#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# The ledger cannot be read while a leftover process holds the tiles of its job. The epilog ends in
# time and logs once what to do, no process is signalled, no node is drained, and no job gets these
# tiles, neither before the ledger is repaired nor afterwards while the process runs.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

ledger=$TESSERA_LAB/state/$node/ledger
go=$(home ann)/go
undo() {
	[ ! -e "$ledger.good" ] || mv -f "$ledger.good" "$ledger"
	kill_leftovers
	rm -f "$go"
	reap >/dev/null
	rewrite "$conf" cat "$conf.saved"
	rm -f "$conf.saved" "$TESSERA_LAB"/use/*
}
trap undo EXIT

# The ledger is written only when jobs start or end, so restoring it loses nothing.
break_ledger() { cp -p "$ledger" "$ledger.good" && echo 'not a ledger' >"$ledger"; }
mend_ledger() { mv "$ledger.good" "$ledger"; }
advice="$ledger:1: not a ledger of format 1: stop this node's jobs and their leftover processes, remove the file and restart slurmd"
log=$TESSERA_LAB/log/$node.log
# told: how often the epilogs of this scenario reported that they cannot read the ledger.
told() { tail -n "+$((logged_before + 1))" "$log" | grep -cF "] error: tessera: $advice"; }
stays() { unlike 'the node stays available' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"; }
# No job gets tiles while the ledger is damaged. Jobs without tiles are not affected.
none_are_given() {
	refused bob srun -w $node --gres=rdu:1 true
	like 'a job with tiles gets the message' "tessera: $advice" "$said"
	is 'a job without tiles gets no message' '' "$(bob srun -w $node true 2>&1 | drop_wait_messages)"
	stays
}

# The ledger is damaged while the epilog waits: the epilog gives up at its deadline and logs the
# error once.
logged_before=$(wc -l <"$log")
policy 'LeftoverWait = 3' 'PlaceWait = 0'
job=$(leave_process)
await_withheld "$job"
pid=$(leftover_pids)
break_ledger
finishes "$job"
is 'the error is logged once' 1 "$(told)"
is 'the leftover process is still running' "$pid" "$(leftover_pids)"
stays
none_are_given
mend_ledger
is 'the next job gets other tiles after the repair' 0x000000000000ff00 "$(mask bob)"
like 'the tiles are withheld' "^job $job .* state withheld .* tiles 0-7 " "$(rows $node)"
kill_leftovers
is 'the tiles are allocated after the process ended' 0x00000000000000ff "$(mask bob)"

# The ledger is repaired while the epilog waits: the tiles are released if the process has ended.
policy 'LeftoverWait = 3600' 'PlaceWait = 0'
logged_before=$(wc -l <"$log")
job=$(leave_process)
await_withheld "$job"
break_ledger
is_told() { [ "$(told)" = 1 ]; }
await 'the epilog logs the error' is_told
kill_leftovers
is 'the epilog still waits' COMPLETING "$(state_of "$job")"
mend_ledger
finishes "$job"
is 'the tiles are released' '' "$(rows $node)"
is 'error and release are logged once' '1 1' "$(told) $(logged "$job" 'released rdu0')"

# The ledger is damaged before the epilog starts: the epilog cannot know the tiles, does not wait
# and signals no process.
policy 'LeftoverProcesses = kill' 'LeftoverWait = 3600' 'PlaceWait = 0'
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap \
	'use-tiles --leave; until [ -e go ]; do sleep 0.1; done')
has_leftovers() { [ -n "$(leftover_pids)" ]; }
await 'a process is left behind' has_leftovers
pid=$(leftover_pids)
break_ledger
touch "$go"
finishes "$job"
is 'the epilog logs the error' 1 "$(logged "$job" "cannot release its tiles: $advice")"
is 'no process is signalled' 0 "$(logged "$job" 'sent SIG')"
is 'the leftover process is still running' "$pid" "$(leftover_pids)"
stays
none_are_given
refused reap
like 'reap reports the error' "$advice" "$said"
is 'reap does not signal the process' "$pid" "$(leftover_pids)"
mend_ledger
is 'the next job gets other tiles after the repair' 0x000000000000ff00 "$(mask bob)"
like 'the tiles are still allocated' "^job $job .* tiles 0-7 " "$(rows $node)"
like 'reap releases the tiles' "^job $job .* rdu0 released\$" "$(reap 2>/dev/null)"
is 'reap ended the leftover process' '' "$(leftover_pids)"
is 'no row is left in the ledger' '' "$(rows $node)"
