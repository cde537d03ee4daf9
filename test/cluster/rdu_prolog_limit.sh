#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PlaceWait is longer than Slurm lets a prolog run: a job that waits for tiles gives up before Slurm ends its prolog, and so
# nobody can have a node drained by a wish for tiles that are taken.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h1
slurm=$TESSERA_LAB/etc/slurm.conf
cp "$slurm" "$slurm.saved"
undo() {
	rewrite "$slurm" <"$slurm.saved"
	rm -f "$slurm.saved"
	run scontrol reconfigure
}
trap undo EXIT
{ cat "$slurm.saved" && echo 'PrologEpilogTimeout=6'; } | rewrite "$slurm"
fine run scontrol reconfigure
limited() { run scontrol show config | grep -q '^PrologEpilogTimeout *= 6$'; }
await 'Slurm has the limit' limited

holder=$(ann sbatch --parsable -w $node --gres=rdu:1 --tile-affinity=rdu0 -o /dev/null --wrap 'sleep 600')
reaches "$holder" RUNNING
holds() { rows $node | grep -q "^job $1 "; }
await 'it holds its tiles' holds "$holder"
refused bob srun -Q -w $node --gres=rdu:1 --tile-affinity=rdu0 true
like 'who waited in vain is told' "tessera: .*job $holder" "$said"
unlike 'the node stays' 'drain|down|fail' "$(run sinfo -hn $node -o '%T %E')"
fine run scancel "$holder"
await 'the queue is empty' no_jobs
