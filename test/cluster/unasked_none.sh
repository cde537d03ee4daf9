#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unasked = none: a job that asks for no tiles runs, finds an empty mask wherever it looks, and is told how to ask; jobs in
# other partitions notice nothing.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
# shellcheck source=test/cluster/unasked.bash
. "$(dirname "$0")/unasked.bash"

# environments NAME: of tasks and batch scripts in partitions that have another policy, and what their clients say.
environments() {
	local partition
	for partition in sn10 p64; do
		fine ann srun -p $partition -n1 env >"$work/$1.$partition.step" 2>"$work/$1.$partition.words"
		printed_by env.out -p $partition -J env --wrap env >"$work/$1.$partition.batch"
	done
}
environments before1
environments before2
policy sambanova Unasked = none
environments after
for what in sn10.step sn10.batch p64.step p64.batch; do
	volatile=$(diff <(sort "$work/before1.$what") <(sort "$work/before2.$what") | sed -n 's/^[<>] \([A-Za-z_0-9]*\)=.*/\1/p' | sort -u | paste -sd'|')
	[ -n "$volatile" ] || broken 'two jobs had the same id'
	is "$what: variables that last" "$(grep -vE "^($volatile)=" "$work/before1.$what" | sort)" "$(grep -vE "^($volatile)=" "$work/after.$what" | sort)"
	is "$what: names of all variables" "$(sed 's/=.*//' "$work/before1.$what" | sort)" "$(sed 's/=.*//' "$work/after.$what" | sort)"
done
is 'what srun says there' '' "$(cat "$work"/after.*.words | but_waiting)"

# The guides' lines run, and their users hear once how to ask, on standard error.
how='tessera: this job has no RDUs: its programs find an empty tile mask; ask for RDUs with --gres=rdu:1'
is 'srun compile' "compile: $no_tiles" \
	"$(guide srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef" 2>"$work/words")"
is 'what srun says' "srun: $how" "$(but_waiting <"$work/words")"
is 'srun run, with many tasks' "$(yes "run: $no_tiles" | head -n 4)" "$(guide srun -n4 python lenet.py run --pef="pef/lenet/lenet.pef" 2>"$work/words")"
is 'what it says for all of them' "srun: $how" "$(but_waiting <"$work/words")"
like 'what sbatch prints' '^[0-9]+$' "$(guide sbatch -W --parsable --output=pef/lenet/output.log submit-lenet-job.sh 2>"$work/words")"
is 'sbatch' "compile: $no_tiles run: $no_tiles" "$(xargs <"$(home ann)/pef/lenet/output.log")"
is 'what sbatch says' "sbatch: $how" "$(cat "$work/words")"
fine ann sbatch -W --array=0-1 -o 'array.%a' --wrap "$show_mask" >/dev/null 2>"$work/words"
is 'array' "$no_tiles $no_tiles" "$(cat "$(home ann)"/array.[01] | xargs)"
is 'what sbatch says of an array' "sbatch: $how" "$(cat "$work/words")"
rm -f "$(home ann)"/array.[01]
like 'what salloc says' "^salloc: $how\$" "$(ann salloc true 2>&1)"
is 'as little as one wants to hear' '' "$(ann srun -Q true 2>&1)"

# Every way in, and every step.
is 'salloc' "$no_tiles" "$(ann salloc -Q srun sh -c "$show_mask")"
is 'a client without the plugin' "$no_tiles" "$(plain srun -Q sh -c "$show_mask")"
is 'other GRES' "$no_tiles" "$(ann srun -Q --gres=rdu_mem:5 sh -c "$show_mask")"
is 'a pool' "1 $no_tiles" "$(ann srun -Q --csx=1 sh -c "echo \$TESSERA_CSX; $show_mask" | xargs)"
is 'the whole node' "$no_tiles" "$(ann srun -Q --exclusive sh -c "$show_mask")"
is 'without the environment' "$no_tiles" "$(ann srun -Q --export=NONE /bin/sh -c "$show_mask")"
is 'components of a heterogeneous job' "$no_tiles" "$(ann srun -Q sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -u)"
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
job=$(ann "$work/submit" "run=$(home ann)/api.out" script=env)
reaches "$job" COMPLETED
like 'through the library' "^SF_RNT_TILE_AFFINITY=$no_tiles\$" "$(cat "$(home ann)/api.out")"
rm -f "$(home ann)/api.out"
is 'script and steps' "$no_tiles $no_tiles $no_tiles $no_tiles" "$(printed_by steps.out --wrap "
	$show_mask
	srun sh -c '$show_mask'
	srun --overlap sh -c '$show_mask'
	srun --gres=none sh -c '$show_mask'" | xargs)"
is 'what the user exported' "$no_tiles" "$(ann env SF_RNT_TILE_AFFINITY=0xff srun -Q sh -c "$show_mask")"

# None on purpose needs no advice.
for none in none rdu:0; do
	is "$none" "$no_tiles" "$(ann srun --gres=$none sh -c "$show_mask" 2>"$work/words")"
	is "what is said to $none" '' "$(but_waiting <"$work/words")"
done

# Who asks has it, but for steps that want none. An empty mask that is inherited is nobody's wish.
is 'as it says' "run: $one_rdu" "$(guide srun --gres=rdu:1 python lenet.py run 2>"$work/words")"
is 'nothing is said' '' "$(but_waiting <"$work/words")"
is 'steps of a job with tiles' "$one_rdu $one_rdu $no_tiles $no_tiles $one_rdu" "$(printed_by steps.out --gres=rdu:1 --wrap "
	$show_mask
	srun --overlap sh -c '$show_mask'
	srun --overlap --gres=none sh -c '$show_mask'
	srun --overlap --gres=rdu:0 sh -c '$show_mask'
	srun --overlap --gres=none srun --overlap sh -c '$show_mask'" | xargs)"
is 'a job from within a job' "$one_rdu" "$(printed_by nested.out --wrap "
	env -u SLURM_JOB_ID -u SLURM_JOBID srun -Q --gres=rdu:1 sh -c '$show_mask'")"

# As sn10 writes it; and where partitions differ, the node has the last word.
policy sn10 Unasked = none
is 'another platform' 0x00000000 "$(ann srun -Q -p sn10 sh -c "$show_mask")"
is 'the first partition' 'no mask' "$(ann srun -Q sh -c "$show_mask")"
is 'two partitions, on one node' 'no mask' "$(ann srun -Q -p sambanova,sn10 -w sn30-r1-h1 sh -c "$show_mask")"
is 'and on the other' 0x00000000 "$(ann srun -Q -p sambanova,sn10 -w sm-01 sh -c "$show_mask")"

# What slurmd remembers stands while tessera.conf is broken, and takes no file to read when nothing has changed.
policy sambanova Unasked = none
fine "$lab" restart sn30-r1-h1
is 'remembered' "$no_tiles" "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
is 'for its partition' 'no mask' "$(ann srun -Q -p sn10 sh -c "$show_mask")"
echo 'Nonsense = 1' >>"$conf"
is 'a broken file' "$no_tiles" "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
policy sambanova Unasked = leave
is 'no longer' 'no mask' "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
