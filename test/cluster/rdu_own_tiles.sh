#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks have tiles of their own in a step with as many tasks as the job, by the job's options or by
# default where RDUs are requested per task. Tasks of a smaller step share all tiles. Options of the
# step have precedence.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
mask='printenv SF_RNT_TILE_AFFINITY'
own() { ann srun "$@" printenv SF_RNT_TILE_AFFINITY | masks; }
masks() { sort | xargs; }
whole=0x00000000000000ff
# job LINE...: run a batch script of these lines, for two tasks with four tiles each, and print its
# output.
job() {
	printf '#!/bin/sh\n' >"$(home ann)/own.sh"
	printf '%s\n' "$@" >>"$(home ann)/own.sh"
	ann sbatch -Q -W -o own.out -N1 -n2 "${options[@]}" own.sh >/dev/null || cat "$(home ann)/own.out" >&2
	masks <"$(home ann)/own.out"
}

options=(--tiles-per-task=4)
is 'a step with all tasks divides the tiles' '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q $mask")"
is 'a smaller step has all tiles' $whole "$(job "srun -Q -n1 $mask")"
is '--tiles-per-task of the step counts' 0x000000000000000f "$(job "srun -Q -n1 --tiles-per-task=4 $mask")"
is 'its environment variable counts if the job has no option' 0x000000000000000f \
	"$(options=(--gres=rdu:1) && job "TESSERA_TILES_PER_TASK=4 srun -Q -n1 --gres=rdu:1 $mask")"
is 'a step in a step does not inherit it' $whole \
	"$(job "srun -Q -n1 --tiles-per-task=4 srun -Q --overlap -n1 $mask")"
options=(--gres=rdu:1 --tile-bind=block)
is '--tile-bind divides the tiles' '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q $mask")"
is '--tile-bind does not divide them for a smaller step' $whole "$(job "srun -Q -n1 $mask")"
is 'tasks of srun divide the tiles' '0x000000000000000f 0x00000000000000f0' "$(own -n2 --tiles-per-task=4)"

# Three tasks on two nodes.
is 'three tasks on two nodes divide the tiles' "$(printf '%s ' 0x000000000000000f 0x000000000000000f 0x00000000000000f0 | xargs)" \
	"$(own -N2 -n3 --tiles-per-task=4)"
is 'a step on one of two nodes divides the tiles' '0x000000000000000f 0x00000000000000f0' \
	"$(options=(-N2 --ntasks-per-node=2 -n4 --tiles-per-task=4) && job "srun -Q -N1 -n2 $mask")"

# By default, where RDUs are requested per task.
shared=0x000000000000ffff
options=(--gres=rdu:2)
is 'RduScope = node: tasks share' "$shared $shared" "$(job "srun -Q $mask")"
for scope in task auto; do
	sed -i '/^RduScope/d' "$conf"
	echo "RduScope = $scope" >>"$conf"
	options=(--gres=rdu_tile:16)
	is "RduScope = $scope: tasks divide the tiles" '0x00000000000000ff 0x000000000000ff00' "$(job "srun -Q $mask")"
	is "RduScope = $scope: the script has all tiles" $shared "$(job "$mask")"
	is "RduScope = $scope: a smaller step has all tiles" $shared "$(job "srun -Q -n1 $mask")"
	is "RduScope = $scope: a step with a part divides it" '0x000000000000000f 0x00000000000000f0' "$(job "srun -Q --gres=rdu_tile:8 $mask")"
	is "RduScope = $scope: the option of the step makes tasks share" "$shared $shared" "$(job "srun -Q --tile-bind=none $mask")"
	options=(--gres=rdu_tile:16 --tile-bind=none)
	is "RduScope = $scope: the option of the job makes tasks share" "$shared $shared" "$(job "srun -Q $mask")"
	is "RduScope = $scope: tiles that cannot be divided are shared" "$(yes $whole | head -n 3 | xargs)" \
		"$(own -N1 -n3 --gres=rdu_tile:8)"
done
sed -i '/^RduScope/d' "$conf"

# RduScope of the partition.
sed -i 's/^partition sambanova {/& RduScope = task/' "$conf"
is 'RduScope of the partition counts' '0x00000000000000ff 0x000000000000ff00' "$(own -N1 -n2 --gres=rdu_tile:16)"
is 'another partition is not affected' '0x000000ff 0x000000ff' "$(own -p sn10 -N1 -n2 --gres=rdu_tile:8)"
rm -f "$(home ann)"/own.{sh,out}
