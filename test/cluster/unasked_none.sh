#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Unasked = none: a job that requests no tiles runs with an empty mask everywhere, and its user is
# told how to request tiles. Jobs in other partitions are not affected.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"
# shellcheck source=test/cluster/unasked.bash
. "$(dirname "$0")/unasked.bash"

# environments NAME: the environments of tasks and batch scripts in partitions with another policy,
# and the messages of their clients.
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
	[ -n "$volatile" ] || fail 'two jobs had the same id'
	is "$what: values of variables are unchanged" "$(grep -vE "^($volatile)=" "$work/before1.$what" | sort)" "$(grep -vE "^($volatile)=" "$work/after.$what" | sort)"
	is "$what: names of variables are unchanged" "$(sed 's/=.*//' "$work/before1.$what" | sort)" "$(sed 's/=.*//' "$work/after.$what" | sort)"
done
is 'srun prints no message there' '' "$(cat "$work"/after.*.words | drop_wait_messages)"

# Lines of the guides run, and their users get one message on standard error.
how='tessera: this job has no RDUs: its programs find an empty tile mask; request RDUs with --gres=rdu:1'
is 'srun compile has an empty mask' "compile: $no_tiles" \
	"$(guide srun python lenet.py compile -b=1 --pef-name="lenet" --output-folder="pef" 2>"$work/words")"
is 'srun prints the message' "srun: $how" "$(drop_wait_messages <"$work/words")"
is 'four tasks have an empty mask' "$(yes "run: $no_tiles" | head -n 4)" "$(guide srun -n4 python lenet.py run --pef="pef/lenet/lenet.pef" 2>"$work/words")"
is 'srun prints the message once' "srun: $how" "$(drop_wait_messages <"$work/words")"
like 'sbatch prints the job number only' '^[0-9]+$' "$(guide sbatch -W --parsable --output=pef/lenet/output.log submit-lenet-job.sh 2>"$work/words")"
is 'sbatch has an empty mask' "compile: $no_tiles run: $no_tiles" "$(xargs <"$(home ann)/pef/lenet/output.log")"
is 'sbatch prints the message' "sbatch: $how" "$(cat "$work/words")"
fine ann sbatch -W --array=0-1 -o 'array.%a' --wrap "$show_mask" >/dev/null 2>"$work/words"
is 'array tasks have an empty mask' "$no_tiles $no_tiles" "$(cat "$(home ann)"/array.[01] | xargs)"
is 'sbatch prints one message for an array' "sbatch: $how" "$(cat "$work/words")"
rm -f "$(home ann)"/array.[01]
like 'salloc prints the message' "^salloc: $how\$" "$(ann salloc true 2>&1)"
is '-Q suppresses the message' '' "$(ann srun -Q true 2>&1)"

# Every way of submission, and every step.
is 'a step of salloc has an empty mask' "$no_tiles" "$(ann salloc -Q srun sh -c "$show_mask")"
is 'a client without the plugin has an empty mask' "$no_tiles" "$(plain srun -Q sh -c "$show_mask")"
is 'a job with other GRES has an empty mask' "$no_tiles" "$(ann srun -Q --gres=rdu_mem:5 sh -c "$show_mask")"
is 'a job with a pool has an empty mask' "1 $no_tiles" "$(ann srun -Q --csx=1 sh -c "echo \$TESSERA_CSX; $show_mask" | xargs)"
is 'an exclusive job has an empty mask' "$no_tiles" "$(ann srun -Q --exclusive sh -c "$show_mask")"
is 'a job with --export=NONE has an empty mask' "$no_tiles" "$(ann srun -Q --export=NONE /bin/sh -c "$show_mask")"
is 'each component has an empty mask' "$no_tiles" "$(ann srun -Q sh -c "$show_mask" : -N1 sh -c "$show_mask" | sort -u)"
fine cc -o "$work/submit" "$top/test/cluster/submit.c" -lslurm
job=$(ann "$work/submit" "run=$(home ann)/api.out" script=env)
reaches "$job" COMPLETED
like 'a job through the API has an empty mask' "^SF_RNT_TILE_AFFINITY=$no_tiles\$" "$(cat "$(home ann)/api.out")"
rm -f "$(home ann)/api.out"
is 'script and steps have an empty mask' "$no_tiles $no_tiles $no_tiles $no_tiles" "$(printed_by steps.out --wrap "
	$show_mask
	srun sh -c '$show_mask'
	srun --overlap sh -c '$show_mask'
	srun --gres=none sh -c '$show_mask'" | xargs)"
is 'a mask of the user is replaced' "$no_tiles" "$(ann env SF_RNT_TILE_AFFINITY=0xff srun -Q sh -c "$show_mask")"

# An explicit request for none gets no message.
for none in none rdu:0; do
	is "$none gives an empty mask" "$no_tiles" "$(ann srun --gres=$none sh -c "$show_mask" 2>"$work/words")"
	is "no message is printed for $none" '' "$(drop_wait_messages <"$work/words")"
done

# A job that requests tiles has them, except steps that request none. An inherited empty mask is not
# a wish.
is 'a job that requests an RDU has it' "run: $one_rdu" "$(guide srun --gres=rdu:1 python lenet.py run 2>"$work/words")"
is 'no message is printed' '' "$(drop_wait_messages <"$work/words")"
is 'steps of a job with tiles' "$one_rdu $one_rdu $no_tiles $no_tiles $one_rdu" "$(printed_by steps.out --gres=rdu:1 --wrap "
	$show_mask
	srun --overlap sh -c '$show_mask'
	srun --overlap --gres=none sh -c '$show_mask'
	srun --overlap --gres=rdu:0 sh -c '$show_mask'
	srun --overlap --gres=none srun --overlap sh -c '$show_mask'" | xargs)"
is 'a job from inside a job has its RDU' "$one_rdu" "$(printed_by nested.out --wrap "
	env -u SLURM_JOB_ID -u SLURM_JOBID srun -Q --gres=rdu:1 sh -c '$show_mask'")"

# sn10 has a mask of another width; where partitions differ, the node decides.
policy sn10 Unasked = none
is 'the mask of another platform' 0x00000000 "$(ann srun -Q -p sn10 sh -c "$show_mask")"
is 'the first partition has no policy' 'no mask' "$(ann srun -Q sh -c "$show_mask")"
is 'two partitions on a node of the first' 'no mask' "$(ann srun -Q -p sambanova,sn10 -w sn30-r1-h1 sh -c "$show_mask")"
is 'two partitions on a node of the second' 0x00000000 "$(ann srun -Q -p sambanova,sn10 -w sm-01 sh -c "$show_mask")"

# slurmd keeps the policy while tessera.conf is invalid, and reads no file while nothing has
# changed.
policy sambanova Unasked = none
fine "$lab" restart sn30-r1-h1
is 'slurmd keeps the policy' "$no_tiles" "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
is 'another partition has no mask' 'no mask' "$(ann srun -Q -p sn10 sh -c "$show_mask")"
echo 'Nonsense = 1' >>"$conf"
is 'the policy stays with an invalid file' "$no_tiles" "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
policy sambanova Unasked = leave
is 'the policy ends with the valid file' 'no mask' "$(ann srun -Q -w sn30-r1-h1 sh -c "$show_mask")"
