#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that loses a node while it runs keeps its partition, and the partition goes when the job ends, whichever node made it.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
trap 'vipu fault none; site_keys' EXIT
site_keys 'RemoveWait = 1'
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
state_on() { grep -qs "^state $2" "$TESSERA_LAB/state/$1/job.$3"; }
noted() { state_on gc-poplar-02 ready "$1" && state_on gc-poplar-03 ready "$1"; }
forgotten() { [ ! -e "$TESSERA_LAB/state/$1/job.$2" ]; }
nodes_of() { run squeue -hj "$1" -o %N; }
removed() { grep -c " RemovePartition id=slurm_$1 status=OK" "$TESSERA_LAB/log/vipu.out"; }
licenses_free() { run scontrol -o show lic ipu | grep -q ' Used=0 '; }

# allocation OPTION...: one that stays, without a step; its number is left in $job.
allocation() {
	said=$(ann salloc --no-shell -p p64 "$@" 2>&1) || broken "salloc failed: $said"
	job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
}
two_nodes() {
	allocation -w gc-poplar-02,gc-poplar-03 -N2 --ipus=32
	await 'both nodes have written it down' noted "$job"
}
nothing() { no_partitions && no_notes; }

# Without the node that made it, and without the other.
for rest in gc-poplar-03 gc-poplar-02; do
	two_nodes
	fine run scontrol update "jobid=$job" "NodeList=$rest"
	is 'the job goes on' "$rest" "$(nodes_of "$job")"
	for node in gc-poplar-02 gc-poplar-03; do
		[ $node = $rest ] || await 'the other node forgets it' forgotten $node "$job"
	done
	has_partition "$job" || broken 'a running job lost its partition'
	fine run scancel "$job"
	await 'its partition is gone' no_partitions
	await 'no job is left' no_jobs
	await 'no note is left' no_notes
	is 'removed once' 1 "$(removed "$job")"
done

# The last node cannot remove it: then reap there does, though another node made it.
two_nodes
fine run scontrol update "jobid=$job" NodeList=gc-poplar-03
await 'the first node forgets it' forgotten gc-poplar-02 "$job"
fine vipu fault denied RemovePartition
fine run scancel "$job"
await 'the epilog gives up' state_on gc-poplar-03 leaving "$job"
await 'its licenses are free' licenses_free
has_partition "$job" || broken 'the partition is gone'
fine vipu fault none
await 'the job has ended' no_jobs
is 'reap removes it' "job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-03 --conf="$conf")"
await 'nothing is left' nothing
