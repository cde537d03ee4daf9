#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prolog, batch script and steps of a job get the options that were given for it, and those of no
# other job.
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/cluster/requests.bash
. "$(dirname "$0")/requests.bash"

stack=$TESSERA_LAB/etc/plugstack.conf
work=$TESSERA_LAB/probe
script=$TESSERA_LAB/home/tess-ann/script
node=--nodelist=sn30-r1-h1

# slurmd reads the plugin stack only when it starts.
with_stack() {
	local name
	cp "$1" "$stack"
	for name in sn30-r1-h1 sn30-r1-h2 sm-01; do fine "$lab" restart "$name"; done
}
mkdir "$work"
cp "$stack" "$work/plugstack.conf"
trap 'with_stack "$work/plugstack.conf"; rm -rf "$work" "$script" "$TESSERA_LAB/plain"' EXIT
fine cc -shared -fPIC -o "$work/probe.so" "$top/test/cluster/probe.c"
sed "1i required $work/probe.so $work/seen" "$stack" >"$work/with-probe.conf"
with_stack "$work/with-probe.conf"

# seen: the lines recorded since the last call, those of the prolog first.
seen() {
	sort -k1n,1 -k2,2 -s "$work/seen" 2>/dev/null | sed 's/^[0-9]* //' >"$work/now"
	rm -f "$work/seen"
	grep prolog "$work/now"
	grep -v prolog "$work/now"
}
# batch ARGUMENT...: run $script, and whatever it submits, to the end.
batch() {
	fine ann env "${variables[@]}" sbatch -o script.out "$node" "$@" script >/dev/null
	await 'the batch job has run' no_jobs
}
variables=()

fine ann srun "$node" -n2 --gres=rdu:1 --tiles-per-task=4 --tile-bind=block true
is 'options of srun' 'prolog: tiles_per_task=4 tile_bind=block
step 0: tiles_per_task=4 tile_bind=block' "$(seen)"

fine ann env TESSERA_TILES_PER_TASK=4 TESSERA_TILE_BIND=block srun "$node" -n2 --gres=rdu:1 --tile-bind=cyclic true
is 'environment variables and the command line' 'prolog: tiles_per_task=4 tile_bind=cyclic
step 0: tiles_per_task=4 tile_bind=cyclic' "$(seen)"

fine ann env TESSERA_TILES_PER_TASK=4 srun "$node" -n2 true
is 'an environment variable alone' 'prolog:
step 0:' "$(seen)"

# The job's options reach its batch script and, through Slurm's own variable, each step. Options of
# a step have precedence.
printf '%s\n' '#!/bin/sh' '#SBATCH -n4 --gres=rdu:2 --tiles-per-task=4' \
	'srun true' 'srun -n2 --tiles-per-task=8 true' >"$script"
variables=(TESSERA_TILES_PER_TASK=1)
batch
is 'options of sbatch' 'prolog: tiles_per_task=4
batch: tiles_per_task=4
step 0: tiles_per_task=4
step 1: tiles_per_task=8' "$(seen)"
variables=()

# A step that names its share passes it to the node. No other step inherits it.
printf '%s\n' '#!/bin/sh' 'srun true' 'srun -n1 --gres=rdu:1 true' 'srun true' 'srun -n1 --overlap --gres=rdu_tile:4 true' \
	'srun --gres=none true' 'srun --gres=rdu:0 true' 'SLURM_TESSERA_STEP_TILES=64 srun true' \
	"SLURM_STEP_GRES=${gres_prefix}rdu_tile:2 srun true" "srun -n1 --gres=rdu:1 sh -c 'unset SLURM_STEP_ID; srun --overlap true'" >"$script"
batch -n2 --gres=rdu:2
is 'steps with a share' 'prolog:
batch:
step 0:
step 1: share=8
step 2:
step 3: share=4 overlap
step 4: share=0
step 5: share=0
step 6:
step 7: share=2
step 8: share=8
step 9:' "$(seen)"

# The count of a pool reaches the node in any way of requesting it and from any client; that of a
# step has precedence. slurmstepd knows the option of the pool without reading a file, or Slurm
# would report an unknown option.
unknown() { grep -c 'option "csx" not found' "$TESSERA_LAB/log/sn30-r1-h1.log"; }
before=$(unknown)
for how in --csx=1 --licenses=csx:1; do
	fine ann srun "$node" $how true
	is "the count of srun $how" 'prolog: csx=1
step 0: csx=1' "$(seen)"
done
is 'slurmstepd knows all options' "$before" "$(unknown)"
fine ann env TESSERA_CSX=1 srun "$node" true
is 'an environment variable requests a pool' 'prolog: csx=1
step 0: csx=1' "$(seen)"
printf '%s\n' '#!/bin/sh' 'srun true' 'srun --csx=1 true' 'srun true' 'TESSERA_CSX=1 srun true' >"$script"
for how in --csx=2 --licenses=csx:2; do
	batch $how
	is "the count of sbatch $how" 'prolog: csx=2
batch: csx=2
step 0: csx=2
step 1: csx=1
step 2: csx=2
step 3: csx=2' "$(seen)"
done
variables=(TESSERA_CSX=2)
batch
is 'an environment variable of sbatch' 'prolog: csx=2
batch: csx=2
step 0: csx=2
step 1: csx=1
step 2: csx=2
step 3: csx=2' "$(seen)"
variables=()
printf '%s\n' '#!/bin/sh' 'TESSERA_CSX=1 srun true' >"$script"
batch
is 'no variable requests a pool inside a job' 'prolog:
batch:
step 0:' "$(seen)"
printf '%s\n' '#!/bin/sh' 'sbatch -o /dev/null -w sn30-r1-h1 --wrap "srun -n1 true"' \
	'sbatch -o /dev/null -w sn30-r1-h1 --licenses=csx:1 --wrap true' >"$script"
batch --csx=1
is 'a job from inside a job with a pool' 'prolog: csx=1
prolog:
prolog: csx=1
batch: csx=1
batch:
step 0:
batch: csx=1' "$(seen)"
plain sbatch -o /dev/null "$node" --licenses=csx:1 --wrap true >/dev/null
await 'the job of a client without the plugin has run' no_jobs
like 'the count from the controller' 'prolog: csx=1' "$(seen)"

# A job submitted from inside a job starts without options.
printf '%s\n' '#!/bin/sh' 'sbatch -o /dev/null -w sn30-r1-h1 --gres=rdu:1 --wrap "srun -n1 true"' \
	'salloc -w sn30-r1-h1 --gres=rdu:1 srun -n1 true' \
	'sbatch -o /dev/null -w sn30-r1-h1 -n2 --tiles-per-task=2 --wrap true' >"$script"
batch -n2 --gres=rdu:1 --tiles-per-task=4
is 'jobs from inside a job' 'prolog: tiles_per_task=4
prolog:
prolog:
prolog: tiles_per_task=2
batch: tiles_per_task=4
batch:
step 0:
step 0:
batch: tiles_per_task=2' "$(seen)"

# Each component of a heterogeneous job has its own options. The script runs in the first.
fine ann sbatch -o /dev/null -n1 --tiles-per-task=4 : -n1 --gres=rdu:1 : -p sn10 -n2 --tiles-per-task=2 --wrap true >/dev/null
await 'the heterogeneous job has run' no_jobs
is 'options of the components' 'prolog: tiles_per_task=4
prolog:
prolog: tiles_per_task=2
batch: tiles_per_task=4' "$(seen)"

# Every task of an array.
fine ann sbatch -o /dev/null "$node" --array=1-2 -n2 --gres=rdu:1 --tiles-per-task=4 --wrap true >/dev/null
await 'the array has run' no_jobs
is 'options of array tasks' 'prolog: tiles_per_task=4
prolog: tiles_per_task=4
batch: tiles_per_task=4
batch: tiles_per_task=4' "$(seen)"

# Steps of another job, by its number.
job=$(ann sbatch --parsable -o /dev/null "$node" -n2 --gres=rdu:2 --wrap 'sleep 600')
await 'the job runs' eval "[ \"\$(run squeue -hj $job -o %T)\" = RUNNING ]"
fine ann srun --jobid="$job" -n1 --overlap --gres=rdu:1 true
fine run scancel "$job"
like 'a step with --jobid' 'step 0: share=8 overlap' "$(seen)"
