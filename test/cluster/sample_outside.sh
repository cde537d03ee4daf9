#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Use outside the allocation is counted separately, for the job of the process or for no job, and
# never for the job that has the tile.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

owner=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'sleep 600')
await 'the job has its tiles' eval "rows $one | grep -q '^job $owner .*held'"
mask=$(run tessera mask --platform sn30-8 "$(rows $one | sed -n "s/^job $owner .* tiles \([^ ]*\) .*/\1/p")")
# Bob's job has tiles of its own, and uses two of Ann's and two free ones.
thief=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 \
	--wrap "use-tiles 1 & use-tiles 2 --mask $mask & use-tiles --mask 0xc000000000000000 & wait")
# A job without tiles uses one, and so does a process outside any job.
stranger=$(bob sbatch --parsable -o /dev/null -w $one --wrap "use-tiles --mask 0x1000000000000000")
in_use $one 4
bob use-tiles --node $one --mask 0x0600000000000000 >/dev/null 2>&1 &
in_use $one 5
no_job=$(cd "$TESSERA_LAB/use" && grep -l '57, 58' ./* | sed 's/.*\.//')
trap 'kill "$no_job" 2>/dev/null' EXIT
fine sample $one --interval=10
is 'the owner of the tiles is not charged' '0 0' "$(sample_value $one "$owner" tiles) $(sample_value $one "$owner" outside)"
is 'use outside the allocation is counted for the job' '10 40' "$(sample_value $one "$thief" tiles) $(sample_value $one "$thief" outside)"
is 'use of a job without tiles is counted' '0 10' "$(sample_value $one "$stranger" tiles) $(sample_value $one "$stranger" outside)"
is 'use outside any job is counted' '20' "$(sample_value $one 0 outside)"
like 'the job is named' "^job $thief: 4 tiles in use that it does not hold" "$(sample $one --dry-run)"
like 'use outside any job is named' '^no job: 2 tiles in use that belong to other jobs or are free' "$(sample $one --dry-run)"

# The process ends and is no longer counted.
fine kill "$no_job"
in_use $one 4
fine sample $one --interval=10
is 'ended processes are not counted' '20' "$(sample_value $one 0 outside)"
ends "$owner" "$thief" "$stranger"
await_delivered $one "$owner" "$thief" "$stranger"
is 'the usage of the job with foreign tiles' "$(object $one 20 null 80 20)" "$(comment "$thief")"
is 'the usage of the job without tiles' "$(object $one 0 null 20 20)" "$(comment "$stranger")"
is 'the usage of the owner' "$(object $one 0 null 0 20)" "$(comment "$owner")"
outside() { run tessera report --conf="$conf" --by=job --job="$1" --csv -o jobs,outside_tile_seconds 2>/dev/null | sed 1d; }
is 'the report has the outside use of the job' 1,80 "$(outside "$thief")"
is 'the report has the job without tiles' 0,20 "$(outside "$stranger")"
is 'the report has no outside use of the owner' 1,0 "$(outside "$owner")"
idle=$(ann sbatch --parsable -o /dev/null -w $two --gres=rdu:1 --wrap true)
reaches "$idle" COMPLETED
await 'the report has the job' eval '[ -n "$(outside "$idle")" ]'
is 'outside use is unknown without a sample' 1, "$(outside "$idle")"
is 'use outside any job stays on the node' '20' "$(sample_value $one 0 outside)"
clear_samples
