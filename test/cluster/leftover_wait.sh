#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# A process that a job leaves behind withholds the job's tiles until it has ended, and no longer:
# the next prolog, reap or a start of slurmd releases them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

# The process ends while the epilog waits: until then the tiles are withheld, and the job is
# completing.
policy 'LeftoverWait = 3600' 'PlaceWait = 60'
job=$(leave_process)
await_withheld "$job"
pid=$(leftover_pids)
is 'the row names the process' "job $job uid $ann_id state withheld restarts 0 tiles 0-7 text process $pid (use-tiles) of uid $ann_id still holds $device" "$row"
is 'the epilog waits' COMPLETING "$(state_of "$job")"
kill_leftovers
finishes "$job"
is 'the tiles are released' '' "$(rows $node)"
is 'withholding and release are logged once' '1 1' "$(logged "$job" 'withholding rdu0: process') $(logged "$job" 'released rdu0')"

# reap released the tiles first: the epilog does not report that it did.
job=$(leave_process)
is_told() { [ "$(logged "$job" 'withholding rdu0: process')" = 1 ]; }
await 'the epilog waits' is_told
epilog=$(epilog_of)
is 'one epilog is running' 1 "$(wc -w <<<"$epilog")"
kill -STOP "$epilog"
kill_leftovers
like 'reap releases the tiles' "^job $job .* rdu0 released\$" "$(reap)"
kill -CONT "$epilog"
finishes "$job"
is 'the epilog logs no release' 0 "$(logged "$job" 'released')"

# The process does not end.
policy 'LeftoverWait = 1' 'PlaceWait = 0'
job=$(leave_process --name "'$(printf 'a\033[2J\nuid 0')'")
finishes "$job"
await_withheld "$job"
like 'a name of the user'"'"'s choice' ' text process [0-9]+ \(a\?\[2J\) of uid ' "$row"
is 'the next job gets other tiles' 0x000000000000ff00 "$(mask bob)"
other=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'sleep 600')
await 'the next job has its tiles' eval "[ \"\$(rows $node | wc -l)\" = 2 ]"
like 'the map shows it' '^XRDU_0  ! ! ! ! ! ! ! !   a a a a a a a a$' "$(status)"
fine run scancel "$other"
finishes "$other"
refused bob srun -w $node --gres=rdu:1 --tile-affinity=rdu0 true
like 'a wish for the withheld tiles is refused' "tile 0\.0 is held by job $job \(uid $ann_id\), which has ended but left a process behind" "$said"
said=$(status)
like 'the summary counts the withheld tiles' "0 of 64 tiles held, 8 withheld, 56 free" "$said"
like 'the map shows the withheld tiles' '^XRDU_0  ! ! ! ! ! ! ! !   \. \. \. \. \. \. \. \.$' "$said"
like 'the table names the process' "^! +$job +tess-ann +withheld +8 +tiles +rdu0 +process [0-9]+ \(a\?\[2J\) of uid $ann_id still holds $device" "$said"
is 'the JSON has the state' withheld "$(status --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["state"])')"
like 'metrics count the withheld tiles' "^tessera_tiles_withheld\{node=\"$node\"\} 8\$" "$(run tessera metrics --node=$node --conf="$conf")"
like 'metrics count no allocated tiles' "^tessera_tiles_held\{node=\"$node\"\} 0\$" "$(run tessera metrics --node=$node --conf="$conf")"

# The process withholds the tiles of one job only. Later jobs lose theirs only if they leave a
# process too.
job2=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap true)
finishes "$job2"
await_released "$job2"
job2=$(leave_process)
finishes "$job2"
await_withheld "$job2"
like 'the tiles of the second job are withheld' " tiles 8-15 since [0-9]+ text process .* \(use-tiles\) of uid " "$row"

# reap, while the process runs and after its end.
said=$(reap --dry-run)
like 'a dry run would withhold the tiles' "^job $job \(uid $ann_id\) ended: rdu0 would be withheld: process [0-9]+ .* of uid $ann_id still holds $device\$" "$said"
like 'a dry run lists the second job' "^job $job2 \(uid $ann_id\) ended: rdu1 would be withheld: process [0-9]+ \(use-tiles\) of uid" "$said"
like 'a dry run changes nothing' "^job $job .* text process [0-9]+ \(a\?\[2J\) of uid" "$(rows $node)"
first=$(rows $node | sed -n "s/^job $job .* text process \([0-9]*\) .*/\1/p")
like 'reap withholds the tiles' "^job $job \(uid $ann_id\) ended: rdu0 withheld: process" "$(reap)"
kill -KILL "$first"
await 'the first process has ended' eval "! device_users $node | grep -qx '$first'"
like 'reap names the second process' "^job $job .* rdu0 withheld: process" "$(reap)"
like 'the row names the second process' "^job $job .* text process $(leftover_pids) \(" "$(rows $node)"
kill_leftovers
like 'a dry run would release the tiles' "^job $job .* rdu0 would be released\$" "$(reap --dry-run)"
is 'a dry run releases nothing' 2 "$(rows $node | wc -l)"
code=0
ann tessera reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
is 'a user may not reap' 4 "$code"
like 'reap releases the tiles' "^job $job2 .* rdu1 released\$" "$(reap)"
is 'no row is left in the ledger' '' "$(rows $node)"

# The next prolog releases them: at once, or while a job waits for tiles.
job=$(leave_process)
await_withheld "$job"
finishes "$job"
kill_leftovers
is 'the next job gets the tiles' 0x00000000000000ff "$(mask bob)"
await_released "$job"
policy 'LeftoverWait = 0' 'PlaceWait = 60'
want=--gres=rdu:8
job=$(leave_process)
finishes "$job"
unset want
next=$(bob sbatch --parsable -o next.out -w $node --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$next" RUNNING
like 'the waiting job has no tiles yet' "^job $job .* tiles 0-63 " "$(rows $node)"
kill_leftovers
finishes "$next"
is 'the waiting job gets the tiles' 0x00000000000000ff "$(cat "$(home bob)/next.out")"
rm "$(home bob)/next.out"

# A start of slurmd keeps tiles that a process still holds, and releases the others.
job=$(leave_process)
finishes "$job"
fine "$lab" restart $node
like 'the tiles are withheld after a restart' "^job $job .* state withheld " "$(rows $node)"
kill_leftovers
fine "$lab" restart $node
await_released "$job"

# Without DeviceFiles no process is searched.
policy 'DeviceFiles = ""'
job=$(leave_process)
finishes "$job"
is 'no tiles are withheld' '' "$(rows $node)"
kill_leftovers
