#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PrologEpilogTimeout is shorter than the limits in tessera.conf: our prolog and epilog give up
# before Slurm ends them and drains the node. The job is requeued, and a partition that could not be
# removed keeps its record.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
undo() {
	vipu fault none
	vipu remove-delay 0
	site_keys
	restore_slurm_conf
}
trap undo EXIT
limit_prologs 9
site_keys 'CreateWait = 60' 'RemoveWait = 60' 'CallWait = 1'
undrained() { unlike "$1: no node is drained or down" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"; }

# A controller that never finishes.
fine vipu fault never
refused ann srun -p p64 -w gc-poplar-03 --ipus=4 true
like 'the message names the limit' 'tessera: partition slurm_[0-9]+ of 4 IPUs could not be created within 2 seconds' "$said"
undrained 'interactive'
fine vipu fault none

# A controller that does not answer: a batch job is not lost.
fine vipu fault hang
job=$(ann sbatch --parsable -p p64 -w gc-poplar-03 --ipus=4 --requeue -o limit.out --wrap 'true')
says_why() { grep -qs 'within 2 seconds.*requeueing the job (1 of 3)' "$(home ann)/limit.out"; }
await 'the output of the job says why' says_why
fine vipu fault none
await 'the job is requeued' requeued "$job"
fine run scancel "$job"
fine run tessera reap --node=gc-poplar-03 --conf="$conf" >/dev/null
undrained 'batch'

# The epilog: removal takes too long.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
fine vipu remove-delay 1000
fine run scancel "$job"
await 'the job has ended' no_jobs
record=$TESSERA_LAB/state/gc-poplar-02/job.$job
like 'the job record is kept' '^state leaving' "$(cat "$record" 2>&1)"
undrained 'epilog'
fine vipu remove-delay 0
like 'reap removes the partition' "^job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
[ ! -e "$record" ] || fail 'the job record is still there'
rm -f "$(home ann)/limit.out"
