#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# A process that a job leaves behind keeps the job's tiles from the next one until it has ended, and from no longer than
# that: the next prolog, reap and slurmd's start give them back.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

# It ends while the epilog waits: the tiles are kept back in the meantime, and the job has not left.
policy 'StaleWait = 3600' 'PlaceWait = 60'
job=$(leave)
kept_back "$job"
pid=$(left)
is 'the row' "job $job uid $ann_id state stale restarts 0 tiles 0-7 text process $pid (use-tiles) of uid $ann_id still holds $device" "$row"
is 'the epilog waits' COMPLETING "$(state_of "$job")"
end_left
finishes "$job"
is 'given back' '' "$(rows $node)"
is 'told twice' '1 1' "$(logged "$job" 'rdu0 kept back: process') $(logged "$job" 'rdu0 given back')"

# Somebody else looked first, and gave them back: the epilog does not say that it did.
job=$(leave)
is_told() { [ "$(logged "$job" 'rdu0 kept back: process')" = 1 ]; }
await 'the epilog waits' is_told
epilog=$(epilog_of)
is 'one epilog' 1 "$(wc -w <<<"$epilog")"
kill -STOP "$epilog"
end_left
like 'given back by reap' "^job $job .* rdu0 given back\$" "$(reap)"
kill -CONT "$epilog"
finishes "$job"
is 'not told again' 0 "$(logged "$job" 'given back')"

# It does not.
policy 'StaleWait = 1' 'PlaceWait = 0'
job=$(leave --name "'$(printf 'a\033[2J\nuid 0')'")
finishes "$job"
kept_back "$job"
like 'a name of the user'"'"'s choice' ' text process [0-9]+ \(a\?\[2J\) of uid ' "$row"
is 'others get others' 0x000000000000ff00 "$(mask bob)"
other=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'sleep 600')
await 'another has tiles' eval "[ \"\$(rows $node | wc -l)\" = 2 ]"
like 'in the picture' '^XRDU_0  ! ! ! ! ! ! ! !   a a a a a a a a$' "$(status)"
fine run scancel "$other"
finishes "$other"
refused bob srun -w $node --gres=rdu:1 --tile-affinity=rdu0 true
like 'who wants just these is told' "tile 0\.0 is held by job $job \(uid $ann_id\), which has ended but left a process behind" "$said"
said=$(status)
like 'how full' "0 of 64 tiles held, 8 kept back, 56 free" "$said"
like 'the picture' '^XRDU_0  ! ! ! ! ! ! ! !   \. \. \. \. \. \. \. \.$' "$said"
like 'the legend' "^! +$job +tess-ann +stale +8 +tiles +rdu0 +process [0-9]+ \(a\?\[2J\) of uid $ann_id still holds $device" "$said"
is 'for programs' stale "$(status --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["state"])')"
like 'metrics' "^tessera_tiles_stale\{node=\"$node\"\} 8\$" "$(run tessera metrics --node=$node --conf="$conf")"
like 'metrics of what is held' "^tessera_tiles_held\{node=\"$node\"\} 0\$" "$(run tessera metrics --node=$node --conf="$conf")"

# It costs one job's tiles, and not those of all that come after; they must leave something themselves for that.
job2=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap true)
finishes "$job2"
given_back "$job2"
job2=$(leave)
finishes "$job2"
kept_back "$job2"
like 'another' " tiles 8-15 since [0-9]+ text process .* \(use-tiles\) of uid " "$row"

# reap, while it is there and afterwards.
said=$(reap --dry-run)
like 'a dry run' "^job $job \(uid $ann_id\) is gone: rdu0 would be kept back: process [0-9]+ .* of uid $ann_id still holds $device\$" "$said"
like 'of both' "^job $job2 \(uid $ann_id\) is gone: rdu1 would be kept back: process [0-9]+ \(use-tiles\) of uid" "$said"
like 'only told' "^job $job .* text process [0-9]+ \(a\?\[2J\) of uid" "$(rows $node)"
first=$(rows $node | sed -n "s/^job $job .* text process \([0-9]*\) .*/\1/p")
like 'reap' "^job $job \(uid $ann_id\) is gone: rdu0 kept back: process" "$(reap)"
kill -KILL "$first"
await 'one has ended' eval "! device_holders $node | grep -qx '$first'"
like 'the other' "^job $job .* rdu0 kept back: process" "$(reap)"
like 'what is known now is written' "^job $job .* text process $(left) \(" "$(rows $node)"
end_left
like 'a dry run afterwards' "^job $job .* rdu0 would be given back\$" "$(reap --dry-run)"
is 'still kept back' 2 "$(rows $node | wc -l)"
code=0
ann tessera reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
is 'not for everybody' 4 "$code"
like 'reaped' "^job $job2 .* rdu1 given back\$" "$(reap)"
is 'all is free' '' "$(rows $node)"

# By the next prolog: at once, or while a job waits for its tiles.
job=$(leave)
kept_back "$job"
finishes "$job"
end_left
is 'the next job' 0x00000000000000ff "$(mask bob)"
given_back "$job"
policy 'StaleWait = 0' 'PlaceWait = 60'
want=--gres=rdu:8
job=$(leave)
finishes "$job"
unset want
next=$(bob sbatch --parsable -o next.out -w $node --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$next" RUNNING
like 'it has none yet' "^job $job .* tiles 0-63 " "$(rows $node)"
end_left
finishes "$next"
is 'it got them' 0x00000000000000ff "$(cat "$(home bob)/next.out")"
rm "$(home bob)/next.out"

# slurmd starts again: what is held stays, what is not goes.
job=$(leave)
finishes "$job"
fine "$lab" restart $node
like 'after a restart' "^job $job .* state stale " "$(rows $node)"
end_left
fine "$lab" restart $node
given_back "$job"

# Nobody looks for no device.
policy 'DeviceFiles = ""'
job=$(leave)
finishes "$job"
is 'nothing kept back' '' "$(rows $node)"
end_left
