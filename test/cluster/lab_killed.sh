#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A lab whose processes were all killed with -9 in the middle of a job comes up again, and its remains are gone.
. "$(dirname "$0")/lib.sh"

export TESSERA_LAB=$TESSERA_LAB.killed
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT

gone() { ! grep -qs '^State:.[^ZX]' "/proc/$task/status"; }

fine "$lab" up --nodes sn10:1
job=$(ann sbatch --parsable -o pid --wrap 'echo $$; exec env -i sleep 600')
await 'the job has said its process id' test -s "$TESSERA_LAB/home/tess-ann/pid"
read -r task <"$TESSERA_LAB/home/tess-ann/pid"
! gone || broken "job $job has no process $task"

for name in "$TESSERA_LAB"/pids/*; do
	read -r pid _ <"$name"
	kill -KILL "$pid"
done
! gone || broken 'the task went with the daemons: this scenario proves nothing'

like 'the second up' 'what is left of an earlier lab' "$("$lab" up --nodes sn10:1 2>&1)"
# It was killed; the kernel takes a moment for the rest.
await "process $task ends with its lab" gone
fine run srun -n1 true

# The same after a kill, straight to down.
read -r pid _ <"$TESSERA_LAB/pids/slurmctld"
kill -KILL "$pid"
fine "$lab" down
[ ! -e "$TESSERA_LAB" ] || broken "$TESSERA_LAB is still there"
is 'processes left' '' "$(grep -lsz "SLURM_CONF=$TESSERA_LAB/" /proc/[0-9]*/environ | grep -v "/$$/")"
