#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd and slurmctld restart under a running job: its row stays. The row of a job that ended while
# slurmd was down is removed when slurmd starts.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:2 --wrap 'sleep 600')
reaches "$job" RUNNING
# Slurm reports RUNNING while the prolog is still running.
has_row() { [ -n "$(rows $node)" ]; }
await 'the row of the job exists' has_row
row=$(rows $node)
like 'the row names the tiles' "^job $job uid $(id -u tess-ann) state held .* tiles 0-15 " "$row"
fine "$lab" restart $node
is 'the row stays after a restart of slurmd' "$row" "$(rows $node)"
fine "$lab" restart ctld
is 'the row stays after a restart of slurmctld' "$row" "$(rows $node)"
is 'the job is still running' RUNNING "$(state_of "$job")"
is 'the next job gets other tiles' 0x0000000000ff0000 \
	"$(bob srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
fine run scancel "$job"
await 'the rows are removed' no_rows

# A leftover row of an unknown job.
sed -i "s/^end 0/job 999999 uid 0 state held restarts 0 tiles 0-63 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
like 'the row exists' 'job 999999' "$(rows $node)"
conf=$TESSERA_LAB/etc/tessera.conf
like 'a dry run lists the tiles' '^job 999999 .*rdu0-7 would be released' "$(run tessera reap --dry-run --node=$node --conf="$conf")"
like 'a dry run removes nothing' 'job 999999' "$(rows $node)"
code=0
ann tessera reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
is 'a user may not reap' 4 "$code"
touch "$TESSERA_LAB/state/$node/failed.999999"
like 'reap releases the tiles' '^job 999999 .*rdu0-7 released' "$(run tessera reap --node=$node --conf="$conf")"
is 'reap removes the row' '' "$(rows $node)"
[ ! -e "$TESSERA_LAB/state/$node/failed.999999" ] || fail 'the failure record of an unknown job is left'
sed -i "s/^end 0/job 999999 uid 0 state held restarts 0 tiles 0-63 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
like 'the row exists' 'job 999999' "$(rows $node)"
fine "$lab" restart $node
gone() { [ -z "$(rows $node)" ]; }
await 'a restart of slurmd removes the row' gone
