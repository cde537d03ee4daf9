#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tile that a tool or the administrator calls bad is not allocated: jobs get other tiles, and a
# job that cannot get enough is told how many are bad. A wish for a bad tile is refused at once.
# When the tile is good again, it is allocated again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

all=0xffffffffffffffff
is 'all tiles are allocated before the first query' $all "$(job_mask --gres=rdu:8)"
fine health >/dev/null
is 'all tiles are allocated while all are good' $all "$(job_mask --gres=rdu:8)"

# Tile 3.5 is bad: its RDU is no longer whole, and the other half of that RDU is used first for
# small jobs.
set_broken /NODE/XRDU_1/RDU_1/TILE_5
is 'a broken tile matters only after the query' $all "$(job_mask --gres=rdu:8)"
fine health >/dev/null
is 'seven whole RDUs are allocated' 0xffffffff00ffffff "$(job_mask --gres=rdu:7)"
is 'half an RDU comes from the incomplete one' 0x000000000f000000 "$(job_mask --gres=rdu_tile:4)"
is 'all good tiles are allocated' 0xffffffffdfffffff "$(job_mask --gres=rdu_tile:63 --tile-affinity=0xffffffffdfffffff)"

# A job that needs more tiles waits and runs when the tile is good again, or fails with the reason.
ann sbatch --parsable -o waits.out -w $node --gres=rdu:8 --wrap 'printenv SF_RNT_TILE_AFFINITY' >"$(home ann)/waits.id"
job=$(<"$(home ann)/waits.id")
reaches "$job" RUNNING
is 'the waiting job has no tiles yet' '' "$(rows $node)"
set_broken
fine health >/dev/null
reaches "$job" COMPLETED
await 'the tiles are released' no_rows
is 'the job has its tiles after the tile is good' $all "$(cat "$(home ann)/waits.out")"
set_broken /NODE/XRDU_1/RDU_1/TILE_5
fine health >/dev/null
keys 'PlaceWait = 0' 'MaxRequeue = 0'
refused job_mask --gres=rdu:8
like 'the message counts the bad tile' 'tessera: 8 whole RDUs needed, 7 free \(63 of 64 tiles free, 1 marked bad\)' "$said"

# A wish for a bad tile fails at once, even while other jobs hold the other tiles.
keys 'PlaceWait = 3600'
owner=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu0 --wrap 'sleep 600')
await 'the job of bob has its tiles' eval '[ -n "$(rows $node)" ]'
for wish in rdu3 0.0-7,3.0-7; do
	code=0
	said=$(ann timeout 50 srun -w $node --gres=rdu_tile:$((${#wish} > 4 ? 16 : 8)) --tile-affinity=$wish true 2>&1) || code=$?
	is "$wish: the exit code" 1 "$code"
	like "$wish: the message" 'tessera: tile 3\.5 is marked bad: ask for other tiles' "$said"
done
job=$(ann sbatch --parsable -o wish.out -w $node --gres=rdu:1 --tile-affinity=rdu3 --requeue --wrap true)
reaches "$job" FAILED
await 'the row of the refused job is removed' eval '[ "$(rows $node | wc -l)" = 1 ]'
like 'a batch job prints the message' 'tile 3\.5 is marked bad' "$(cat "$(home ann)/wish.out")"
is 'the batch job is not requeued' 0 "$(run scontrol show job "$job" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p')"
fine run scancel "$owner"
await 'no tile is allocated' no_rows
reset_health

# A mark of the administrator needs no tool. A running job keeps a tile that is marked.
fine health >/dev/null
keeper=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu6 --wrap 'sleep 600')
await 'the running job has its tiles' eval '[ -n "$(rows $node)" ]'
fine mark 3.5 bad 'hung since Tuesday'
fine mark 0.0-1,rdu6 bad
is 'the list has the marks' "TILE USER TEXT
0.0 root -
0.1 root -
3.5 root hung\\x20since\\x20Tuesday
6.0 root -" "$(mark --raw -o tile,user,text | head -n 5)"
is 'a user may list the marks' 11 "$(ann tessera mark --node=$node --json | grep -c '"state": "bad"')"
is 'five whole RDUs are allocated' 0xff00ffff00ffff00 "$(job_mask --gres=rdu:5)"
output=$(ann tessera status --node=$node)
like 'the summary counts the bad tiles' "^$node  DataScale SN30-8: 8 of 64 tiles held, 53 free, 11 bad\$" "$output"
like 'the map shows the bad tile' '^XRDU_1  \. \. \. \. \. \. \. \.   \. \. \. \. \. X \. \.$' "$output"
like 'the map shows a bad tile even if a job has it' '^XRDU_3  X X X X X X X X   \. \. \. \. \. \. \. \.$' "$output"
like 'the table names the user and the text of a mark' '^X .* bad +1 +tiles +3\.5 +marked by root: hung since Tuesday' "$output"
like 'the table has the row of the job' "^a +$keeper +tess-bob +held +8 +tiles +rdu6" "$output"
like 'free tiles are those that are free and good' '^\. .* free +53 +tiles +0\.2-7,rdu1,rdu2,3\.0-4,3\.6-7,rdu4,rdu5,rdu7' "$output"
is 'the JSON has the marks' '1 marked by root: hung since Tuesday;2 marked by root;8 marked by root;' "$(ann tessera status --node=$node --json | /usr/bin/python3 -c '
import json, sys
print(*sorted("%s %s;" % (r["count"], r["text"]) for r in json.load(sys.stdin) if r["state"] == "bad"), sep="")')"
is 'metrics count the bad tiles' '11 0' "$(run tessera metrics --node=$node | sed -n 's/^tessera_tiles_\(bad\|unknown\){.*} //p' | xargs)"
fine run scancel "$keeper"
await 'no tile is allocated' no_rows
is 'marked tiles are not allocated after their job ended' 0xff00ffff00ffff00 "$(job_mask --gres=rdu:5)"
fine mark 0-63 good
is 'no mark is left' 'TILE STATE USER SINCE TEXT' "$(mark | xargs)"
is 'all tiles are allocated again' $all "$(job_mask --gres=rdu:8)"

# Wrong arguments, and users that may not mark. Marks are written completely or not at all.
for words in 'TILES' '3.5' '3.5 worse' '3.5 good why'; do
	code=0
	# shellcheck disable=SC2086
	mark $words >/dev/null 2>&1 || code=$?
	is "mark $words: the exit code" 2 "$code"
done
refused mark 8.0 bad
like 'a tile that does not exist is refused' 'tessera: .*8' "$said"
refused mark 3.5 bad "$(printf 'x%.0s' {1..512})"
like 'a text that is too long is refused' 'has 512 characters: use at most 511' "$said"
code=0
said=$(ann tessera mark --node=$node 3.5 bad 2>&1) || code=$?
is 'a user may not mark' 4 "$code"
like 'the message says that only root may mark' '^tessera: must be root to mark' "$said"
refused run tessera mark --node=gc-poplar-02 3.5 bad
like 'a node without tiles is refused' 'node gc-poplar-02 has no tiles' "$said"
is 'no tile was marked' $all "$(job_mask --gres=rdu:8)"

# A damaged file of marks: jobs run, one line is logged, and the results of the tools still count.
set_broken /NODE/XRDU_1/RDU_1/TILE_5
fine health >/dev/null
echo nonsense >"$TESSERA_LAB/marks/$node/marks"
lines() { grep -c "marks/$node/marks:1: not a marks file" "$TESSERA_LAB/log/$node.log"; }
before=$(lines)
is 'a job runs without the bad tile of the tool' 0xffffffff00ffffff "$(job_mask --gres=rdu:7)"
is 'one line is logged' $((before + 1)) "$(lines)"
keys 'PlaceWait = 1' 'MaxRequeue = 0'
refused job_mask --gres=rdu:8
is 'a waiting job logs one line' $((before + 2)) "$(lines)"
# told COMMAND [OPTION]...: COMMAND reports the damaged file and exits with 1.
told() {
	local code=0
	said=$(run tessera "$1" --node=$node "${@:2}" 2>&1) || code=$?
	is "$1: the exit code" 1 "$code"
	like "$1: the message" "^tessera: .*marks/$node/marks:1: not a marks file" "$said"
}
told status
told health --cached
like 'health: other tiles are unknown' ': 1 of 64 tiles bad, 63 unknown and allocated anyway$' "$said"
told metrics
like 'metrics report that the node is not up' '^tessera_up\{node="sn30-r1-h1"\} 0$' "$said"
unlike 'metrics report no bad tiles' 'tessera_tiles_bad' "$said"
echo nonsense >"$cache"
told status
refused health
refused mark 3.4 bad
like 'mark does not overwrite the damaged file' 'remove it and mark the tiles again' "$said"
rm "$TESSERA_LAB/marks/$node/marks"
