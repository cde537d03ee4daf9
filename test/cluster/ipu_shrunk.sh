#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that loses a node while it runs keeps its partition, and the partition is removed when the
# job ends, whichever node created it.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
trap 'vipu fault none; site_keys' EXIT
site_keys 'RemoveWait = 1'
both_ready() { record_is ready gc-poplar-02 "$1" && record_is ready gc-poplar-03 "$1"; }
removed() { grep -c " RemovePartition id=slurm_$1 status=OK" "$TESSERA_LAB/log/vipu.out"; }
licenses_free() { run scontrol -o show lic ipu | grep -q ' Used=0 '; }

# allocation OPTION...: an allocation without a step; its number is left in $job.
allocation() {
	said=$(ann salloc --no-shell -p p64 "$@" 2>&1) || fail "salloc failed: $said"
	job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
}
two_nodes() {
	allocation -w gc-poplar-02,gc-poplar-03 -N2 --ipus=32
	await 'both nodes have a job record' both_ready "$job"
}
nothing() { no_partitions && no_job_records; }

# Without the node that created the partition, and without the other.
for rest in gc-poplar-03 gc-poplar-02; do
	two_nodes
	fine run scontrol update "jobid=$job" "NodeList=$rest"
	is 'the job keeps running' "$rest" "$(nodes_of "$job")"
	for node in gc-poplar-02 gc-poplar-03; do
		[ $node = $rest ] || await 'the other node removes its record' no_record $node "$job"
	done
	has_partition "$job" || fail 'a running job lost its partition'
	fine run scancel "$job"
	await 'the partition is removed' no_partitions
	await 'no job is left' no_jobs
	await 'no job record is left' no_job_records
	is 'the partition was removed once' 1 "$(removed "$job")"
done

# The last node cannot remove the partition: reap there does, although another node created it.
two_nodes
fine run scontrol update "jobid=$job" NodeList=gc-poplar-03
await 'the first node removes its record' no_record gc-poplar-02 "$job"
fine vipu fault denied RemovePartition
fine run scancel "$job"
await 'the epilog keeps the job record' record_is leaving gc-poplar-03 "$job"
await 'the licenses are free' licenses_free
has_partition "$job" || fail 'the partition was removed'
fine vipu fault none
await 'the job has ended' no_jobs
is 'reap removes the partition' "job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-03 --conf="$conf")"
await 'nothing is left' nothing
