#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The use of tiles and IPUs is summed while a job runs, and sacct shows it afterwards: half of them,
# none of them, or unknown.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/samples.bash"
clear_samples

half=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu:1 --wrap 'use-tiles 4')
none=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --wrap 'sleep 600')
reaches "$none" RUNNING
in_use $one 1
said=$(fine sample $one --dry-run)
is 'a dry run lists the use' "job $half: 4 of 8 tiles in use
job $none: 0 of 4 tiles in use" "$said"
is 'a dry run writes nothing' '' "$(sampled_jobs $one)"

# The first sample only sets the time; its interval is unknown.
fine sample $one
is 'the first sample counts nothing' '0 0' "$(sample_value $one "$half" seen) $(sample_value $one "$half" tiles)"
fine sample $one --interval=60
fine sample $one --interval=30
is 'half of the tiles are used' '90 360 0' "$(sample_value $one "$half" seen) $(sample_value $one "$half" tiles) $(sample_value $one "$half" outside)"
is 'no tile is used' '90 0 0' "$(sample_value $one "$none" seen) $(sample_value $one "$none" tiles) $(sample_value $one "$none" outside)"
is 'IPUs are unknown on this node' - "$(sample_value $one "$half" ipus)"
is 'nothing is delivered while the jobs run' '' "$(comment "$half")$(comment "$none")"

ends "$half" "$none"
await_delivered $one "$half" "$none"
is 'sacct has the use of half of the tiles' "$(object $one 360 null 0 90)" "$(comment "$half")"
is 'sacct has a use of zero' "$(object $one 0 null 0 90)" "$(comment "$none")"
is 'the sample records are removed' 'used.0 ' "$(sampled_jobs $one)"

# A job that ended before a second sample.
short=$(ann sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --wrap 'sleep 600')
reaches "$short" RUNNING
fine sample $one
ends "$short"
await_delivered $one "$short"
is 'an unknown use is null' "$(object $one null null null 0)" "$(comment "$short")"

# IPUs.
node=gc-poplar-02
job=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=4 --wrap 'use-ipus 2')
idle=$(bob sbatch --parsable -o /dev/null -p p64 -w $node --ipus=2 --wrap 'sleep 600')
reaches "$idle" RUNNING
in_use $node 1
is 'a dry run lists the use of IPUs' "job $job: 2 of 4 IPUs in use from here
job $idle: 0 of 2 IPUs in use from here" "$(sample $node --dry-run | sort -V)"
fine sample $node --interval=60
ends "$job" "$idle"
await_delivered $node "$job" "$idle"
is 'sacct has the use of IPUs' "$(object $node null 120 null 60)" "$(comment "$job")"
is 'sacct has a use of zero IPUs' "$(object $node null 0 null 60)" "$(comment "$idle")"
clear_samples
