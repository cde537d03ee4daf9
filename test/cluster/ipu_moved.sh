#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera.conf changes under a running job, so that the partition would be searched at another
# controller or not at all. The job record is then kept, and the partition is removed when the file
# is restored.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-02
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
reap() { run tessera reap --node=$node --conf="$conf" 2>&1; }
change() { sed "$1" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"; }
is_leaving() { grep -qs '^state leaving' "$TESSERA_LAB/state/$node/job.$1"; }

for edit in 's/^\tPort/\tPrefix = other_\n\tPort/' 's/^\tHost.*/\tHost = localhost/' 's/^\tPort.*/\tPort = 1/' '/^vipu/,/^}/d'; do
	job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'the job has its partition' has_partition "$job"
	change "$edit"
	fine run scancel "$job"
	await "the epilog keeps the job record: $edit" is_leaving "$job"
	refused reap
	like 'reap reports the changed controller' "slurm_$job was made at 127.0.0.1:[0-9]+, and the vipu block for node $node .*/job.$job" "$said"
	is_leaving "$job" || fail 'reap removed the job record'
	has_partition "$job" || fail 'another partition was removed'
	change ''
	is 'the partition is removed with the restored file' "job $job is gone: partition slurm_$job removed" "$(reap)"
	is 'no partition and no job record is left' '' "$(vipu list)$(job_records $node)"
done

# A partition that cannot be removed does not keep reap from removing those of other ended jobs.
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap 'sleep 600')
await 'the job has its partition' has_partition "$job"
change 's/^\tPort/\tPrefix = other_\n\tPort/'
fine run scancel "$job"
await 'the epilog keeps the job record' is_leaving "$job"
fine vipu create other_999999 1
refused reap
like 'the error is still reported' "slurm_$job was made at" "$said"
unlike 'the partition of the other job is removed' other_999999 "$(vipu list)"
change ''
is 'the partition is removed with the restored file' "job $job is gone: partition slurm_$job removed" "$(reap)"
