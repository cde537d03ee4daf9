#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unasked = default: a job that requests no tiles has one RDU, as with --gres=rdu:1, in any way of
# submission.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
# shellcheck source=test/cluster/unasked.bash
. "$(dirname "$0")/unasked.bash"

policy sambanova Unasked = default
typed=gres:rdu:1,gres:rdu_tile:8

# Lines of the guides.
is 'srun compile has one RDU' "compile: $one_rdu" "$(guide srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef")"
is 'srun run has one RDU' "run: $one_rdu" "$(guide srun python lenet.py run --pef="pef/lenet/lenet.pef")"
fine guide sbatch -W -Q --output=pef/lenet/output.log submit-lenet-job.sh >/dev/null
is 'sbatch has one RDU' "compile: $one_rdu run: $one_rdu" "$(xargs <"$(home ann)/pef/lenet/output.log")"
is 'no message is printed' '' "$(guide srun python lenet.py run 2>&1 >/dev/null | drop_wait_messages)"

# Every way of submission, and other requests beside it.
for line in '' '-n4' '-N2' '--exclusive' '--mem=100'; do
	# shellcheck disable=SC2086
	is "the request of sbatch $line" "$typed -" "$(counts_by ann $line)"
	# shellcheck disable=SC2086
	is "the request of $line without the plugin" "$typed -" "$(counts_by plain $line)"
done
is 'the default beside other GRES' gres:rdu_mem:5,gres:rdu:1,gres:rdu_tile:8 "$(counts_by ann --gres=rdu_mem:5 | cut -d' ' -f1)"
is 'the default beside a pool' "$typed csx:1" "$(counts_by ann --csx=1)"
is 'a request for RDUs counts' 'gres:rdu:2,gres:rdu_tile:16 -' "$(counts_by ann --gres=rdu:2)"
is 'a request for tiles counts' 'gres:rdu_tile:4 -' "$(counts_by ann --gres=rdu_tile:4)"
is 'a request per task counts' 'gres:rdu_tile:8 -' "$(counts_by ann -n2 --tiles-per-task=4)"
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
api() { job=$(ann "$work/submit" "$@") && is "through the API: $*" "$typed" "$(tres_of "$job")" && fine run scancel "$job"; }
api
api partition=sambanova num_tasks=2
job=$(ann "$work/submit" num_tasks=2 tres_per_task=gres:rdu:2) || fail "was refused: tres_per_task"
is 'a request per task through the API counts' '-' "$(tres_of "$job")"
fine run scancel "$job"

# Steps have the tiles of the job, or the part that they name.
is 'a step of salloc has one RDU' "$one_rdu" "$(ann salloc -Q srun sh -c "$show_mask")"
is 'steps have their parts' "$one_rdu 0x000000000000000f $one_rdu $no_tiles" "$(printed_by steps.out --wrap "
	srun sh -c '$show_mask'
	srun --overlap --gres=rdu_tile:4 sh -c '$show_mask'
	srun --overlap sh -c '$show_mask'
	srun --overlap --gres=none sh -c '$show_mask'" | xargs)"
is 'each component has one RDU' "$one_rdu" "$(ann srun -N1 sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -u)"

# Each array task has an RDU of its own: they wait for each other, so both must run at the same
# time.
fine guide sbatch -W -Q -w sn30-r1-h1 --array=0-1 -o /dev/null --wrap '
	echo $SF_RNT_TILE_AFFINITY >pef/$SLURM_ARRAY_TASK_ID
	until [ -e pef/$((1 - SLURM_ARRAY_TASK_ID)) ]; do sleep 0.1; done' >/dev/null
is 'array tasks have different RDUs' "$one_rdu 0x000000000000ff00" "$(sort "$(home ann)"/pef/[01] | xargs)"

# The job waits while all RDUs are allocated.
other=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:8 --wrap 'sleep 600')
reaches "$other" RUNNING
job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 submit-lenet-job.sh)
waits() { [ "$(run squeue -hj "$job" -o %r)" = Resources ]; }
await 'the job waits for an RDU' waits
fine run scancel "$job" "$other"

# An explicit request for none: no default, and no tiles of other jobs.
is '--gres=none requests nothing' '- -' "$(counts_by ann --gres=none)"
is '--gres=rdu:0 requests nothing' 'gres:rdu:0 -' "$(counts_by ann --gres=rdu:0)"
is 'a task with --gres=none has an empty mask' "compile: $no_tiles" "$(guide srun --gres=none python lenet.py compile)"
is 'a task with --gres=rdu:0 has an empty mask' "compile: $no_tiles" "$(guide srun --gres=rdu:0 python lenet.py compile)"
is 'no internal variable is left' '' "$(printed_by env.out --gres=none --wrap env | grep NO_TILES)"
is 'no message is printed for --gres=none' '' "$(ann srun --gres=none true 2>&1 | drop_wait_messages)"
is '--gres=none in one component' "$one_rdu $no_tiles" "$(ann srun --gres=none sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -r | xargs)"

# Another default; an impossible one; several partitions.
policy sambanova Unasked = default 'Default = "rdu_tile:4"'
is 'another default' 'gres:rdu_tile:4 -' "$(counts_by ann)"
policy sambanova Unasked = default 'Default = "rdu:9"'
refused ann sbatch --wrap true
like 'an impossible default is refused' 'tessera: this job requests no RDUs and gets --gres=rdu:9: .*which is 8' "$said"
policy sambanova Unasked = default
refused ann sbatch -p sambanova,sn10 --wrap true
like 'partitions with different policies are refused' 'tessera: partitions sambanova and sn10 differ.*Unasked.*: name one of them' "$said"
is '--gres=none works in both partitions' '- -' "$(counts_by ann -p sambanova,sn10 --gres=none)"

# Other partitions are not affected.
is 'another partition has no default' '- -' "$(counts_by ann -p sn10)"
is 'a task there has no mask' 'no mask' "$(ann srun -p sn10 sh -c "$show_mask" 2>&1 | drop_wait_messages)"
is '--gres=none there sets no variable' '' "$(printed_by env.out -p sn10 --gres=none --wrap env | grep -e NO_TILES -e SF_RNT)"
is 'hosts of IPUs have no default' '- -' "$(counts_by ann -p p64)"

# Changes: a pending job whose tiles are removed has the default again; so has a job that is moved
# here.
job=$(ann sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
fine ann scontrol update job "$job" gres=
is 'an emptied request has the default' "$typed" "$(tres_of "$job")"
fine ann scontrol update job "$job" gres=rdu_mem:5
is 'other GRES have the default beside them' gres:rdu_mem:5,gres:rdu:1,gres:rdu_tile:8 "$(tres_of "$job")"
fine ann scontrol update job "$job" gres=rdu:0
is 'an explicit zero stays' gres:rdu:0 "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -p sn10 --wrap true)
fine ann scontrol update job "$job" partition=sambanova
is 'a moved job has the default' "$typed" "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -p sn10 --gres=none --wrap true)
fine ann scontrol update job "$job" partition=sambanova
is 'a job moved away has none' '-' "$(tres_of "$job")"
fine run scancel "$job"

# A job submitted before the policy can be changed in other ways, and stays without tiles.
policy sambanova Unasked = leave
job=$(ann sbatch --parsable --hold -o /dev/null --wrap true)
policy sambanova Unasked = default
fine ann scontrol update job "$job" numtasks=2 name=other
is 'an older job has no default' '-' "$(tres_of "$job")"
fine run scancel "$job"
