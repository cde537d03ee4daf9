#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# LeftoverWait is longer than Slurm lets an epilog run: the epilog gives up, or kills, before Slurm
# ends it, so that no leftover process can drain a node. An epilog that is killed releases no tiles.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

undo() {
	kill_leftovers
	restore_slurm_conf
	restore_leftovers
	run scontrol update nodename=$node state=resume 2>/dev/null
}
trap undo EXIT
policy 'LeftoverWait = 3600'

# An epilog is killed while it waits: Slurm drains the node, but the tiles stay withheld.
job=$(leave_process)
await_withheld "$job"
epilog=$(epilog_of)
is 'one epilog is running' 1 "$(wc -w <<<"$epilog")"
kill -KILL "$epilog"
finishes "$job"
like 'the tiles are withheld' "^job $job .* state withheld " "$(rows $node)"
await 'Slurm has drained the node' eval "run sinfo -hn $node -o %T | grep -q '^drain'"
run scontrol update nodename=$node state=resume
await 'the node is idle again' eval "run sinfo -hn $node -o %T | grep -q '^idle'"
kill_leftovers
is 'the next job gets the tiles' 0x00000000000000ff "$(mask bob)"

limit_prologs 6
job=$(leave_process --stubborn)
finishes "$job"
like 'the tiles are withheld' "^job $job .* state withheld " "$(rows $node)"
unlike 'the node stays available' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
policy 'LeftoverProcesses = kill' 'LeftoverWait = 3600'
job2=$(leave_process --stubborn)
finishes "$job2"
like 'only the tiles of the first job are withheld' "^job $job .* state withheld " "$(rows $node)"
await_released "$job2"
unlike 'the node stays available' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
is 'SIGTERM is sent before SIGKILL' '1 1' "$(logged "$job2" 'sent SIGTERM to its process') $(logged "$job2" 'sent SIGKILL to its process')"
kill_leftovers
fine reap >/dev/null
is 'no row is left in the ledger' '' "$(rows $node)"
