#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera.conf changes under a running job, so that its partition would be looked for elsewhere or not at all: then it is
# not forgotten, and goes when the file is as it was.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-02
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"' EXIT
reap() { run tessera reap --node=$node --conf="$conf" 2>&1; }
change() { sed "$1" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"; }
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
left() { grep -qs '^state leaving' "$TESSERA_LAB/state/$node/job.$1"; }

for edit in 's/^\tPort/\tPrefix = other_\n\tPort/' 's/^\tHost.*/\tHost = localhost/' 's/^\tPort.*/\tPort = 1/' '/^vipu/,/^}/d'; do
	job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'it has its partition' has_partition "$job"
	change "$edit"
	fine run scancel "$job"
	await "the epilog does not forget it: $edit" left "$job"
	refused reap
	like 'who reaps is told' "slurm_$job was made at 127.0.0.1:[0-9]+, and the vipu block for node $node .*/job.$job" "$said"
	left "$job" || broken 'reap forgot it'
	has_partition "$job" || broken 'another partition was meant'
	change ''
	is 'then it goes' "job $job is gone: partition slurm_$job removed" "$(reap)"
	is 'and nothing is left' '' "$(vipu list)$(notes $node)"
done

# What cannot be removed does not save the partitions of other jobs that are gone.
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 -o /dev/null --wrap 'sleep 600')
await 'it has its partition' has_partition "$job"
change 's/^\tPort/\tPrefix = other_\n\tPort/'
fine run scancel "$job"
await 'the epilog does not forget it' left "$job"
fine vipu create other_999999 1
refused reap
like 'the error is still reported' "slurm_$job was made at" "$said"
unlike 'the other one is gone' other_999999 "$(vipu list)"
change ''
is 'then this one goes, too' "job $job is gone: partition slurm_$job removed" "$(reap)"
