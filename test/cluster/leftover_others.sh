#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# Only processes of the job's user that no running job owns withhold its tiles; those of other jobs
# and users do not. A requeued job does not get the tiles of its earlier run while these are
# withheld, and daemons of root do not matter.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

policy 'LeftoverProcesses = quarantine' 'LeftoverWait = 3600' 'PlaceWait = 0'

# Another job of ann, in its script and in a step, and one of bob.
other=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'use-tiles 1 & srun use-tiles 2 & wait')
await 'two processes use the device' has_device_users 2
bob use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'a process of bob uses it too' has_device_users 3
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap true)
finishes "$job"
like 'no tiles are withheld' "^job $other .*\$" "$(rows $node)"
# A process of ann outside any job withholds the tiles. Its pid may be the lowest: pids wrap.
before=$(device_users $node | sort)
job=$(leave_process)
finishes "$job"
await_withheld "$job"
leftover=$(comm -13 <(echo "$before") <(device_users $node | sort))
like 'the row names the process' " tiles 8-15 text process $leftover \(use-tiles\) of uid $ann_id" "$row"
# Another job of ann still uses the device, but the leftover process has ended.
kill -KILL "$leftover"
await 'the leftover process has ended' has_device_users 3
like 'reap releases the tiles' "^job $job .* rdu1 released\$" "$(reap)"

fine run scancel "$other"
finishes "$other"
await 'only bob uses the device' has_device_users 1
kill_leftovers
wait

# A job that is requeued after its first run left a process.
job=$(ann sbatch --parsable --requeue -o /dev/null -w $node --gres=rdu:1 \
	--wrap "[ -n \"\$SLURM_RESTART_COUNT\" ] && srun printenv SF_RNT_TILE_AFFINITY >again.out && use-tiles; use-tiles --leave; sleep 600")
await 'one process is left behind' has_device_users 1
left=$(leftover_pids)
fine run scontrol requeue "$job"
reaches "$job" PENDING
is 'the tiles of the first run are withheld' "job $job uid $ann_id state withheld restarts 0 tiles 0-7" "$(rows $node | cut -d' ' -f1-10)"
# Slurm would delay the job for two minutes, and would not start it on the same node within this
# second.
await 'Slurm allows it to start' eval "run scontrol update jobid=$job StartTime=now+2seconds 2>/dev/null"
run_again() { [ "$(rows $node | grep -c "^job $job ")" = 2 ]; }
await 'the job runs again' run_again
is 'the ledger has both runs' "job $job uid $ann_id state held restarts 1 tiles 8-15 tasks 1 of 1 since
job $job uid $ann_id state withheld restarts 0 tiles 0-7 text" "$(rows $node | sed 's/ since .*/ since/; s/ text .*/ text/')"
await 'the second run uses the device' has_device_users 2
is 'the steps have the tiles of the second run' 0x000000000000ff00 "$(cat "$(home ann)/again.out")"
like 'the map shows both runs' '^XRDU_0  ! ! ! ! ! ! ! !   a a a a a a a a$' "$(status)"
like 'the tiles of the first run are still withheld' "^job $job .* rdu0 withheld: process $left \(use-tiles\) of uid" "$(reap)"
kill -KILL "$left"
await 'the leftover process has ended' has_device_users 1
is 'reap releases the tiles of the first run' "job $job (uid $ann_id) ended: rdu0 released" "$(reap)"
is 'the row of the second run stays' 1 "$(rows $node | wc -l)"
fine run scancel "$job"
finishes "$job"
is 'no row is left in the ledger' '' "$(rows $node)"
rm "$(home ann)/again.out"

# The row of an earlier job with the same number, whose epilog failed; it had more tiles.
ann use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'a process of ann uses the device' has_device_users 1
job=$(ann sbatch --parsable --hold -o again.out -w $node --gres=rdu:1 --wrap 'printenv SF_RNT_TILE_AFFINITY')
sed -i "s/^end 0/job $job uid $ann_id state held restarts 0 tiles 0-15 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
fine run scontrol release "$job"
finishes "$job"
is 'the job has other tiles' 0x0000000000ff0000 "$(cat "$(home ann)/again.out")"
is 'the tiles of the earlier job are withheld' "job $job uid $ann_id state withheld restarts 0 tiles 0-15" "$(rows $node | cut -d' ' -f1-10)"
kill_leftovers
wait
is 'the next job gets them' 0x00000000000000ff "$(mask bob)"
rm "$(home ann)/again.out"

# The same for a job without tiles.
job=$(ann sbatch --parsable --hold -o again.out -w $node --wrap 'echo "${SF_RNT_TILE_AFFINITY-none}"')
sed -i "s/^end 0/job $job uid $ann_id state held restarts 0 tiles 0-15 text -\nend 1/" "$TESSERA_LAB/state/$node/ledger"
fine run scontrol release "$job"
finishes "$job"
is 'a job without tiles gets none' none "$(cat "$(home ann)/again.out")"
is 'no row is left in the ledger' '' "$(rows $node)"
rm "$(home ann)/again.out"

# Daemons of root use the device all the time. Leftover processes of root's jobs withhold tiles.
run use-tiles --node $node --mask 0xf000 >/dev/null 2>&1 &
await 'the daemon uses the device' has_device_users 1
fine run srun -w $node --gres=rdu:1 true
await 'the job has left the queue' no_jobs
is 'the daemon withholds no tiles' '' "$(rows $node)"
fine run srun -w $node --gres=rdu:1 use-tiles --leave
is_withheld_now() { grep -q ' uid 0 state withheld .* text process .* of uid 0 still' <<<"$(rows $node)"; }
await 'the tiles of the job of root are withheld' is_withheld_now
kill_leftovers
wait
fine reap >/dev/null
is 'no row is left in the ledger' '' "$(rows $node)"
