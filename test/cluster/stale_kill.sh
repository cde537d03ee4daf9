#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2119
# With StaleHolders = kill what a job leaves behind is ended, politely first. Processes of running jobs, of other users, of
# root, and those that slurmd says nothing of live on.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/stale.bash"

lives() { [ -e "/proc/$1" ]; }
holds() { [ "$(device_holders $node | wc -l)" = "$1" ]; }
new_holder() { device_holders $node | grep -vxF -e "$(printf '%s\n' "$@")"; }

# Something left by a job from before anybody was to be killed.
policy 'StaleHolders = quarantine' 'PlaceWait = 0'
old=$(leave --stubborn)
finishes "$old"
policy 'StaleHolders = kill' 'StaleWait = 3600' 'PlaceWait = 0'
like 'a dry run does nothing' "^job $old .* rdu0 would be kept back" "$(reap --dry-run)"
fine holds 1
# slurmd would end it after a minute, as HealthCheckProgram: those it ends have less time for that.
said=$(run timeout 60 tessera reap --node=$node --conf="$conf" 2>&1)
like 'reap' "^job $old .* rdu0 given back\$" "$said"
like 'it says whom it ended' "^tessera: job $old has ended: sent SIGKILL to its process" "$said"
fine no_device_holders
rm -f "$TESSERA_LAB"/use/*

# One that hears SIGTERM, and one that does not.
job=$(leave)
finishes "$job"
fine no_device_holders
is 'given back' '' "$(rows $node)"
is 'politely' '1 0' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL')"
# One that is stopped, and needs a while when it goes on.
policy 'StaleHolders = kill' 'StaleWait = 60' 'PlaceWait = 0'
job=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap \
	"use-tiles --leave --linger 0.5; for left in \$TESSERA_LAB/use/$node.*; do kill -STOP \${left##*.}; done")
finishes "$job"
fine no_device_holders
is 'it had its time' '1 0' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL')"
policy 'StaleHolders = kill' 'StaleWait = 1' 'PlaceWait = 0'
job=$(leave --stubborn)
finishes "$job"
fine no_device_holders
is 'given back' '' "$(rows $node)"
is 'then not' '1 1' "$(logged "$job" 'sent SIGTERM to its process') $(logged "$job" 'sent SIGKILL to its process')"

# Who is spared: another job of ann's, bob, and root; who is not: ann beside any job.
other=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'use-tiles 1 & srun use-tiles 2 & wait')
await 'they hold it' holds 2
bob use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'bob, too' holds 3
spared=$(device_holders $node)
ann use-tiles --node $node --mask 0xf0 >/dev/null 2>&1 &
await 'ann, too' holds 4
# shellcheck disable=SC2086
outside=$(new_holder $spared)
job=$(leave)
finishes "$job"
await 'they have gone' holds 3
is 'the others are there' "$spared" "$(device_holders $node)"
is 'two were ended' 2 "$(logged "$job" 'sent SIGTERM to its process')"
is 'one of them beside any job' 1 "$(logged "$job" "sent SIGTERM to its process $outside ")"
like 'only the running job has tiles' "^job $other [^!]*\$" "$(rows $node)"

# A parent that only calls itself a slurmstepd spares nobody.
# shellcheck disable=SC2016
ann bash -c 'echo slurmstepd >/proc/$$/comm && use-tiles --node "$1" --mask 0xf0; exit' - $node >/dev/null 2>&1 &
await 'its child holds the device' holds 4
# shellcheck disable=SC2086
outside=$(new_holder $spared)
is 'its parent' slurmstepd "$(cat "/proc/$(sed -n 's/^PPid:\t//p' "/proc/$outside/status")/comm")"
job=$(leave)
finishes "$job"
await 'they have gone' holds 3
is 'the others are there' "$spared" "$(device_holders $node)"
is 'it was ended' 1 "$(logged "$job" "sent SIGTERM to its process $outside ")"

# Slurm's own proctrack/linuxproc loses sight of a process that has a space in its name: it is spared all the same, and
# withholds nothing, because it descends from its job's slurmstepd.
space=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap "use-tiles --name 'a b'")
await 'it holds the device' holds 4
spared=$(device_holders $node)
job=$(leave)
finishes "$job"
await 'what was left has gone' holds 4
is 'it is there' "$spared" "$(device_holders $node)"
is 'one was ended' 1 "$(logged "$job" 'sent SIGTERM to its process')"
given_back "$job"
fine run scancel "$space"
finishes "$space"
spared=$(device_holders $node)

# slurmd does not say whose a process is: nobody is killed, and nothing given back.
sed -i "s/^end 1/job 999999 uid $ann_id state held restarts 0 tiles 56-63 text -\nend 2/" "$TESSERA_LAB/state/$node/ledger"
like 'the row' '^job 999999' "$(rows $node)"
slurmd=$(sed 's/ .*//' "$TESSERA_LAB/pids/$node")
kill -KILL "$slurmd"
said=$(reap 2>&1)
like 'kept back' '^job 999999 .* rdu7 kept back: process [0-9]+ \(use-tiles\) of uid' "$said"
like 'let be' 'is let be: slurmd does not say whose process' "$said"
is 'all are there' "$spared" "$(device_holders $node)"
fine "$lab" restart $node
given_back 999999
is 'all are there still' "$spared" "$(device_holders $node)"
fine run scancel "$other"
finishes "$other"
end_left
wait

# Root.
fine run srun -w $node --gres=rdu:1 use-tiles --leave
kept() { grep -q ' uid 0 state stale ' <<<"$(rows $node)"; }
await 'kept back' kept
await 'the job has left' no_jobs
fine holds 1
fine reap >/dev/null
fine holds 1
fine kept
end_left
fine reap >/dev/null
is 'all is free' '' "$(rows $node)"
