#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd is killed while a prolog creates a partition, and its job ends meanwhile. The prolog leaves
# neither a record nor a partition, even without tessera reap.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/prologs.bash
. "$(dirname "$0")/prologs.bash"

node=gc-poplar-02
trap 'vipu delay 0' EXIT
finished() { [ -z "$(run squeue -hj "$job" 2>/dev/null)" ]; }

fine vipu delay 1000
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap true)
await 'the partition is pending' has_pending_partition "$job"
# The prolog is stopped until the epilog of the job has ended. (Stopped earlier, it would end with
# slurmd, from SIGHUP.)
pid=$(prologs)
read -r slurmd _ <"$TESSERA_LAB/pids/$node"
kill -KILL "$slurmd"
await 'slurmd has ended' has_ended "$slurmd"
fine kill -STOP "$pid"
fine run scancel "$job"
fine "$lab" restart $node
await 'the job has ended' finished
fine kill -CONT "$pid"
await 'the prolog has ended' no_prologs
is 'no job record is left' '' "$(job_records $node)"
is 'no partition is left' '' "$(vipu list)"
