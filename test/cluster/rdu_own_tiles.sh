#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which tasks have tiles of their own: those of a step with as many tasks as the job has, by the job's options or, where RDUs
# are asked for by the task, by default; those of a smaller step share all; and what is typed for a step counts.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
mask='printenv SF_RNT_TILE_AFFINITY'
own() { ann srun "$@" printenv SF_RNT_TILE_AFFINITY | masks; }
masks() { sort | xargs; }
whole=0x00000000000000ff
# job LINE...: a batch script of these lines, for two tasks with four tiles each; what it printed.
job() {
	printf '#!/bin/sh\n' >"$(home ann)/own.sh"
	printf '%s\n' "$@" >>"$(home ann)/own.sh"
	ann sbatch -Q -W -o own.out -N1 -n2 "${options[@]}" own.sh >/dev/null || cat "$(home ann)/own.out" >&2
	masks <"$(home ann)/own.out"
}

options=(--tiles-per-task=4)
is 'a step with all tasks' '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q $mask")"
is 'a step with fewer' $whole "$(job "srun -Q -n1 $mask")"
is 'a step that says so itself' 0x000000000000000f "$(job "srun -Q -n1 --tiles-per-task=4 $mask")"
is 'and by the variable, if its job says nothing' 0x000000000000000f \
	"$(options=(--gres=rdu:1) && job "TESSERA_TILES_PER_TASK=4 srun -Q -n1 --gres=rdu:1 $mask")"
is 'a step in such a step inherits nothing of that' $whole \
	"$(job "srun -Q -n1 --tiles-per-task=4 srun -Q --overlap -n1 $mask")"
options=(--gres=rdu:1 --tile-bind=block)
is 'the same with --tile-bind' '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q $mask")"
is 'and with fewer tasks' $whole "$(job "srun -Q -n1 $mask")"
is 'a job that is a step' '0x000000000000000f 0x00000000000000f0' "$(own -n2 --tiles-per-task=4)"

# Tasks that are not spread evenly: three on two nodes.
is 'three on two nodes' "$(printf '%s ' 0x000000000000000f 0x000000000000000f 0x00000000000000f0 | xargs)" \
	"$(own -N2 -n3 --tiles-per-task=4)"
is 'a step on one of two nodes' '0x000000000000000f 0x00000000000000f0' \
	"$(options=(-N2 --ntasks-per-node=2 -n4 --tiles-per-task=4) && job "srun -Q -N1 -n2 $mask")"

# By default, where tasks ask for RDUs.
shared=0x000000000000ffff
options=(--gres=rdu:2)
is 'scope node: shared' "$shared $shared" "$(job "srun -Q $mask")"
for scope in task auto; do
	sed -i '/^RduScope/d' "$conf"
	echo "RduScope = $scope" >>"$conf"
	options=(--gres=rdu_tile:16)
	is "scope $scope" '0x00000000000000ff 0x000000000000ff00' "$(job "srun -Q $mask")"
	is "scope $scope, in the script" $shared "$(job "$mask")"
	is "scope $scope, a step with fewer" $shared "$(job "srun -Q -n1 $mask")"
	is "scope $scope, a part" '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q --gres=rdu_tile:8 $mask")"
	is "scope $scope, shared by a word to the step" "$shared $shared" "$(job "srun -Q --tile-bind=none $mask")"
	options=(--gres=rdu_tile:16 --tile-bind=none)
	is "scope $scope, shared by a word to the job" "$shared $shared" "$(job "srun -Q $mask")"
	is "scope $scope, what cannot be divided is shared" "$(yes $whole | head -n 3 | xargs)" \
		"$(own -N1 -n3 --gres=rdu_tile:8)"
done
sed -i '/^RduScope/d' "$conf"

# It is the partition's word.
sed -i 's/^partition sambanova {/& RduScope = task/' "$conf"
is 'a partition of its own mind' '0x00000000000000ff 0x000000000000ff00' "$(own -N1 -n2 --gres=rdu_tile:16)"
is 'another one' '0x000000ff 0x000000ff' "$(own -p sn10 -N1 -n2 --gres=rdu_tile:8)"
rm -f "$(home ann)"/own.{sh,out}
