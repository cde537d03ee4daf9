#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The controller also checks requests that srun and sbatch never send, but that programs with
# Slurm's API and slurmrestd can send.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

work=$TESSERA_LAB/api
mkdir "$work"
trap 'rm -rf "$work"' EXIT
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
option=_SLURM_SPANK_OPTION_tessera

# sent FIELD WANTED ARGUMENT...: the value of FIELD in slurmctld after the submission.
sent() {
	local field=$1 wanted=$2 job
	shift 2
	job=$(ann "$work/submit" "$@") || fail "was refused: $*"
	is "the request of $*" "$wanted" "$(run scontrol -o show job "$job" | sed "s/.* $field=\([^ ]*\).*/\1/; t; s/.*/-/")"
	fine run scancel "$job"
}
sent TresPerNode gres:rdu:2,gres:rdu_tile:16 tres_per_node=gres:rdu:2
sent TresPerNode gres:rdu:sn30:2,gres:rdu_tile:16 tres_per_node=gres:rdu:sn30:2
sent TresPerNode gres:rdu_tile:16 num_tasks=4 spank=${option}_tiles_per_task=4
# Slurm passes an option with such a name to the prolog unchanged.
sent TresPerNode gres:rdu_tile:16 num_tasks=4 spank=SPANK_${option}_tiles_per_task=4
sent TresPerNode gres:rdu_tile:8 num_tasks=4 spank=${option}_tiles_per_task=4 spank=${option}_tiles_per_task=2
sent TresPerNode - spank=${option}_other=4 spank=${option}_tiles_per_task spank=x=y
sent TresPerTask gres:rdu:1,gres:rdu_tile:8 num_tasks=2 tres_per_task=gres:rdu:1
sent Licenses ipu:4 partition=p64 spank=${option}_ipus=4
sent Licenses ipu:4 partition=p64 tres_per_node=gres:ipu:4
sent Licenses csx:1 spank=SPANK_${option}_csx=1
sent Licenses csx:1 licenses=csx:1 spank=${option}_csx=2 spank=${option}_csx=1
sent Licenses '(null)' spank=${option}_csx spank=${option}_cs=1 spank=${option}_csxx=1

for place in job socket; do
	refused ann "$work/submit" tres_per_$place=gres:rdu:1
	like "tres_per_$place is refused" "tessera: RDUs or tiles requested per $place, .* --gres=rdu:N" "$said"
done
refused ann "$work/submit" tres_per_task=gres:rdu:9
like 'tres_per_task is checked' 'tessera: .*rdu:9' "$said"
refused ann "$work/submit" partition=p64 tres_per_task=gres:ipu:4
like 'IPUs by task are refused' 'tessera: IPUs requested per task.*--ipus=N' "$said"
refused ann "$work/submit" spank=SPANK_${option}_tiles_per_task=3
like 'an option of the prolog is checked' 'tessera: --tiles-per-task=3' "$said"
refused ann "$work/submit" tres_per_node=gres:rdu:99999999999999999999
like 'a huge count is refused' 'tessera: .*larger number than any machine has' "$said"

# slurmctld parses these texts while other requests wait, so texts of excessive length are not
# parsed at all.
long=$(printf '%065536d' 0 | tr 0 ,)
for field in licenses tres_per_node tres_per_task tres_per_job tres_per_socket partition; do
	refused ann "$work/submit" "$field=$long,"
	like "a long $field is refused" 'tessera: .* has more than 65536 characters; shorten it to 65536 or fewer' "$said"
done
refused ann "$work/submit" "spank=${option}_ipus=$long"
like 'a long option is refused' "tessera: an option in the job's control environment has more than 65536 characters" "$said"
refused ann "$work/submit" fill=4097
like 'too many variables are refused' "tessera: the job's control environment has 4097 variables; send 4096 or fewer" "$said"
sent Licenses '(null)' "spank=x=$long" fill=4096
is 'no job is in the queue' '' "$(run squeue -h)"
