#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# IPUs and pools are requested as licenses, in any way and from any client. Slurm counts them, and
# jobs wait for them.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
home=$TESSERA_LAB/home/tess-ann
trap 'rm -rf "$TESSERA_LAB/plain" "$home/script"; run scontrol delete reservation=pool 2>/dev/null' EXIT

by_client() {
	local wanted=$1
	shift
	is "the request of sbatch $*" "$wanted" "$(counts_by ann "$@")"
}
by_controller() {
	local wanted=$1
	shift
	is "the request of the controller for $*" "$wanted" "$(counts_by plain_send "$@")"
}
each_request good_counts by_client
each_request good_counts by_controller

# waiting CMD...: the request of a held srun or salloc.
waiting() {
	local job
	ann "$@" >/dev/null 2>&1 &
	await "$* is in the queue" eval '[ -n "$(run squeue -h -o %A)" ]'
	job=$(run squeue -h -o %A)
	counts_of "$job"
	fine run scancel "$job"
	wait
}
is 'srun' '- ipu:4' "$(waiting srun --hold -p p64 --ipus=4 true)"
is 'srun --pty' '- ipu:4' "$(waiting script -qec 'srun --hold -p p64 --gres=ipu:4 --pty true' /dev/null)"
is 'salloc' '- ipu:4' "$(waiting salloc --hold -p p64 --ipus=4 true)"

printf '%s\n' '#!/bin/sh' '#SBATCH -p p64 -n2' '#SBATCH --ipus=8' '#SBATCH --ipu-gcds=2' >"$home/script"
held() {
	local job
	job=$(ann env "${variables[@]}" sbatch --parsable --hold -o /dev/null "$@") && counts_of "$job" && run scancel "$job"
}
variables=()
is '#SBATCH lines' '- ipu:8' "$(held script)"
is 'the command line before #SBATCH lines' '- ipu:4' "$(held --ipus=4 script)"
is 'an array' '- ipu:2' "$(held -p p64 --array=1-3 --ipus=2 --wrap true)"
is 'components of a heterogeneous job' '- ipu:2
gres:rdu:1,gres:rdu_tile:8 -
- -' "$(held -p p64 --ipus=2 : -p sambanova --gres=rdu:1 : -p p64 -n1 --wrap true)"
# Slurm 23.02 and later accept licenses in the first component only.
others=$(held -p p64 --ipus=2 : -p sambanova --csx=1 --wrap true 2>&1)
[ "$others" = '- ipu:2
- csx:1' ] || like 'licenses of other components' 'license request allowed only on leader job' "$others"

# The environment variables of --ipus and of pools are requests of their own, and options have
# precedence. Other variables only modify a request.
is 'an environment variable requests IPUs' '- ipu:4' "$(variables=(TESSERA_IPUS=4) && held -p p64 --wrap true)"
is 'an environment variable requests a pool' '- csx:1' "$(variables=(TESSERA_CSX=1) && held --wrap true)"
is 'an option before its environment variable' '- ipu:2' "$(variables=(TESSERA_IPUS=4) && held -p p64 --ipus=2 --wrap true)"
is 'GRES before an environment variable' '- ipu:2' "$(variables=(TESSERA_IPUS=4) && held -p p64 --gres=ipu:2 --wrap true)"
is 'licenses before an environment variable' '- csx:2' "$(variables=(TESSERA_CSX=1) && held --licenses=csx:2 --wrap true)"
is 'empty environment variables' '- -' "$(variables=(TESSERA_IPUS='' TESSERA_CSX='') && held --wrap true)"
is 'a variable that only modifies a request' '- -' "$(variables=(TESSERA_IPU_GCDS=3) && held -p p64 --wrap true)"
is 'variables of tiles beside IPUs' '- ipu:2' "$(variables=(TESSERA_TILES_PER_TASK=4 TESSERA_TILE_BIND=block) && held -p p64 --ipus=2 --wrap true)"
is 'a variable of IPUs beside tiles' 'gres:rdu:1,gres:rdu_tile:8 -' "$(variables=(TESSERA_IPU_GCDS=3) && held --gres=rdu:1 --wrap true)"
for how in '--ipus=4' '--gres=ipu:4' '--licenses=ipu:4'; do
	refused ann env TESSERA_IPU_GCDS=3 sbatch -p p64 $how --wrap true
	like "a wrong environment variable beside $how" 'ipu-gcds=3 cannot divide' "$said"
done
refused ann env TESSERA_IPUS=3 srun -p p64 true
like 'a wrong environment variable' '3 IPUs requested' "$said"

# A job submitted from inside a job has its own request: neither the options nor the variables of
# the outer job count.
# shellcheck disable=SC2016
inside='for args in "" "-p p64 --ipus=2" "--csx=2"; do
	job=$(sbatch --parsable --hold -o /dev/null --export=ALL $args --wrap true)
	scontrol -o show job $job | grep -o " Licenses=[^ ]*"; scancel $job
done'
is 'jobs from inside a job' 'Licenses=(null) Licenses=ipu:2 Licenses=csx:2' \
	"$(ann salloc -Q --csx=1 env TESSERA_CSX=1 TESSERA_IPUS=4 sh -c "$inside" | xargs)"
# The inner job does not inherit the variables of the outer one, unless the user changed them.
vipu='IPUOF_VIPU_API_HOST=h IPUOF_VIPU_API_PORT=1 IPUOF_VIPU_API_GCD_ID=0 IPUOF_VIPU_API_TIMEOUT=9'
# shellcheck disable=SC2086
handed_down() {
	ann env SLURM_JOB_ID=1 $vipu TESSERA_CSX=1 "$@" sbatch --parsable -o left --wrap 'env | grep -E "^(IPUOF|TESSERA_(CSX|PARTITION))" | sort' >/dev/null
	await 'the job has run' no_jobs
	cat "$home/left"
	rm "$home/left"
}
is 'our variables are not inherited' '' "$(handed_down IPUOF_VIPU_API_PARTITION_ID=slurm_1 TESSERA_PARTITION=slurm_1)"
is 'variables of the user are inherited' 'IPUOF_VIPU_API_GCD_ID=0
IPUOF_VIPU_API_HOST=h
IPUOF_VIPU_API_PARTITION_ID=mine
IPUOF_VIPU_API_PORT=1
IPUOF_VIPU_API_TIMEOUT=9' "$(handed_down IPUOF_VIPU_API_PARTITION_ID=mine TESSERA_PARTITION=slurm_1)"

# Steps use the licenses of their job: nothing is requested again, and what they name is checked.
job=$(ann sbatch --parsable -o /dev/null --csx=1 --wrap 'sleep 600')
reaches "$job" RUNNING
# shellcheck disable=SC2016
step='scontrol -o show step $SLURM_JOB_ID.$SLURM_STEP_ID; scontrol show lic csx'
said=$(ann srun -Q --jobid="$job" --overlap --csx=1 sh -c "$step")
unlike 'a step requests nothing' 'TresPerNode=' "$said"
like 'the license is used once' 'Used=1 Free=1' "$said"
refused ann srun -Q --jobid="$job" --overlap --csx=3 true
like 'a wrong step is refused' 'csx=3 exceeds the 2 in the pool' "$said"

# Two jobs have the two systems; the third waits and then runs.
second=$(ann sbatch --parsable -o /dev/null --csx=1 --wrap 'sleep 600')
reaches "$second" RUNNING
third=$(bob sbatch --parsable -o /dev/null --csx=1 --wrap true)
await 'the third job waits for a license' eval '[ "$(run squeue -hj "$third" -o "%T %r")" = "PENDING Licenses" ]'
fine run scancel "$job"
reaches "$third" COMPLETED
fine run scancel "$second"
await 'the queue is empty' no_jobs
like 'the third job is accounted' '(^|,)license/csx=1(,|$)' "$(run sacct -nXPj "$third" -o alloctres)"

# A pool that is used up, without any partition.
fine run scontrol create reservation reservation=pool user=root licenses=ipu:64 flags=LICENSE_ONLY starttime=now duration=60 >/dev/null
job=$(ann sbatch --parsable -o /dev/null -p p64 --ipus=4 --wrap true)
await 'the job waits for licenses' eval '[ "$(run squeue -hj "$job" -o "%T %r")" = "PENDING Licenses" ]'
like 'the requested TRES of the job' ' (Req)?TRES=[^ ]*license/ipu=4' "$(run scontrol -o show job "$job")"
fine run scancel "$job"
fine run scontrol delete reservation=pool

# A change is checked together with the job's options.
job=$(plain_send sbatch --parsable --hold -o /dev/null -p p64 -n4 --ipus=4 --ipu-gcds=4 --wrap true)
for change in licenses=ipu:8 licenses=ipu:3 numtasks=2 partition=sambanova licenses=csx:3; do
	refused run scontrol update job="$job" "$change"
	like "the change $change is refused" 'Invalid generic resource' "$said"
done
fine run scontrol update job="$job" numtasks=8
fine run scontrol update job="$job" licenses=csx:1
is 'the change is applied' '- csx:1,ipu:4' "$(counts_of "$job")"
fine run scancel "$job"
