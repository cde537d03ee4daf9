#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that grows by a node has a first node on which no prolog ran for it and which has no job
# record. Its partition is still removed when it ends, even after it has left the node that created
# it.
. "$(dirname "$0")/lib.sh"

slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
trap 'mv "$slurm_conf.saved" "$slurm_conf"; "$lab" restart ctld' EXIT
rewrite "$slurm_conf" sed 's/^SchedulerParameters=/&permit_job_expansion,/' "$slurm_conf.saved"
fine "$lab" restart ctld
first=gc-poplar-02 creator=gc-poplar-03

# allocation OPTION...: an allocation without a step; its number is left in $said.
allocation() {
	said=$(ann salloc --no-shell -p p64 -N1 "$@" 2>&1) || fail "salloc failed: $said"
	said=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
}
grown() {
	allocation -w $creator --ipus=8
	job=$said
	await 'the job has its partition' record_is ready $creator "$job"
	allocation -w $first --dependency="expand:$job"
	fine run scontrol update "jobid=$said" NumNodes=0
	fine run scontrol update "jobid=$job" NumNodes=ALL
	is 'the job has both nodes' 'gc-poplar-[02-03]' "$(nodes_of "$job")"
	has_partition "$job" || fail 'a running job lost its partition'
	no_record $first "$job" || fail 'a prolog ran on the new node: this tests nothing'
}
ends() {
	fine run scancel "$job"
	await 'the partition is removed' no_partitions
	await 'no job is left' no_jobs
	await 'no job record is left' no_job_records
}

grown
ends

grown
fine run scontrol update "jobid=$job" "NodeList=$first"
await 'the creating node removes its record' no_record $creator "$job"
has_partition "$job" || fail 'a running job lost its partition'
ends
