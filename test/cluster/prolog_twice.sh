#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd has lost its list of jobs and runs the prolog of a running job again: the job keeps its
# tiles and its partition. A row that does not match the job is of an earlier job with the same
# number: tiles that its processes use are not allocated.
. "$(dirname "$0")/lib.sh"

slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
nodes='sn30-r1-h1 gc-poplar-02'
restore() {
	mv "$slurm_conf.saved" "$slurm_conf"
	restart
	rm -f "$(home ann)"/{go,twice.out}
}
restart() {
	local name
	fine "$lab" restart ctld
	for name in $nodes; do fine "$lab" restart "$name"; done
}
trap restore EXIT
# With this flag the prolog runs before the first step on a node.
rewrite "$slurm_conf" sed '/^PrologFlags=/d' "$slurm_conf.saved"
restart

# forget NODE: restart slurmd without its list of jobs.
forget() {
	local slurmd
	read -r slurmd _ <"$TESSERA_LAB/pids/$1"
	kill -KILL "$slurmd"
	rm -f "$TESSERA_LAB/spool/$1"/cred_state*
	fine "$lab" restart "$1"
}
calls() { grep -c "id=slurm_$1 " "$TESSERA_LAB/log/vipu.out"; }
# A script whose first step uses its accelerators until the end, and whose second step prints them.
script='srun --overlap %s & until [ -e go ]; do sleep 0.1; done; srun --overlap printenv %s >twice.out; wait'

# Tiles. There is a gap before those of the job, which a new placement would take.
node=sn30-r1-h1
holds() { rows $node | grep -q "^job $1 .* state held "; }
uses() { [ "$(device_users $node | wc -l)" = 1 ]; }
first=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:1 --wrap 'sleep 600')
await 'the first job has its tiles' holds "$first"
# shellcheck disable=SC2059
tiles() { ann sbatch --parsable -o /dev/null -w $node --gres=rdu:1 -n1 --wrap "$(printf "$script" 'use-tiles' SF_RNT_TILE_AFFINITY)"; }
job=$(tiles)
await 'the job uses its tiles' uses
fine run scancel "$first"
left_alone() { [ "$(rows $node | grep -c '^job')" = 1 ]; }
await 'the first job has ended' left_alone
row=$(rows $node)
like 'the job has a row' "^job $job .* state held restarts 0 tiles 8-15 " "$row"
forget $node
touch "$(home ann)/go"
await 'the second step has printed its tiles' test -s "$(home ann)/twice.out"
is 'the row is unchanged' "$row" "$(rows $node)"
is 'the second step has the same tiles' 0x000000000000ff00 "$(cat "$(home ann)/twice.out")"
fine run scancel "$job"
await 'no row is left' no_rows
rm "$(home ann)"/{go,twice.out}

# The row is of an earlier job with the same number, which had twice as many tiles and left
# processes.
job=$(tiles)
await 'the job uses its tiles' uses
sed -i "s/^\(job $job .* tiles\) 0-7 /\1 0-15 /" "$TESSERA_LAB/state/$node/ledger"
forget $node
touch "$(home ann)/go"
await 'the second step has printed its tiles' test -s "$(home ann)/twice.out"
is 'the job has tiles of its own' 0x0000000000ff0000 "$(cat "$(home ann)/twice.out")"
like 'the tiles in use are withheld' "^job $job .* state withheld restarts 0 tiles 0-15 " "$(rows $node)"
# They stay withheld while the job with that number runs.
fine bob srun -Q -w $node --gres=rdu:1 true
like 'the next prolog does not release them' "^job $job .* state withheld restarts 0 tiles 0-15 " "$(rows $node)"
fine run tessera reap --node=$node --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null
like 'reap does not release them' "^job $job .* state withheld restarts 0 tiles 0-15 " "$(rows $node)"
fine run scancel "$job"
await 'the queue is empty' no_jobs
await 'no process uses the device' no_device_users
fine run tessera reap --node=$node --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null
is 'no row is left' '' "$(rows $node)"
rm "$(home ann)"/{go,twice.out}

# IPUs.
node=gc-poplar-02
note() { grep -qs '^state ready' "$TESSERA_LAB/state/$node/job.$1"; }
runs_step() { run squeue -hs -j "$1" -o %i 2>/dev/null | grep -q "^$1\.0"; }
# shellcheck disable=SC2059
job=$(ann sbatch --parsable -p p64 -o /dev/null -w $node --ipus=4 -n1 \
	--wrap "$(printf "$script" 'sleep 600' IPUOF_VIPU_API_PARTITION_ID)")
await 'the job has its partition' note "$job"
await 'the first step runs' runs_step "$job"
before=$(calls "$job") record=$(cat "$TESSERA_LAB/state/$node/job.$job")
forget $node
touch "$(home ann)/go"
await 'the second step has printed its partition' test -s "$(home ann)/twice.out"
is 'the second step has the same partition' "slurm_$job" "$(cat "$(home ann)/twice.out")"
is 'the partition was not changed' "$before" "$(calls "$job")"
is 'the job record is unchanged' "$record" "$(cat "$TESSERA_LAB/state/$node/job.$job")"
fine run scancel "$job"
await 'no partition is left' no_partitions
