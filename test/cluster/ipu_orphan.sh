#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd is killed while a prolog makes a partition, and its job ends meanwhile: the prolog leaves neither a record nor a
# partition, though nobody runs tessera reap.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/prologs.bash
. "$(dirname "$0")/prologs.bash"

node=gc-poplar-02
trap 'vipu delay 0' EXIT
is_made() { vipu list | grep -q "^slurm_$1 .*PENDING"; }
finished() { [ -z "$(run squeue -hj "$job" 2>/dev/null)" ]; }

fine vipu delay 1000
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap true)
await 'it is being made' is_made "$job"
# The prolog stands still until the job's epilog is over. (Stopped before, it would end with slurmd, of SIGHUP.)
pid=$(prologs)
read -r slurmd _ <"$TESSERA_LAB/pids/$node"
kill -KILL "$slurmd"
await 'slurmd is gone' is_gone "$slurmd"
fine kill -STOP "$pid"
fine run scancel "$job"
fine "$lab" restart $node
await 'the job has ended' finished
fine kill -CONT "$pid"
await 'the prolog has ended' no_prologs
is 'no record is left' '' "$(notes $node)"
is 'no partition is left' '' "$(vipu list)"
