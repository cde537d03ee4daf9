#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# With LeftoverProcesses = kill the leftover processes of a job are ended, with SIGTERM first.
# Processes of running jobs, of other users, of root, and those whose job slurmd does not name are
# not signalled.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/leftover.bash"

lives() { [ -e "/proc/$1" ]; }
new_holder() { device_users $node | grep -vxF -e "$(printf '%s\n' "$@")"; }

# A process that a job left before the policy was kill.
policy 'LeftoverProcesses = quarantine' 'PlaceWait = 0'
old=$(leave_process --stubborn)
finishes "$old"
policy 'LeftoverProcesses = kill' 'LeftoverWait = 3600' 'PlaceWait = 0'
like 'a dry run signals no process' "^job $old .* rdu0 would be withheld" "$(reap --dry-run)"
fine has_device_users 1
# slurmd would end reap after a minute if it ran as HealthCheckProgram, so reap gives processes less
# time.
said=$(run timeout 60 tessera reap --node=$node --conf="$conf" 2>&1)
like 'reap releases the tiles' "^job $old .* rdu0 released\$" "$said"
like 'reap names the signalled process' "^tessera: job $old ended; sent SIGKILL to its process" "$said"
fine no_device_users
rm -f "$TESSERA_LAB"/use/*

# A process that obeys SIGTERM, and one that does not.
job=$(leave_process)
finishes "$job"
fine no_device_users
is 'the tiles are released' '' "$(rows $node)"
is 'SIGTERM is enough' '1 0' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL')"
# A stopped process that needs a while after it continues.
policy 'LeftoverProcesses = kill' 'LeftoverWait = 60' 'PlaceWait = 0'
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap \
	"use-tiles --leave --linger 0.5; for left in \$TESSERA_LAB/use/$node.*; do kill -STOP \${left##*.}; done")
finishes "$job"
fine no_device_users
is 'the process has time to end' '1 0' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL')"
policy 'LeftoverProcesses = kill' 'LeftoverWait = 1' 'PlaceWait = 0'
job=$(leave_process --stubborn)
finishes "$job"
fine no_device_users
is 'the tiles are released' '' "$(rows $node)"
is 'SIGKILL follows SIGTERM' '1 1' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL to its process')"

# Another job of ann, bob and root are spared; ann's process outside any job is not.
other=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'use-tiles 1 & srun use-tiles 2 & wait')
await 'two processes use the device' has_device_users 2
bob use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'a process of bob uses it too' has_device_users 3
spared=$(device_users $node)
ann use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'a process of ann uses it too' has_device_users 4
# shellcheck disable=SC2086
outside=$(new_holder $spared)
job=$(leave_process)
finishes "$job"
await 'the processes have ended' has_device_users 3
is 'the other processes are running' "$spared" "$(device_users $node)"
is 'two processes were signalled' 2 "$(logged "$job" 'sent SIGTERM to its process')"
is 'one of them was outside any job' 1 "$(logged "$job" "sent SIGTERM to its process $outside ")"
like 'only the running job has tiles' "^job $other [^!]*\$" "$(rows $node)"

# A parent that only names itself slurmstepd does not protect a process.
# shellcheck disable=SC2016
ann bash -c 'echo slurmstepd >/proc/$$/comm && use-tiles --node "$1" --mask 0xf0; exit' - $node >/dev/null 2>&1 &
await 'the child uses the device' has_device_users 4
# shellcheck disable=SC2086
outside=$(new_holder $spared)
is 'the parent is named slurmstepd' slurmstepd "$(cat "/proc/$(sed -n 's/^PPid:\t//p' "/proc/$outside/status")/comm")"
job=$(leave_process)
finishes "$job"
await 'the processes have ended' has_device_users 3
is 'the other processes are running' "$spared" "$(device_users $node)"
is 'the child was signalled' 1 "$(logged "$job" "sent SIGTERM to its process $outside ")"

# proctrack/linuxproc loses a process with a space in its name. It is still spared and withholds
# nothing, since it descends from the slurmstepd of its job.
space=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap "use-tiles --name 'a b'")
await 'the process uses the device' has_device_users 4
spared=$(device_users $node)
job=$(leave_process)
finishes "$job"
await 'the leftover process has ended' has_device_users 4
is 'the process is still running' "$spared" "$(device_users $node)"
is 'one process was signalled' 1 "$(logged "$job" 'sent SIGTERM to its process')"
await_released "$job"
fine run scancel "$space"
finishes "$space"
spared=$(device_users $node)

# slurmd does not name the job of a process: no process is signalled, and no tiles are released.
sed -i "s/^end 1/job 999999 uid $ann_id state held restarts 0 tiles 56-63 text -\nend 2/" "$TESSERA_LAB/state/$node/ledger"
like 'the row exists' '^job 999999' "$(rows $node)"
slurmd=$(sed 's/ .*//' "$TESSERA_LAB/pids/$node")
kill -KILL "$slurmd"
said=$(reap 2>&1)
like 'the tiles are withheld' '^job 999999 .* rdu7 withheld: process [0-9]+ \(use-tiles\) of uid' "$said"
like 'the message says why no process is signalled' 'not signalling process .* of ended job [0-9]+: cannot query the job of process' "$said"
is 'all processes are running' "$spared" "$(device_users $node)"
fine "$lab" restart $node
await_released 999999
is 'all processes are still running' "$spared" "$(device_users $node)"
fine run scancel "$other"
finishes "$other"
kill_leftovers
wait

# Processes of root.
fine run srun -w $node --gres=rdu:1 use-tiles --leave
is_withheld_now() { grep -q ' uid 0 state withheld ' <<<"$(rows $node)"; }
await 'the tiles are withheld' is_withheld_now
await 'the job has left the queue' no_jobs
fine has_device_users 1
fine reap >/dev/null
fine has_device_users 1
fine is_withheld_now
kill_leftovers
fine reap >/dev/null
is 'no row is left in the ledger' '' "$(rows $node)"
