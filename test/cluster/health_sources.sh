#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tool that hangs, fails, prints another format, garbage or another platform, or is missing gives
# a message and exit code 3, and its earlier result counts until it is too old. Then the tiles are
# unknown, and tessera.conf decides whether unknown tiles are used.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

all=0xffffffffffffffff
good=0xff00ffff00ffffff # without RDUs 3 and 6
set_broken /NODE/XRDU_1/RDU_1/TILE_5 'hung /NODE/XRDU_3/RDU_0/TILE_0'
output=$(fine health)
like 'health reports two bad tiles' "^$node  DataScale SN30-8: 2 of 64 tiles bad\$" "$output"
like 'the map shows the bad tile' '^XRDU_3  X \. \. \. \. \. \. \.   \. \. \. \. \. \. \. \.$' "$output"
like 'the table has the result of snfadm' '^snfadm +current .* 64 +1 +3\.5 +3\.5 is Present, Offline$' "$output"
like 'the table has the result of snconfig' '^snconfig +current .* 64 +1 +6\.0 +6\.0: State: not perfect$' "$output"
like 'a user may read the results' '^snfadm +current .* 64 +1 +3\.5 +3\.5 is Present, Offline$' "$(ann tessera health --node=$node)"
asked=$(source_column snfadm time)

# wrong TOOL MESSAGE [KEY]...: the tool fails; the message is printed and stored beside the earlier
# result. The other tool is queried as usual.
wrong() {
	local tool=$1 other=snconfig code=0
	[ "$tool" = snfadm ] || other=snfadm
	keys "${@:3}"
	# An old result, so that a new one differs.
	sed -i "s/^\(source [a-z]* time\) [0-9]*/\1 $((asked - 5))/" "$cache"
	said=$(run tessera health --node=$node 2>&1 >/dev/null) || code=$?
	is "$2: the exit code" 3 "$code"
	is "$2: one line is printed" 1 "$(wc -l <<<"$said")"
	like "$2: the message" "^tessera: $tool: .*$2" "$said"
	is "$2: the time of the earlier result stays" $((asked - 5)) "$(source_column "$tool" time)"
	like "$2: the text has the message" "$2" "$(health --cached --json -o source,text)"
	[ "$(source_column "$other" time)" -ge "$asked" ] || fail "$2: $other was not queried"
	is "$2: the earlier result counts" $good "$(job_mask --gres=rdu:6)"
}
# by FAULT MESSAGE
by() {
	echo "$1" >"$sick/fault.snfadm"
	wrong snfadm "$2"
	rm -f "$sick/fault.snfadm"
}
by fail 'env failed with 1: snfadm: SND is not running'
by garbage 'cannot parse .*: line 2: the end, and no tile'
by other 'cannot parse .*: line 6: a component, but no header line'
by cut 'cannot parse .*: line [0-9]+: incomplete'
by platform 'the tool reports platform DataScale SN99-8, but a sn30-8 is a DataScale SN30-8'
wrong snfadm '/bin/sleep timed out and was killed after 1 seconds' \
	'HealthWait = 1' 'SnfadmCommand = "/bin/sleep 600"'
wrong snfadm '/nowhere/snfadm: No such file' 'SnfadmCommand = "/nowhere/snfadm"'
wrong snfadm 'printed more than 1 MiB' 'SnfadmCommand = "/usr/bin/seq 1000000"'
keys
echo fail >"$sick/fault.snconfig"
wrong snconfig 'env failed with 1: snconfig: SND is not running'
rm "$sick/fault.snconfig"
wrong snconfig 'no tile was found, or none that' 'SnconfigBad = "hung"' 'SnconfigGood = "healthy"'
keys

# Of two runs at once the second refuses to start. No stored result is lost.
echo hang >"$sick/fault.snfadm"
health >/dev/null &
await 'the first run has the lock and queries the tool' test -e "$sick/hangs.snfadm"
refused health
like 'the second run reports the lock' 'health.lock is held by another process' "$said"
like 'the second run prints the stored results' '^snfadm +current' "$said"
rm "$sick/fault.snfadm"
fine wait $!

# Other formats: --csv, and a site that lists what is good.
csv=$(sed -n 's/^SnfadmCommand = "\(.*\)"$/SnfadmCommand = "\1 --csv"/p' "$conf")
keys "$csv" 'SnconfigBad = ""' 'SnconfigGood = ": perfect"'
fine health >/dev/null
is 'snfadm --csv is parsed' '64 1 3.5' "$(source_column snfadm known,bad,tiles)"
is 'a tile that is not called good is unknown' '63 0 -' "$(source_column snconfig known,bad,tiles)"
keys

# An incomplete list: tiles that it lacks are unknown, unless the other tool covers them.
echo half >"$sick/fault.snfadm"
fine health >/dev/null
is 'the incomplete list covers 32 tiles' '32 1' "$(source_column snfadm known,bad)"
like 'the other tool covers the rest' ': 2 of 64 tiles bad$' "$(health --cached)"
keys 'SnconfigCommand = ""'
fine health >/dev/null
like 'uncovered tiles are unknown' ': 1 of 64 tiles bad, 32 unknown and allocated anyway$' "$(health --cached)"
is 'a tool that is no longer configured is dropped' '' "$(source_column snconfig known)"
is 'unknown tiles are used' 0xffffffff00ffffff "$(job_mask --gres=rdu:7)"
keys 'SnconfigCommand = ""' 'UnknownTiles = avoid' 'PlaceWait = 0' 'MaxRequeue = 0'
like 'unknown tiles are not used with UnknownTiles = avoid' ': 1 of 64 tiles bad, 32 unknown and not allocated$' "$(health --cached)"
is 'three RDUs can be allocated' 0x0000000000ffffff "$(job_mask --gres=rdu:3)"
refused job_mask --gres=rdu:4
like 'the message counts the unknown tiles' '4 whole RDUs needed, 3 free \(31 of 64 tiles free, 1 marked bad, 32 not known to be good\)' "$said"
refused job_mask --gres=rdu:1 --tile-affinity=rdu7
like 'a wish for an unknown tile is refused' 'tile 7\.0 is not known to be good: ask for other tiles or wait' "$said"
output=$(ann tessera status --node=$node)
like 'the map shows the unknown tiles' '^XRDU_2  \? \? \? \? \? \? \? \?   \? \? \? \? \? \? \? \?$' "$output"
like 'the summary counts the unknown tiles' ': 0 of 64 tiles held, 31 free, 1 bad, 32 unknown$' "$output"
like 'the table has a row of unknown tiles' '^\? .* unknown +32 +tiles +rdu4-7 +not allocated' "$output"
rm "$sick/fault.snfadm"

# Tiles with a result that is too old are unknown. A new result helps a job that already waits.
keys
fine health >/dev/null
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1000000000/' "$cache"
like 'tiles with an old result are unknown' ': 0 of 64 tiles bad, 64 unknown and allocated anyway$' "$(health --cached)"
like 'the table shows the old result' '^snfadm +old +[0-9]+ days +64 +1 +3\.5' "$(health --cached)"
is 'the tiles are used' $all "$(job_mask --gres=rdu:8)"
output=$(ann tessera status --node=$node)
like 'status says that the result is too old' '^health: the result of snfadm is too old, [0-9]+ days: run tessera health$' "$output"
unlike 'status has no row of it' 'unknown|bad' "$output"
is 'metrics count the unknown tiles' ' 64' "$(run tessera metrics --node=$node | sed -n 's/^tessera_tiles_\(bad\|unknown\){.*} / /p')"
like 'metrics report the age of the result' 'tessera_health_age_seconds\{node="sn30-r1-h1",source="snfadm"\} [1-9][0-9]{8}' "$(run tessera metrics --node=$node)"
keys 'UnknownTiles = avoid'
job=$(ann sbatch --parsable -o old.out -w $node --gres=rdu:6 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$job" RUNNING
is 'the waiting job has no tiles yet' '' "$(rows $node)"
like 'status shows unknown tiles' '^\? .* unknown +64 +tiles +rdu0-7 +not allocated' "$(ann tessera status --node=$node)"
fine health >/dev/null
reaches "$job" COMPLETED
await 'the tiles are released' no_rows
is 'the job has its tiles after the new result' $good "$(cat "$(home ann)/old.out")"

# After the clock was set back, bad tiles are not allocated, and good ones are unknown.
keys
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 99999999999/' "$cache"
like 'good tiles of a future result are unknown' ': 2 of 64 tiles bad, 62 unknown and allocated anyway$' "$(health --cached)"
like 'the table shows a future result' '^snfadm +ahead +0 s +64 +1 +3\.5' "$(health --cached)"
is 'bad tiles of a future result are not allocated' $good "$(job_mask --gres=rdu:6)"
output=$(ann tessera status --node=$node)
like 'status says that the result is of the future' '^health: the result of snfadm has a time in the future, only bad tiles count' "$output"
like 'status has rows of the bad tiles' '^X .* bad +1 +tiles +3\.5 +snfadm: ' "$output"

# With HealthMax = 0 a result never gets too old.
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1000000000/' "$cache"
keys 'HealthMax = 0'
is 'an old result counts with HealthMax = 0' $good "$(job_mask --gres=rdu:6)"

# A damaged file of results: the tiles are unknown, one line is logged, and the next result replaces
# it.
keys
echo nonsense >"$cache"
lines() { grep -c "state/$node/health:1: not a health file" "$TESSERA_LAB/log/$node.log"; }
before=$(lines)
is 'a job runs' $all "$(job_mask --gres=rdu:8)"
is 'one line is logged' $((before + 1)) "$(lines)"
code=0
said=$(ann tessera status --node=$node 2>&1) || code=$?
is 'status: the exit code' 1 "$code"
like 'status: the message' 'health:1: not a health file' "$said"
like 'status prints the rest' '0 of 64 tiles held, 64 free' "$said"
code=0
said=$(health 2>&1) || code=$?
is 'health: the exit code' 1 "$code"
like 'health: the message' 'health:1: not a health file' "$said"
like 'health replaces the file' ': 2 of 64 tiles bad$' "$said"
fine health >/dev/null

# No tool is configured: no tile is unknown, and a message says so.
keys 'SnfadmCommand = ""' 'SnconfigCommand = ""' 'UnknownTiles = avoid'
said=$(fine health 2>&1)
like 'the message says that no tool is configured' 'tessera.conf names no tool that reports bad tiles of node sn30-r1-h1' "$said"
like 'no tile is bad' ': 0 of 64 tiles bad$' "$said"
is 'all tiles are used' $all "$(job_mask --gres=rdu:8)"
