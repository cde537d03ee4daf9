#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tool that hangs, fails, prints another version's format, garbage or another platform, or is missing: a sentence, exit 3, and
# what it said before counts until it is too old. Then nothing is known, and tessera.conf says whether such tiles are used.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"

all=0xffffffffffffffff
good=0xff00ffff00ffffff # without RDUs 3 and 6
breaks /NODE/XRDU_1/RDU_1/TILE_5 'hung /NODE/XRDU_3/RDU_0/TILE_0'
picture=$(fine health)
like 'how many' "^$node  DataScale SN30-8: 2 of 64 tiles bad\$" "$picture"
like 'where' '^XRDU_3  X \. \. \. \. \. \. \.   \. \. \. \. \. \. \. \.$' "$picture"
like 'by snfadm' '^snfadm +current .* 64 +1 +3\.5 +3\.5 is Present, Offline$' "$picture"
like 'by snconfig' '^snconfig +current .* 64 +1 +6\.0 +6\.0: State: not perfect$' "$picture"
like 'anyone may look' '^snfadm +current .* 64 +1 +3\.5 +3\.5 is Present, Offline$' "$(ann tessera health --node=$node)"
asked=$(said_of snfadm time)

# wrong TOOL SENTENCE [KEY]...: the tool fails, which is told, and kept beside its old answer. The other one is asked all the same.
wrong() {
	local tool=$1 other=snconfig code=0
	[ "$tool" = snfadm ] || other=snfadm
	keys "${@:3}"
	# An answer of long ago, so that a new one is another.
	sed -i "s/^\(source [a-z]* time\) [0-9]*/\1 $((asked - 5))/" "$cache"
	said=$(run tessera health --node=$node 2>&1 >/dev/null) || code=$?
	is "$2: exit code" 3 "$code"
	is "$2: lines" 1 "$(wc -l <<<"$said")"
	like "$2: sentence" "^tessera: $tool: .*$2" "$said"
	is "$2: it grows old" $((asked - 5)) "$(said_of "$tool" time)"
	like "$2: the text says why" "$2" "$(health --cached --json -o source,text)"
	[ "$(said_of "$other" time)" -ge "$asked" ] || broken "$2: $other was not asked"
	is "$2: what it said counts" $good "$(granted --gres=rdu:6)"
}
# by FAULT SENTENCE
by() {
	echo "$1" >"$sick/fault.snfadm"
	wrong snfadm "$2"
	rm -f "$sick/fault.snfadm"
}
by fail 'env failed with 1: snfadm: SND is not running'
by garbage 'not understood: line 2: the end, and there was no tile'
by other 'not understood: line 6: a component, but no head'
by cut 'not understood: line [0-9]+: it has no end'
by platform 'the platform is called DataScale SN99-8, but a sn30-8 is a DataScale SN30-8'
wrong snfadm '/bin/sleep did not end in time, and was killed after 1 seconds' \
	'HealthWait = 1' 'SnfadmCommand = "/bin/sleep 600"'
wrong snfadm '/nowhere/snfadm: No such file' 'SnfadmCommand = "/nowhere/snfadm"'
wrong snfadm 'printed more than 1 MiB' 'SnfadmCommand = "/usr/bin/seq 1000000"'
keys
echo fail >"$sick/fault.snconfig"
wrong snconfig 'env failed with 1: snconfig: SND is not running'
rm "$sick/fault.snconfig"
wrong snconfig 'no tile was found, or none that' 'SnconfigBad = "hung"' 'SnconfigGood = "healthy"'
keys

# Two at once: the second one is told to come again. Nothing of what it kept is lost.
echo hang >"$sick/fault.snfadm"
health >/dev/null &
await 'the first one has the lock, and asks the tool' test -e "$sick/hangs.snfadm"
refused health
like 'the second one is told' 'health.lock is held by another process' "$said"
like 'and shows what is kept' '^snfadm +current' "$said"
rm "$sick/fault.snfadm"
fine wait $!

# In other words: --csv, and a site that says what is good.
csv=$(sed -n 's/^SnfadmCommand = "\(.*\)"$/SnfadmCommand = "\1 --csv"/p' "$conf")
keys "$csv" 'SnconfigBad = ""' 'SnconfigGood = ": perfect"'
fine health >/dev/null
is 'snfadm --csv' '64 1 3.5' "$(said_of snfadm known,bad,tiles)"
is 'what is not called good is not known' '63 0 -' "$(said_of snconfig known,bad,tiles)"
keys

# A list with a hole: what is not in it is not known, unless the other one knows it.
echo half >"$sick/fault.snfadm"
fine health >/dev/null
is 'half of it' '32 1' "$(said_of snfadm known,bad)"
like 'the other one knows' ': 2 of 64 tiles bad$' "$(health --cached)"
keys 'SnconfigCommand = ""'
fine health >/dev/null
like 'nobody knows' ': 1 of 64 tiles bad, 32 unknown and used all the same$' "$(health --cached)"
is 'a source that is not asked any more is forgotten' '' "$(said_of snconfig known)"
is 'used all the same' 0xffffffff00ffffff "$(granted --gres=rdu:7)"
keys 'SnconfigCommand = ""' 'UnknownTiles = avoid' 'PlaceWait = 0' 'MaxRequeue = 0'
like 'avoided' ': 1 of 64 tiles bad, 32 unknown and not handed out$' "$(health --cached)"
is 'three RDUs are left' 0x0000000000ffffff "$(granted --gres=rdu:3)"
refused granted --gres=rdu:4
like 'why' '4 whole RDUs are needed, 3 are free \(31 of 64 tiles are free, 1 is marked bad, 32 are not known to be good\)' "$said"
refused granted --gres=rdu:1 --tile-affinity=rdu7
like 'a wish' 'tile 7\.0 is not known to be good: ask for other tiles or wait' "$said"
picture=$(ann tessera status --node=$node)
like 'in the picture' '^XRDU_2  \? \? \? \? \? \? \? \?   \? \? \? \? \? \? \? \?$' "$picture"
like 'in its head' ': 0 of 64 tiles held, 31 free, 1 bad, 32 unknown$' "$picture"
like 'in its table' '^\? .* unknown +32 +tiles +rdu4-7 +not handed out' "$picture"
rm "$sick/fault.snfadm"

# Too old is not known. A first answer in a while changes that while a job waits.
keys
fine health >/dev/null
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1000000000/' "$cache"
like 'too old' ': 0 of 64 tiles bad, 64 unknown and used all the same$' "$(health --cached)"
like 'in its table' '^snfadm +old +[0-9]+ days +64 +1 +3\.5' "$(health --cached)"
is 'is used' $all "$(granted --gres=rdu:8)"
picture=$(ann tessera status --node=$node)
like 'status says so' '^health: what snfadm said is too old to count, [0-9]+ days: tessera health asks it$' "$picture"
unlike 'and has no row of it' 'unknown|bad' "$picture"
is 'in numbers' ' 64' "$(run tessera metrics --node=$node | sed -n 's/^tessera_tiles_\(bad\|unknown\){.*} / /p')"
like 'with its age' 'tessera_health_age_seconds\{node="sn30-r1-h1",source="snfadm"\} [1-9][0-9]{8}' "$(run tessera metrics --node=$node)"
keys 'UnknownTiles = avoid'
job=$(ann sbatch --parsable -o old.out -w $node --gres=rdu:6 --wrap 'printenv SF_RNT_TILE_AFFINITY')
reaches "$job" RUNNING
is 'no tiles yet' '' "$(rows $node)"
like 'unknown' '^\? .* unknown +64 +tiles +rdu0-7 +not handed out' "$(ann tessera status --node=$node)"
fine health >/dev/null
reaches "$job" COMPLETED
await 'its tiles are given back' no_rows
is 'now it has them' $good "$(cat "$(home ann)/old.out")"

# The clock was set back: what was bad is not handed out, what was good is not known to be.
keys
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 99999999999/' "$cache"
like 'ahead' ': 2 of 64 tiles bad, 62 unknown and used all the same$' "$(health --cached)"
like 'in its table' '^snfadm +ahead +0 s +64 +1 +3\.5' "$(health --cached)"
is 'what is bad' $good "$(granted --gres=rdu:6)"
picture=$(ann tessera status --node=$node)
like 'status says so' '^health: what snfadm said is of a time yet to come, and only what it called bad counts' "$picture"
like 'and has rows of it' '^X .* bad +1 +tiles +3\.5 +snfadm: ' "$picture"

# Never old, where the site says so.
sed -i 's/^\(source [a-z]* time\) [0-9]*/\1 1000000000/' "$cache"
keys 'HealthMax = 0'
is 'it counts for ever' $good "$(granted --gres=rdu:6)"

# What is kept is damaged: unknown, a line in the log, and the next answer replaces it.
keys
echo nonsense >"$cache"
lines() { grep -c "state/$node/health:1: this is no health file" "$TESSERA_LAB/log/$node.log"; }
before=$(lines)
is 'it runs' $all "$(granted --gres=rdu:8)"
is 'one line' $((before + 1)) "$(lines)"
code=0
said=$(ann tessera status --node=$node 2>&1) || code=$?
is 'status: the exit code' 1 "$code"
like 'status: why' 'health:1: this is no health file' "$said"
like 'and the rest' '0 of 64 tiles held, 64 free' "$said"
code=0
said=$(health 2>&1) || code=$?
is 'health: the exit code' 1 "$code"
like 'health: it is told' 'health:1: this is no health file' "$said"
like 'and replaced' ': 2 of 64 tiles bad$' "$said"
fine health >/dev/null

# Nobody is to be asked: nothing is unknown, and that is told.
keys 'SnfadmCommand = ""' 'SnconfigCommand = ""' 'UnknownTiles = avoid'
said=$(fine health 2>&1)
like 'no tool' 'tessera.conf names no tool that knows which tiles of node sn30-r1-h1 are bad' "$said"
like 'nothing is known to be bad' ': 0 of 64 tiles bad$' "$said"
is 'and all are used' $all "$(granted --gres=rdu:8)"
