#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unasked = default: a job that asks for no tiles has one RDU, as if it had typed --gres=rdu:1, whichever way it comes in.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
# shellcheck source=test/cluster/unasked.bash
. "$(dirname "$0")/unasked.bash"

policy sambanova Unasked = default
typed=gres:rdu:1,gres:rdu_tile:8

# The guides' lines.
is 'srun compile' "compile: $one_rdu" "$(guide srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef")"
is 'srun run' "run: $one_rdu" "$(guide srun python lenet.py run --pef="pef/lenet/lenet.pef")"
fine guide sbatch -W -Q --output=pef/lenet/output.log submit-lenet-job.sh >/dev/null
is 'sbatch' "compile: $one_rdu run: $one_rdu" "$(xargs <"$(home ann)/pef/lenet/output.log")"
is 'nobody says anything' '' "$(guide srun python lenet.py run 2>&1 >/dev/null | but_waiting)"

# Every way in, and whatever else is asked for.
for line in '' '-n4' '-N2' '--exclusive' '--mem=100'; do
	# shellcheck disable=SC2086
	is "sbatch $line" "$typed -" "$(counts_by ann $line)"
	# shellcheck disable=SC2086
	is "$line by a client without the plugin" "$typed -" "$(counts_by plain $line)"
done
is 'beside other GRES' gres:rdu_mem:5,gres:rdu:1,gres:rdu_tile:8 "$(counts_by ann --gres=rdu_mem:5 | cut -d' ' -f1)"
is 'beside a pool' "$typed csx:1" "$(counts_by ann --csx=1)"
is 'who asks has what it asks for' 'gres:rdu:2,gres:rdu_tile:16 -' "$(counts_by ann --gres=rdu:2)"
is 'by tiles' 'gres:rdu_tile:4 -' "$(counts_by ann --gres=rdu_tile:4)"
is 'by tasks' 'gres:rdu_tile:8 -' "$(counts_by ann -n2 --tiles-per-task=4)"
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
api() { job=$(ann "$work/submit" "$@") && is "through the library: $*" "$typed" "$(tres_of "$job")" && fine run scancel "$job"; }
api
api partition=sambanova num_tasks=2
job=$(ann "$work/submit" num_tasks=2 tres_per_task=gres:rdu:2) || broken "was refused: tres_per_task"
is 'by task, through the library' '-' "$(tres_of "$job")"
fine run scancel "$job"

# Steps have what the job has, or what they name of it.
is 'salloc' "$one_rdu" "$(ann salloc -Q srun sh -c "$show_mask")"
is 'steps' "$one_rdu 0x000000000000000f $one_rdu $no_tiles" "$(printed_by steps.out --wrap "
	srun sh -c '$show_mask'
	srun --overlap --gres=rdu_tile:4 sh -c '$show_mask'
	srun --overlap sh -c '$show_mask'
	srun --overlap --gres=none sh -c '$show_mask'" | xargs)"
is 'components of a heterogeneous job' "$one_rdu" "$(ann srun -N1 sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -u)"

# Each element of an array has an RDU of its own: they wait for each other, so that both must run at once.
fine guide sbatch -W -Q -w sn30-r1-h1 --array=0-1 -o /dev/null --wrap '
	echo $SF_RNT_TILE_AFFINITY >pef/$SLURM_ARRAY_TASK_ID
	until [ -e pef/$((1 - SLURM_ARRAY_TASK_ID)) ]; do sleep 0.1; done' >/dev/null
is 'array' "$one_rdu 0x000000000000ff00" "$(sort "$(home ann)"/pef/[01] | xargs)"

# What others were granted is not touched: the job waits.
other=$(bob sbatch --parsable -o /dev/null -w sn30-r1-h1 --gres=rdu:8 --wrap 'sleep 600')
reaches "$other" RUNNING
job=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h1 submit-lenet-job.sh)
waits() { [ "$(run squeue -hj "$job" -o %r)" = Resources ]; }
await 'the job waits for an RDU' waits
fine run scancel "$job" "$other"

# None on purpose: no default, and no tiles of others either.
is 'none' '- -' "$(counts_by ann --gres=none)"
is 'zero' 'gres:rdu:0 -' "$(counts_by ann --gres=rdu:0)"
is 'none, in a task' "compile: $no_tiles" "$(guide srun --gres=none python lenet.py compile)"
is 'zero, in a task' "compile: $no_tiles" "$(guide srun --gres=rdu:0 python lenet.py compile)"
is 'none, of all that it finds' '' "$(printed_by env.out --gres=none --wrap env | grep NO_TILES)"
is 'no word about it' '' "$(ann srun --gres=none true 2>&1 | but_waiting)"
is 'in one component' "$one_rdu $no_tiles" "$(ann srun --gres=none sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -r | xargs)"

# Another default; what it cannot be; several partitions.
policy sambanova Unasked = default 'Default = "rdu_tile:4"'
is 'another default' 'gres:rdu_tile:4 -' "$(counts_by ann)"
policy sambanova Unasked = default 'Default = "rdu:9"'
refused ann sbatch --wrap true
like 'one that cannot be' 'tessera: this job asks for no RDUs and so for --gres=rdu:9: .*which is 8' "$said"
policy sambanova Unasked = default
refused ann sbatch -p sambanova,sn10 --wrap true
like 'partitions that differ' 'tessera: partitions sambanova and sn10 differ.*Unasked.*: name one of them' "$said"
is 'who asks for none may' '- -' "$(counts_by ann -p sambanova,sn10 --gres=none)"

# Other partitions are as they were.
is 'another partition' '- -' "$(counts_by ann -p sn10)"
is 'there' 'no mask' "$(ann srun -p sn10 sh -c "$show_mask" 2>&1 | but_waiting)"
is 'none there' '' "$(printed_by env.out -p sn10 --gres=none --wrap env | grep -e NO_TILES -e SF_RNT)"
is 'hosts of IPUs' '- -' "$(counts_by ann -p p64)"

# Changes: a job that waits and loses its tiles has the default again; one that comes from elsewhere has it, too.
job=$(ann sbatch --parsable --hold -o /dev/null --gres=rdu:2 --wrap true)
fine ann scontrol update job "$job" gres=
is 'emptied' "$typed" "$(tres_of "$job")"
fine ann scontrol update job "$job" gres=rdu_mem:5
is 'something else' gres:rdu_mem:5,gres:rdu:1,gres:rdu_tile:8 "$(tres_of "$job")"
fine ann scontrol update job "$job" gres=rdu:0
is 'none on purpose' gres:rdu:0 "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -p sn10 --wrap true)
fine ann scontrol update job "$job" partition=sambanova
is 'from another partition' "$typed" "$(tres_of "$job")"
fine run scancel "$job"
job=$(ann sbatch --parsable --hold -o /dev/null -p sn10 --gres=none --wrap true)
fine ann scontrol update job "$job" partition=sambanova
is 'which wants none' '-' "$(tres_of "$job")"
fine run scancel "$job"

# A job that came in before may be changed in everything else, and stays as it was.
policy sambanova Unasked = leave
job=$(ann sbatch --parsable --hold -o /dev/null --wrap true)
policy sambanova Unasked = default
fine ann scontrol update job "$job" numtasks=2 name=other
is 'an older job' '-' "$(tres_of "$job")"
fine run scancel "$job"
