#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A lab whose processes were all killed with SIGKILL during a job starts again, and its leftovers
# are removed.
. "$(dirname "$0")/lib.sh"

export TESSERA_LAB=$TESSERA_LAB.killed
trap 'LAB_QUIET=1 "$lab" down 2>/dev/null' EXIT

has_ended() { ! grep -qs '^State:.[^ZX]' "/proc/$task/status"; }

fine "$lab" up --nodes sn10:1
job=$(ann sbatch --parsable -o pid --wrap 'echo $$; exec env -i sleep 600')
await 'the job has written its process ID' test -s "$TESSERA_LAB/home/tess-ann/pid"
read -r task <"$TESSERA_LAB/home/tess-ann/pid"
! has_ended || fail "job $job has no process $task"

for name in "$TESSERA_LAB"/pids/*; do
	read -r pid _ <"$name"
	kill -KILL "$pid"
done
! has_ended || fail 'the task ended with the daemons: this scenario proves nothing'

like 'the second up reports the earlier lab' 'what is left of an earlier lab' "$("$lab" up --nodes sn10:1 2>&1)"
# The process was killed; its end can take a moment.
await "process $task ends with its lab" has_ended
fine run srun -n1 true

# The same with down right after the kill.
read -r pid _ <"$TESSERA_LAB/pids/slurmctld"
kill -KILL "$pid"
fine "$lab" down
[ ! -e "$TESSERA_LAB" ] || fail "$TESSERA_LAB is still there"
is 'no process is left' '' "$(grep -lsz "SLURM_CONF=$TESSERA_LAB/" /proc/[0-9]*/environ | grep -v "/$$/")"
