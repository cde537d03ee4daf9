#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurm gives prolog and epilog a few seconds (PrologEpilogTimeout), tessera.conf a minute: ours give up before Slurm ends
# them and drains the node; the job goes back to the queue, and what could not be removed is written down.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
slurm=$TESSERA_LAB/etc/slurm.conf
cp "$slurm" "$slurm.saved"
undo() {
	vipu fault none
	vipu remove-delay 0
	site_keys
	rewrite "$slurm" <"$slurm.saved"
	rm -f "$slurm.saved"
	run scontrol reconfigure
}
trap undo EXIT
{ cat "$slurm.saved" && echo 'PrologEpilogTimeout=9'; } | rewrite "$slurm"
fine run scontrol reconfigure
limited() { run scontrol show config | grep -q '^PrologEpilogTimeout *= 9$'; }
await 'Slurm has the limit' limited
site_keys 'CreateWait = 60' 'RemoveWait = 60' 'CallWait = 1'
undrained() { unlike "$1: no node is taken away" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"; }

# A controller that never finishes.
fine vipu fault never
refused ann srun -p p64 -w gc-poplar-03 --ipus=4 true
like 'what is said' 'tessera: partition slurm_[0-9]+ of 4 IPUs could not be made within 2 seconds' "$said"
undrained 'interactive'
fine vipu fault none

# And one that does not answer: a batch job is not lost.
fine vipu fault hang
job=$(ann sbatch --parsable -p p64 -w gc-poplar-03 --ipus=4 --requeue -o limit.out --wrap 'true')
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
said_why() { grep -qs 'within 2 seconds.*the job goes back to the queue (1 of 3)' "$(home ann)/limit.out"; }
await 'it says why' said_why
fine vipu fault none
await 'it is back in the queue' requeued "$job"
fine run scancel "$job"
fine run tessera reap --node=gc-poplar-03 --conf="$conf" >/dev/null
undrained 'batch'

# The epilog: removal takes too long.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
active() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
await 'it has its partition' active "$job"
fine vipu remove-delay 1000
fine run scancel "$job"
await 'the job has ended' no_jobs
note=$TESSERA_LAB/state/gc-poplar-02/job.$job
like 'it is written down' '^state leaving' "$(cat "$note" 2>&1)"
undrained 'epilog'
fine vipu remove-delay 0
like 'reap finishes it' "^job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
[ ! -e "$note" ] || broken 'the note is still there'
rm -f "$(home ann)/limit.out"
