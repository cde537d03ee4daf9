#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera reap finds and removes partitions of ended jobs, on whatever node they were created and
# recorded. It does not touch those of running jobs and of other names, and nothing at all without
# an answer of slurmctld.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-03
reap() { run tessera reap --node=$node --conf="$conf" "$@"; }
names() { vipu list | cut -d' ' -f1 | sort | xargs; }

running=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
waiting=$(ann sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')
has_partition() { vipu list | grep -q "^slurm_$running .*ACTIVE"; }
await 'the running job has its partition' has_partition
for name in slurm_999999 "slurm_$waiting" p64 slurm_ slurm_12x slurm_4294967297 xslurm_7 slurm_07; do fine vipu create "$name" 1; done
before=$(names)
is 'a dry run lists the partition' "job 999999 is gone: partition slurm_999999 would be removed" "$(reap --dry-run)"
is 'a dry run removes nothing' "$before" "$(names)"
code=0
said=$(ann tessera reap --node=$node --conf="$conf" 2>&1) || code=$?
is 'a user may not reap' 4 "$code"
like 'the message says that only root may reap' 'tessera: must be root to reap' "$said"
is 'nothing was removed' "$before" "$(names)"
is 'the lost partition is removed' "job 999999 is gone: partition slurm_999999 removed" "$(reap)"
is 'no other partition is removed' "$(tr ' ' '\n' <<<"$before" | grep -v 999999 | xargs)" "$(names)"

# The job record is lost: slurmctld still says that the job has IPUs, so the epilog removes its
# partition.
rm -f "$TESSERA_LAB/state/gc-poplar-02/job.$running"
fine run scancel "$running"
partition_removed() { ! vipu list | grep -q "^slurm_$running "; }
await 'the partition is removed' partition_removed
await 'the job has ended' eval '[ -z "$(run squeue -hj '"$running"' -o %T)" ]'

# The nodes of the job are dead and their records lost: reap on another node finds the partition by
# its name.
lost=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
is_lost() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$lost"; }
made() { vipu list | grep -q "^slurm_$lost .*ACTIVE"; }
await 'the job has its partition' made
fine vipu fault denied RemovePartition
fine run scancel "$lost"
await 'the epilog cannot remove it' is_lost
fine vipu fault none
rm -f "$TESSERA_LAB/state/gc-poplar-02/job.$lost"
await 'the job has ended' eval '[ -z "$(run squeue -hj '"$lost"' -o %T)" ]'
is 'the partition is found by its name' "job $lost is gone: partition slurm_$lost removed" "$(reap)"

# A process that was killed while it wrote a record leaves a temporary file.
: >"$TESSERA_LAB/state/$node/.job.999997"
: >"$TESSERA_LAB/state/$node/.job.$waiting"
fine reap --dry-run
[ -e "$TESSERA_LAB/state/$node/.job.999997" ] || fail 'a dry run removed the temporary file'
is 'nothing is reported' '' "$(reap)"
is 'the file of a running job stays' ".job.$waiting" "$(cd "$TESSERA_LAB/state/$node" && ls -d .job.*)"
rm -f "$TESSERA_LAB/state/$node/.job.$waiting"

# Without slurmctld it is unknown which jobs are running.
fine vipu create slurm_999998 1
fine run scancel "$waiting"
elsewhere=$TESSERA_LAB/etc/nobody-there.conf
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/' "$TESSERA_LAB/etc/slurm.conf" >"$elsewhere"
code=0
env SLURM_CONF="$elsewhere" "$TESSERA_LAB/bin/tessera" reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
rm -f "$elsewhere"
is 'the exit code is 3 without slurmctld' 3 "$code"
like 'nothing is removed without slurmctld' 'slurm_999998' "$(names)"

# slurmd reaps when it starts.
fine "$lab" restart $node
gone() { ! vipu list | grep -q slurm_999998; }
await 'slurmd removed the partition' gone
for name in $(names); do fine vipu remove "$name"; done
