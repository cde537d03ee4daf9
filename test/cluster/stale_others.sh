#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# What other jobs and users hold is no reason to keep tiles back: only processes of the job's user that no running job
# owns are. A job that is run again does not get its own earlier tiles while they are held, and root's daemons do no harm.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

policy 'StaleHolders = quarantine' 'StaleWait = 3600' 'PlaceWait = 0'
holds() { [ "$(device_holders $node | wc -l)" = "$1" ]; }

# Another job of ann, in its script and in a step, and bob.
other=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'use-tiles 1 & srun use-tiles 2 & wait')
await 'they hold it' holds 2
bob use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'bob, too' holds 3
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap true)
finishes "$job"
like 'nothing is kept back' "^job $other .*\$" "$(rows $node)"
# One of ann's that no job owns is.
job=$(leave)
finishes "$job"
kept_back "$job"
like 'with something left' " tiles 8-15 text process $(device_holders $node | tail -n 1) \(use-tiles\) of uid $ann_id" "$row"
# The row is not that job's: another of ann's still holds the device, but nothing that was left does.
kill -KILL "$(device_holders $node | tail -n 1)"
await 'it has gone' holds 3
like 'reaped' "^job $job .* rdu1 given back\$" "$(reap)"

fine run scancel "$other"
finishes "$other"
await 'bob alone' holds 1
end_left
wait

# A job that is run again: its earlier run left something.
job=$(ann sbatch --parsable --requeue -o /dev/null -w $node --gres=rdu:1 \
	--wrap "[ -n \"\$SLURM_RESTART_COUNT\" ] && srun printenv SF_RNT_TILE_AFFINITY >again.out && use-tiles; use-tiles --leave; sleep 600")
await 'it has left something' holds 1
left=$(left)
fine run scontrol requeue "$job"
reaches "$job" PENDING
is 'its tiles are kept back' "job $job uid $ann_id state stale restarts 0 tiles 0-7" "$(rows $node | cut -d' ' -f1-10)"
# Slurm would let it wait for two minutes. In this second it would not have it on the same node.
await 'Slurm lets it start' eval "run scontrol update jobid=$job StartTime=now+2seconds 2>/dev/null"
run_again() { [ "$(rows $node | grep -c "^job $job ")" = 2 ]; }
await 'it runs again' run_again
is 'its rows' "job $job uid $ann_id state held restarts 1 tiles 8-15 tasks 1 of 1 since
job $job uid $ann_id state stale restarts 0 tiles 0-7 text" "$(rows $node | sed 's/ since .*/ since/; s/ text .*/ text/')"
await 'it uses its own' holds 2
is 'its steps have its own' 0x000000000000ff00 "$(cat "$(home ann)/again.out")"
like 'in the picture, too' '^XRDU_0  ! ! ! ! ! ! ! !   a a a a a a a a$' "$(status)"
like 'what it has now holds nothing of then' "^job $job .* rdu0 kept back: process $left \(use-tiles\) of uid" "$(reap)"
kill -KILL "$left"
await 'what was left has ended' holds 1
is 'given back while it runs' "job $job (uid $ann_id) is gone: rdu0 given back" "$(reap)"
is 'its own row' 1 "$(rows $node | wc -l)"
fine run scancel "$job"
finishes "$job"
is 'all is free' '' "$(rows $node)"
rm "$(home ann)/again.out"

# The row of an earlier job of that number, whose epilog did not get through: it had more than this one.
ann use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'ann holds it' holds 1
job=$(ann sbatch --parsable --hold -o again.out -w $node --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
sed -i "s/^end 0/job $job uid $ann_id state held restarts 0 tiles 0-15 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
fine run scontrol release "$job"
finishes "$job"
is 'it has others' 0x0000000000ff0000 "$(cat "$(home ann)/again.out")"
is 'those are kept back' "job $job uid $ann_id state stale restarts 0 tiles 0-15" "$(rows $node | cut -d' ' -f1-10)"
end_left
wait
is 'the next' 0x00000000000000ff "$(mask bob)"
rm "$(home ann)/again.out"

# The same for a job that was granted none: it has none.
job=$(ann sbatch --parsable --hold -o again.out -w $node --wrap 'echo "${SF_RNT_TILE_AFFINITY-none}"')
sed -i "s/^end 0/job $job uid $ann_id state held restarts 0 tiles 0-15 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
fine run scontrol release "$job"
finishes "$job"
is 'a job without tiles' none "$(cat "$(home ann)/again.out")"
is 'all is free' '' "$(rows $node)"
rm "$(home ann)/again.out"

# Root's daemons have the device open all the time; what a job of root leaves counts.
run use-tiles --node $node --mask 0xf000 >/dev/null 2>&1 &
await 'a daemon' holds 1
fine run srun -w $node --gres=rdu:1 true
await 'the job has left' no_jobs
is 'no reason' '' "$(rows $node)"
fine run srun -w $node --gres=rdu:1 use-tiles --leave
is_kept() { grep -q ' uid 0 state stale .* text process .* of uid 0 still' <<<"$(rows $node)"; }
await 'a job of root' is_kept
end_left
wait
fine reap >/dev/null
is 'all is free' '' "$(rows $node)"
