#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that grows by a node has a first node that ran no prolog for it and has nothing written down. Its partition goes when
# it ends all the same, also after it has left the node that made the partition.
. "$(dirname "$0")/lib.sh"

slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
trap 'mv "$slurm_conf.saved" "$slurm_conf"; "$lab" restart ctld' EXIT
sed 's/^SchedulerParameters=/&permit_job_expansion,/' "$slurm_conf.saved" | rewrite "$slurm_conf"
fine "$lab" restart ctld
first=gc-poplar-02 maker=gc-poplar-03
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
ready_on() { grep -qs '^state ready' "$TESSERA_LAB/state/$1/job.$2"; }
forgotten() { [ ! -e "$TESSERA_LAB/state/$1/job.$2" ]; }
nodes_of() { run squeue -hj "$1" -o %N; }

# allocation OPTION...: one that stays, without a step; its number is left in $said.
allocation() {
	said=$(ann salloc --no-shell -p p64 -N1 "$@" 2>&1) || broken "salloc failed: $said"
	said=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
}
grown() {
	allocation -w $maker --ipus=8
	job=$said
	await 'it has its partition' ready_on $maker "$job"
	allocation -w $first --dependency="expand:$job"
	fine run scontrol update "jobid=$said" NumNodes=0
	fine run scontrol update "jobid=$job" NumNodes=ALL
	is 'it grew' 'gc-poplar-[02-03]' "$(nodes_of "$job")"
	has_partition "$job" || broken 'a running job lost its partition'
	forgotten $first "$job" || broken 'there was a prolog on its new node: this tests nothing'
}
ends() {
	fine run scancel "$job"
	await 'its partition is gone' no_partitions
	await 'no job is left' no_jobs
	await 'no note is left' no_notes
}

grown
ends

grown
fine run scontrol update "jobid=$job" "NodeList=$first"
await 'its maker forgets it' forgotten $maker "$job"
has_partition "$job" || broken 'a running job lost its partition'
ends
