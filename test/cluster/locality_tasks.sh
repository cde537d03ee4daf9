#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --tile-bind=closest gives each task tiles that are NUMA-local to the CPUs it is bound to. Unbound
# tasks, and all tasks without a locality table, get the tiles of --tile-bind=block. The node has
# two CPUs, which this machine really has.
. "$(dirname "$0")/lib.sh"

[ "$(nproc)" -ge 2 ] || {
	echo 'one CPU is not enough to bind tasks to different ones: not tried'
	exit 0
}
other=$TESSERA_LAB.other
trap 'LAB_QUIET=1 "$lab" -d "$other" down 2>/dev/null' EXIT
node=sn30-r1-h1
fine "$lab" -d "$other" up --nodes sn30:1
export TESSERA_LAB=$other
sed -i -e 's|^TaskPlugin=.*|TaskPlugin=task/affinity|' -e 's/Sockets=2 CoresPerSocket=64/Sockets=2 CoresPerSocket=1/' "$other/etc/slurm.conf"
echo 'platform sn30-8 { Numa = "0,1" }' >>"$other/etc/tessera.conf"
fine "$lab" restart ctld
fine "$lab" restart $node
write() { run tessera topology --write --node=$node --conf="$other/etc/tessera.conf" --synthetic='pack:2 numa:1 core:1 pu:1'; }
fine write

# A job with both CPUs and all RDUs, in which the steps run.
job=$(ann sbatch --parsable -o /dev/null -n2 --gres=rdu:8 --wrap 'sleep 600')
has_row() { [ -n "$(rows $node)" ]; }
await 'the row of the job exists' has_row

# closest CPUBIND TASKS [OPTION]...: the masks of the tasks of a step, in order.
closest() {
	# shellcheck disable=SC2016
	ann srun -Q --jobid="$job" --overlap -O --cpu-bind="$1" -n "$2" --tile-bind=closest "${@:3}" sh -c 'echo "$SLURM_PROCID $SF_RNT_TILE_AFFINITY"' |
		sort -n | cut -d' ' -f2 | xargs
}
rdu() { printf '0x%016x' $((0xff << (8 * $1))); }

is 'each task gets an RDU of its socket' "$(rdu 0) $(rdu 4)" "$(closest map_cpu:0,1 2 --tiles-per-task=8)"
is 'swapped CPUs swap the RDUs' "$(rdu 4) $(rdu 0)" "$(closest map_cpu:1,0 2 --tiles-per-task=8)"
is 'the binding by sockets is used' "$(rdu 0) $(rdu 4)" "$(closest sockets 2 --tiles-per-task=8)"
is 'equal parts are NUMA-local' '0xffffffff00000000 0x00000000ffffffff' "$(closest mask_cpu:0x2,0x1 2)"
is 'two RDUs for each task are NUMA-local' '0x0000ffff00000000 0x000000000000ffff' "$(closest mask_cpu:0x2,0x1 2 --tiles-per-task=16)"
is 'halves of RDUs are NUMA-local' '0x0000000f00000000 0x000000f000000000 0x000000000000000f 0x00000f0000000000' \
	"$(closest mask_cpu:0x2,0x2,0x1,0x2 4 --tiles-per-task=4)"
is 'tasks beyond the NUMA-local RDUs get others' "$(rdu 4) $(rdu 5) $(rdu 6) $(rdu 7) $(rdu 0)" \
	"$(closest map_cpu:1,1,1,1,1 5 --tiles-per-task=8)"
is 'only the tiles of the step are used' "$(rdu 4) $(rdu 3)" "$(closest map_cpu:1,0 2 --tile-affinity=rdu3,rdu4)"
is 'an unbound task gets the lowest RDU' "$(rdu 0) $(rdu 4)" "$(closest mask_cpu:0x3,0x2 2 --tiles-per-task=8)"

# The same as block.
block="$(rdu 0) $(rdu 1)"
is 'unbound tasks get blocks' "$block" "$(closest none 2 --tiles-per-task=8)"
is 'tasks bound to all CPUs get blocks' "$block" "$(closest mask_cpu:0x3,0x3 2 --tiles-per-task=8)"
rm "$other/state/$node/locality"
is 'tasks get blocks without a table' "$block" "$(closest map_cpu:1,0 2 --tiles-per-task=8)"
echo damaged >"$other/state/$node/locality"
is 'tasks get blocks with a damaged table' "$block" "$(closest map_cpu:1,0 2 --tiles-per-task=8)"
fine write
is 'tasks get NUMA-local RDUs with the restored table' "$(rdu 4) $(rdu 0)" "$(closest map_cpu:1,0 2 --tiles-per-task=8)"

# Invalid requests are refused as usual.
refused ann srun --jobid="$job" --overlap -O -n3 --tile-bind=closest true
like 'an uneven division is refused' 'cannot be divided evenly among 3 tasks' "$said"
fine run scancel "$job"

# A job of one srun, and a batch script, which has all tiles.
# shellcheck disable=SC2016
is 'the tasks of srun get NUMA-local RDUs' "$(rdu 4) $(rdu 0)" "$(
	ann srun -Q -n2 --gres=rdu:8 --tiles-per-task=8 --cpu-bind=map_cpu:1,0 --tile-bind=closest \
		sh -c 'echo "$SLURM_PROCID $SF_RNT_TILE_AFFINITY"' | sort -n | cut -d' ' -f2 | xargs
)"
cat >"$(home ann)/steps.sh" <<'JOB'
#!/bin/sh
echo "script $SF_RNT_TILE_AFFINITY"
srun -Q -n2 --cpu-bind=map_cpu:1,0 --tile-bind=closest --tiles-per-task=8 sh -c 'echo "$SLURM_PROCID $SF_RNT_TILE_AFFINITY"' | sort -n
JOB
chmod 755 "$(home ann)/steps.sh"
fine ann sbatch -Q -W -n2 -o steps.out --gres=rdu:8 ./steps.sh
is 'a script has all tiles and its step divides them' "script 0xffffffffffffffff 0 $(rdu 4) 1 $(rdu 0)" "$(xargs <"$(home ann)/steps.out")"

is 'the node stays available' '' "$(run sinfo -h -t drain,down -o %N)"
