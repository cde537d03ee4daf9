#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd and slurmctld restart under a running job: its row stays. A row whose job went while slurmd was down is dropped
# when slurmd comes back.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:2 --wrap 'sleep 600')
reaches "$job" RUNNING
# Slurm says RUNNING while the prolog is still at it.
has_row() { [ -n "$(rows $node)" ]; }
await 'its row is there' has_row
row=$(rows $node)
like 'a row' "^job $job uid $(id -u tess-ann) state held .* tiles 0-15 " "$row"
fine "$lab" restart $node
is 'after slurmd' "$row" "$(rows $node)"
fine "$lab" restart ctld
is 'after slurmctld' "$row" "$(rows $node)"
is 'still running' RUNNING "$(state_of "$job")"
is 'a newcomer gets other tiles' 0x0000000000ff0000 \
	"$(bob srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
fine run scancel "$job"
await 'no row' no_rows

# A leftover: the row of a job that nobody knows.
sed -i "s/^end 0/job 999999 uid 0 state held restarts 0 tiles 0-63 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
like 'the leftover' 'job 999999' "$(rows $node)"
conf=$TESSERA_LAB/etc/tessera.conf
like 'dry run' '^job 999999 .*rdu0-7 would be given back' "$(run tessera reap --dry-run --node=$node --conf="$conf")"
like 'only told' 'job 999999' "$(rows $node)"
code=0
ann tessera reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
is 'an ordinary user' 4 "$code"
touch "$TESSERA_LAB/state/$node/failed.999999"
like 'by hand' '^job 999999 .*rdu0-7 given back' "$(run tessera reap --node=$node --conf="$conf")"
is 'gone by hand' '' "$(rows $node)"
[ ! -e "$TESSERA_LAB/state/$node/failed.999999" ] || broken 'the mark of a failed prolog of a job that nobody knows stays'
sed -i "s/^end 0/job 999999 uid 0 state held restarts 0 tiles 0-63 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
like 'another' 'job 999999' "$(rows $node)"
fine "$lab" restart $node
gone() { [ -z "$(rows $node)" ]; }
await 'it is gone with the restart' gone
