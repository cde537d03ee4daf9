#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Use outside the grant is counted apart: of the job whose process it is, or of no job; never of the job that holds the tile.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
forget

holder=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
await 'it has its tiles' eval "rows $one | grep -q '^job $holder .*held'"
mask=$(run tessera mask --platform sn30-8 "$(rows $one | sed -n "s/^job $holder .* tiles \([^ ]*\) .*/\1/p")")
# Bob's job has tiles of its own, and takes two of Ann's, and two that nobody has.
thief=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 \
	--wrap "use-tiles 1 & use-tiles 2 --mask $mask & use-tiles --mask 0xc000000000000000 & wait")
# One without any tiles takes one, and so does a process of no job.
stranger=$(bob sbatch --parsable -o /dev/null -w $one --wrap "use-tiles --mask 0x1000000000000000")
in_use $one 4
bob use-tiles --node $one --mask 0x0600000000000000 >/dev/null 2>&1 &
in_use $one 5
nobody=$(cd "$TESSERA_LAB/use" && grep -l '57, 58' ./* | sed 's/.*\.//')
trap 'kill "$nobody" 2>/dev/null' EXIT
fine sample $one --interval=10
is 'the holder is not blamed' '0 0' "$(used $one "$holder" tiles) $(used $one "$holder" outside)"
is 'the thief' '10 40' "$(used $one "$thief" tiles) $(used $one "$thief" outside)"
is 'the stranger' '0 10' "$(used $one "$stranger" tiles) $(used $one "$stranger" outside)"
is 'nobody' '20' "$(used $one 0 outside)"
like 'they are named' "^job $thief: 4 tiles in use that it does not hold" "$(sample $one --dry-run)"
like 'and who is nobody' '^no job: 2 tiles in use that belong to others or to nobody' "$(sample $one --dry-run)"

# It ends, and is not counted any more; nor is what lay between.
fine kill "$nobody"
in_use $one 4
fine sample $one --interval=10
is 'nobody any more' '20' "$(used $one 0 outside)"
ends "$holder" "$thief" "$stranger"
tells $one "$holder" "$thief" "$stranger"
is 'told of the thief' "$(object $one 20 null 80 20)" "$(comment "$thief")"
is 'told of the stranger' "$(object $one 0 null 20 20)" "$(comment "$stranger")"
is 'told of the holder' "$(object $one 0 null 0 20)" "$(comment "$holder")"
outside() { run tessera report --conf="$conf" --by=job --job="$1" --csv -o jobs,outside_tile_seconds 2>/dev/null | sed 1d; }
is 'the report names the thief' 1,80 "$(outside "$thief")"
is 'and the stranger, who held nothing' 0,20 "$(outside "$stranger")"
is 'and clears the holder' 1,0 "$(outside "$holder")"
idle=$(ann sbatch --parsable -o /dev/null -w $two --gres=rdu:1 --wrap true)
reaches "$idle" COMPLETED
await 'the report has it' eval '[ -n "$(outside "$idle")" ]'
is 'but nobody has looked at this one' 1, "$(outside "$idle")"
is 'what no job used stays with the node' '20' "$(used $one 0 outside)"
forget
