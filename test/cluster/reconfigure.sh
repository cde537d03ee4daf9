#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scontrol reconfigure, which from 23.11 on executes slurmctld and slurmd again, leaves running jobs
# their tiles and their IPUs, and the next job gets what is left.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
host=gc-poplar-02
out=$(home ann)/reconfigure
rm -f "$out" "$out.go"
trap 'rm -f "$out" "$out.go"' EXIT
# Each job prints what it has, waits, and prints what a step has that starts after the reconfiguration.
# job VARIABLE OPTION...: submit it.
job() {
	ann sbatch --parsable -n1 --no-requeue -o "$out.$1" "${@:2}" --wrap "printenv $1
		until [ -e $out.go ]; do sleep 0.1; done
		srun -Q -n1 printenv $1"
}
tiles=$(job SF_RNT_TILE_AFFINITY -w "$node" --gres=rdu:2)
ipus=$(job IPUOF_VIPU_API_PARTITION_ID -p p64 -w "$host" --ipus=4)
printed() { grep -q . "$out.$1" 2>/dev/null; }
await 'the job with tiles runs' printed SF_RNT_TILE_AFFINITY
await 'the job with IPUs runs' printed IPUOF_VIPU_API_PARTITION_ID
row=$(rows "$node")
record=$(grep -v '^state' "$TESSERA_LAB/state/$host/job.$ipus")

# starts NAME: how often the daemon has started.
starts() { grep -c "slurm[a-z]* version [0-9.]* started" "$TESSERA_LAB/log/$1.log"; }
started_again() { [ "$(starts "$1")" -gt "$2" ]; }
declare -A before
for name in slurmctld "$node" "$host"; do before[$name]=$(starts "$name"); done
fine run scontrol reconfigure
if slurm_since 23.11; then
	for name in "${!before[@]}"; do await "$name has started again" started_again "$name" "${before[$name]}"; done
fi
ready() { ! run sinfo -hN -n "$node,$host" -o %t | grep -qE 'unk|\*|down|drain'; }
await 'the nodes have registered' ready

is 'the job with tiles runs on' RUNNING "$(state_of "$tiles")"
is 'so does the job with IPUs' RUNNING "$(state_of "$ipus")"
is 'the ledger has the same tiles' "$row" "$(rows "$node" | grep '^job')"
is 'the job record has the same IPUs' "$record" "$(grep -v '^state' "$TESSERA_LAB/state/$host/job.$ipus")"
fine has_partition "$ipus"
is 'the next job gets the other RDUs' 0xffffffffffff0000 "$(ann srun -Q -w "$node" --gres=rdu:6 printenv SF_RNT_TILE_AFFINITY)"
like 'the next job gets a partition of its own' '^slurm_[0-9]+$' "$(ann srun -Q -p p64 -w "$host" --ipus=4 printenv IPUOF_VIPU_API_PARTITION_ID | grep -vx "slurm_$ipus")"
touch "$out.go"
reached_end() { [ -z "$(run squeue -hj "$tiles,$ipus" 2>/dev/null)" ]; }
await 'both jobs end' reached_end
is 'a step that starts later has the same tiles' '0x000000000000ffff 0x000000000000ffff' "$(xargs <"$out.SF_RNT_TILE_AFFINITY")"
is 'a step that starts later has the same partition' "slurm_$ipus slurm_$ipus" "$(xargs <"$out.IPUOF_VIPU_API_PARTITION_ID")"
rm -f "$out".*
await 'no tile is allocated' no_rows
await 'no partition is left' no_partitions
