#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With PrologFlags=RunInJob Slurm runs no SPANK prolog. A job with tiles or IPUs does not run without
# them: its message names the flag, no node is drained, and tessera doctor reports an error. Other jobs
# run, and all do without the flag.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

needs_slurm 24.05
node=sn30-r1-h2
trap restore_slurm_conf EXIT

# names_flag ARG...: a job with these options fails, with the flag in its message.
names_flag() { ! said=$(ann srun -Q "$@" echo ran 2>&1) && grep -q 'PrologFlags=RunInJob' <<<"$said"; }
advice='with PrologFlags=RunInJob Slurm runs no SPANK prolog: .* replace RunInJob by Contain'

edit_slurm_conf 's/^PrologFlags=.*/PrologFlags=RunInJob/'
await 'slurmd has the flag' names_flag -w $node --gres=rdu:1
like 'the message for tiles' "tessera: no tiles were reserved on node $node although Slurm allocated some; $advice" "$said"
unlike 'the job with tiles does not run' '^ran' "$said"
await 'an IPU host has the flag' names_flag -p p64 --ipus=4
like 'the message for IPUs' "tessera: no IPUs were reserved on node .* although Slurm allocated some; $advice" "$said"
unlike 'the job with IPUs does not run' '^ran' "$said"
is 'a job without them runs' ran "$(ann srun -Q -w $node echo ran 2>&1)"
is 'nothing is reserved' '' "$(all_rows)"
is 'no node is drained' '' "$(run sinfo -hN -t drain -o %N)"

found=$(run tessera doctor --raw -o severity,check,where | grep -v '^error prolog_run_in_job slurmctld')
like 'doctor finds an error' "^error prolog_run_in_job .*/slurm.conf" "$found"
like 'doctor advises another flag' '^    write: PrologFlags=Contain$' "$(run tessera doctor)"

restore_slurm_conf
runs() { [ "$(ann srun -Q -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY 2>/dev/null)" = 0x00000000000000ff ]; }
await 'jobs have their tiles again without the flag' runs
is 'doctor finds no flag' '' "$(run tessera doctor --raw -o check | grep prolog_run_in_job)"
