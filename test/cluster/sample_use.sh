#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a job uses of its tiles and IPUs is added up while it runs, and sacct shows it when it has ended: half of them, none of
# them, or not known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
forget

half=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 4')
none=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --wrap 'sleep 600')
reaches "$none" RUNNING
in_use $one 1
said=$(fine sample $one --dry-run)
is 'a dry run tells' "job $half: 4 of 8 tiles in use
job $none: 0 of 4 tiles in use" "$said"
is 'and writes nothing' '' "$(noted $one)"

# The first one marks the time; what it stands for is not known. Then it is.
fine sample $one
is 'first of all a mark' '0 0' "$(used $one "$half" seen) $(used $one "$half" tiles)"
fine sample $one --interval=60
fine sample $one --interval=30
is 'half' '90 360 0' "$(used $one "$half" seen) $(used $one "$half" tiles) $(used $one "$half" outside)"
is 'none' '90 0 0' "$(used $one "$none" seen) $(used $one "$none" tiles) $(used $one "$none" outside)"
is 'IPUs are not looked at here' - "$(used $one "$half" ipus)"
is 'nothing is told while they run' '' "$(comment "$half")$(comment "$none")"

ends "$half" "$none"
tells $one "$half" "$none"
is 'half, as sacct shows it' "$(object $one 360 null 0 90)" "$(comment "$half")"
is 'none is a zero that is known' "$(object $one 0 null 0 90)" "$(comment "$none")"
is 'the notes are gone' 'used.0 ' "$(noted $one)"

# One that is over before a second sample came.
short=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --wrap 'sleep 600')
reaches "$short" RUNNING
fine sample $one
ends "$short"
tells $one "$short"
is 'not known is no zero' "$(object $one null null null 0)" "$(comment "$short")"

# IPUs.
node=gc-poplar-02
job=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=4 --wrap 'use-ipus 2')
idle=$(bob sbatch --parsable -o /dev/null -p p64 -w $node --ipus=2 --wrap 'sleep 600')
reaches "$idle" RUNNING
in_use $node 1
is 'who uses what' "job $job: 2 of 4 IPUs in use from here
job $idle: 0 of 2 IPUs in use from here" "$(sample $node --dry-run | sort)"
fine sample $node --interval=60
ends "$job" "$idle"
tells $node "$job" "$idle"
is 'IPUs' "$(object $node null 120 null 60)" "$(comment "$job")"
is 'no IPUs' "$(object $node null 0 null 60)" "$(comment "$idle")"
forget
