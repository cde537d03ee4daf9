#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unasked = refuse: a job that requests no tiles is refused and told what to type, in any way of
# submission.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
# shellcheck source=test/cluster/unasked.bash
. "$(dirname "$0")/unasked.bash"

# Jobs submitted before the policy, one of which runs.
before=$(ann sbatch --parsable --hold -o before.out --wrap "$show_mask")
changed=$(ann sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
running=$(ann sbatch --parsable -o /dev/null --wrap 'sleep 600')
elsewhere=$(ann sbatch --parsable --hold -o /dev/null -p sn10 --wrap true)
reaches "$running" RUNNING
policy sambanova Unasked = refuse

# not CMD...: CMD is refused with the advice.
not() {
	refused "$@"
	like "$*: the message" 'tessera: jobs in partition sambanova must ask for RDUs: add --gres=rdu:1$' "$said"
}
not guide srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef"
not guide srun python lenet.py run --pef="pef/lenet/lenet.pef"
not guide sbatch --output=pef/lenet/output.log submit-lenet-job.sh
not ann sbatch --array=0-3 --wrap true
not ann salloc true
not ann srun -p sambanova,p64 true
not ann srun --gres=none true
not ann srun --gres=rdu:0 true
not ann srun --gres=rdu_mem:5 true
not ann srun --csx=1 true
not ann srun --exclusive true
not plain srun true
not plain sbatch --wrap true
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
refused ann "$work/submit"
like 'a job through the API is refused' 'submit: Invalid generic resource' "$said"
policy sambanova Unasked = refuse 'Default = "rdu:2"'
refused ann srun true
like 'the advice has the default of the site' 'add --gres=rdu:2$' "$said"
policy sambanova Unasked = refuse

# A job that requests tiles runs, and so do its steps; other partitions are not affected.
is 'the advice works' "run: $one_rdu" "$(guide srun --gres=rdu:1 python lenet.py run)"
is 'our options work' 0x000000000000000f "$(ann srun --tiles-per-task=4 sh -c "$show_mask")"
is 'steps of a job with tiles' "$one_rdu $no_tiles" "$(printed_by steps.out --gres=rdu:1 --wrap "
	srun --overlap sh -c '$show_mask'
	srun --overlap --gres=none sh -c '$show_mask'" | xargs)"
is 'another partition accepts the job' 'no mask' "$(ann srun -p sn10 sh -c "$show_mask" 2>&1 | drop_wait_messages)"
is 'hosts of IPUs accept the job' 'no mask' "$(ann srun -p p64 sh -c "$show_mask" 2>&1 | drop_wait_messages)"

# A job cannot evade the policy by a change.
for gres in gres= gres=rdu:0 gres=rdu_mem:5; do
	refused ann scontrol update job "$changed" $gres
	is "$gres is not applied" gres:rdu:2,gres:rdu_tile:16 "$(tres_of "$changed")"
done
fine ann scontrol update job "$changed" gres=rdu:1
is 'fewer RDUs are applied' gres:rdu:1,gres:rdu_tile:8 "$(tres_of "$changed")"
refused ann scontrol update job "$elsewhere" partition=sambanova
fine ann scontrol update job "$elsewhere" partition=sambanova gres=rdu:1
is 'a moved job needs RDUs' gres:rdu:1,gres:rdu_tile:8 "$(tres_of "$elsewhere")"

# Jobs submitted before the policy run and can be changed in other ways, but get no tiles of other
# jobs.
fine ann scontrol update job "$running" name=other
fine ann scontrol update job "$before" numtasks=2 name=other
fine ann scontrol release "$before"
reaches "$before" COMPLETED
is 'an older job has an empty mask' "$no_tiles" "$(cat "$(home ann)/before.out")"
rm -f "$(home ann)/before.out"
fine run scancel "$running" "$changed" "$elsewhere"
