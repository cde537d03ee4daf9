#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A bad tile is not handed out, whether a tool or the admin says so: jobs get others, and hear how many are bad where those do
# not suffice. A wish for a bad tile is refused at once. When it is good again, it is handed out again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

all=0xffffffffffffffff
is 'nobody was asked' $all "$(granted --gres=rdu:8)"
fine health >/dev/null
is 'all is well' $all "$(granted --gres=rdu:8)"

# Tile 3.5: its RDU is no whole one any more, and its other half is the first that is broken.
breaks /NODE/XRDU_1/RDU_1/TILE_5
is 'what no tool was asked for changes nothing' $all "$(granted --gres=rdu:8)"
fine health >/dev/null
is 'seven RDUs' 0xffffffff00ffffff "$(granted --gres=rdu:7)"
is 'half an RDU' 0x000000000f000000 "$(granted --gres=rdu_tile:4)"
is 'all that is good' 0xffffffffdfffffff "$(granted --gres=rdu_tile:63 --tile-affinity=0xffffffffdfffffff)"

# Too few: it waits, and runs when the tile is good again; or hears why.
ann sbatch --parsable -o waits.out -w $node --gres=rdu:8 --wrap 'printenv SF_RNT_TILE_AFFINITY' >"$(home ann)/waits.id"
job=$(<"$(home ann)/waits.id")
reaches "$job" RUNNING
is 'no tiles yet' '' "$(rows $node)"
breaks
fine health >/dev/null
reaches "$job" COMPLETED
await 'its tiles are given back' no_rows
is 'now it has them' $all "$(cat "$(home ann)/waits.out")"
breaks /NODE/XRDU_1/RDU_1/TILE_5
fine health >/dev/null
keys 'PlaceWait = 0' 'MaxRequeue = 0'
refused granted --gres=rdu:8
like 'why' 'tessera: 8 whole RDUs are needed, 7 are free \(63 of 64 tiles are free, 1 is marked bad\)' "$said"

# A wish: nobody waits an hour for a bad tile, whoever holds the others.
keys 'PlaceWait = 3600'
holder=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu0 --wrap 'sleep 600')
await 'it has them' eval '[ -n "$(rows $node)" ]'
for wish in rdu3 0.0-7,3.0-7; do
	code=0
	said=$(ann timeout 50 srun -w $node --gres=rdu_tile:$((${#wish} > 4 ? 16 : 8)) --tile-affinity=$wish true 2>&1) || code=$?
	is "$wish: the exit code" 1 "$code"
	like "$wish: why" 'tessera: tile 3\.5 is marked bad: ask for other tiles' "$said"
done
job=$(ann sbatch --parsable -o wish.out -w $node --gres=rdu:1 --tile-affinity=rdu3 --requeue --wrap true)
reaches "$job" FAILED
await 'its row is gone' eval '[ "$(rows $node | wc -l)" = 1 ]'
like 'a batch job' 'tile 3\.5 is marked bad' "$(cat "$(home ann)/wish.out")"
is 'that is not started again' 0 "$(run scontrol show job "$job" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p')"
fine run scancel "$holder"
await 'no tile is held' no_rows
healthy

# The admin's word, which needs no tool. A job that has the tile keeps it.
fine health >/dev/null
keeper=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --tile-affinity=rdu6 --wrap 'sleep 600')
await 'it has them' eval '[ -n "$(rows $node)" ]'
fine mark 3.5 bad 'hung since Tuesday'
fine mark 0.0-1,rdu6 bad
is 'the list' "TILE USER TEXT
0.0 root -
0.1 root -
3.5 root hung\\x20since\\x20Tuesday
6.0 root -" "$(mark --raw -o tile,user,text | head -n 5)"
is 'for anyone' 11 "$(ann tessera mark --node=$node --json | grep -c '"state": "bad"')"
is 'five RDUs' 0xff00ffff00ffff00 "$(granted --gres=rdu:5)"
picture=$(ann tessera status --node=$node)
like 'how many' "^$node  DataScale SN30-8: 8 of 64 tiles held, 53 free, 11 bad\$" "$picture"
like 'where' '^XRDU_1  \. \. \. \. \. \. \. \.   \. \. \. \. \. X \. \.$' "$picture"
like 'whoever holds it' '^XRDU_3  X X X X X X X X   \. \. \. \. \. \. \. \.$' "$picture"
like 'who says so' '^X .* bad +1 +tiles +3\.5 +marked by root: hung since Tuesday' "$picture"
like 'who holds it' "^a +$keeper +tess-bob +held +8 +tiles +rdu6" "$picture"
like 'free is what is free and good' '^\. .* free +53 +tiles +0\.2-7,rdu1,rdu2,3\.0-4,3\.6-7,rdu4,rdu5,rdu7' "$picture"
is 'for programs' '1 marked by root: hung since Tuesday;2 marked by root;8 marked by root;' "$(ann tessera status --node=$node --json | /usr/bin/python3 -c '
import json, sys
print(*sorted("%s %s;" % (r["count"], r["text"]) for r in json.load(sys.stdin) if r["state"] == "bad"), sep="")')"
is 'and in numbers' '11 0' "$(run tessera metrics --node=$node | sed -n 's/^tessera_tiles_\(bad\|unknown\){.*} //p' | xargs)"
fine run scancel "$keeper"
await 'no tile is held' no_rows
is 'its tiles are not handed out again' 0xff00ffff00ffff00 "$(granted --gres=rdu:5)"
fine mark 0-63 good
is 'no mark is left' 'TILE STATE USER SINCE TEXT' "$(mark | xargs)"
is 'all are handed out again' $all "$(granted --gres=rdu:8)"

# What is wrong to say, and who may not. Marks are written down as a whole or not at all.
for words in 'TILES' '3.5' '3.5 worse' '3.5 good why'; do
	code=0
	# shellcheck disable=SC2086
	mark $words >/dev/null 2>&1 || code=$?
	is "mark $words: the exit code" 2 "$code"
done
refused mark 8.0 bad
like 'no such tile' 'tessera: .*8' "$said"
refused mark 3.5 bad "$(printf 'x%.0s' {1..512})"
like 'a long text' 'longer than 511 characters' "$said"
code=0
said=$(ann tessera mark --node=$node 3.5 bad 2>&1) || code=$?
is 'an ordinary user' 4 "$code"
like 'and hears why' '^tessera: only root may mark' "$said"
refused run tessera mark --node=gc-poplar-02 3.5 bad
like 'no tiles' 'node gc-poplar-02 has no tiles' "$said"
is 'nothing was marked' $all "$(granted --gres=rdu:8)"

# A file that is damaged: jobs run, with one line in the log, and what the other file says holds.
breaks /NODE/XRDU_1/RDU_1/TILE_5
fine health >/dev/null
echo nonsense >"$TESSERA_LAB/marks/$node/marks"
lines() { grep -c "marks/$node/marks:1: this is no file of marks" "$TESSERA_LAB/log/$node.log"; }
before=$(lines)
is 'it runs' 0xffffffff00ffffff "$(granted --gres=rdu:7)"
is 'one line' $((before + 1)) "$(lines)"
keys 'PlaceWait = 1' 'MaxRequeue = 0'
refused granted --gres=rdu:8
is 'one line of a job that looks again and again' $((before + 2)) "$(lines)"
# told COMMAND [OPTION]...: that is told, and that it is wrong.
told() {
	local code=0
	said=$(run tessera "$1" --node=$node "${@:2}" 2>&1) || code=$?
	is "$1: the exit code" 1 "$code"
	like "$1 tells" "^tessera: .*marks/$node/marks:1: this is no file of marks" "$said"
}
told status
told health --cached
like 'health: the tiles' ': 1 of 64 tiles bad, 63 unknown and used all the same$' "$said"
told metrics
like 'in numbers' '^tessera_up\{node="sn30-r1-h1"\} 0$' "$said"
unlike 'bad ones are not known' 'tessera_tiles_bad' "$said"
echo nonsense >"$cache"
told status
refused health
refused mark 3.4 bad
like 'and nobody writes over it' 'remove it and mark the tiles again' "$said"
rm "$TESSERA_LAB/marks/$node/marks"
