#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Partitions of jobs that are gone are found and removed, whoever made them and wherever they are written down; living jobs'
# and those of other names are not touched; without an answer from slurmctld nothing is.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
node=gc-poplar-03
reap() { run tessera reap --node=$node --conf="$conf" "$@"; }
names() { vipu list | cut -d' ' -f1 | sort | xargs; }

living=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
waiting=$(ann sbatch --parsable --hold -p p64 --ipus=4 -o /dev/null --wrap 'sleep 600')
has_partition() { vipu list | grep -q "^slurm_$living .*ACTIVE"; }
await 'the living one has its partition' has_partition
for name in slurm_999999 "slurm_$waiting" p64 slurm_ slurm_12x slurm_4294967297 xslurm_7 slurm_07; do fine vipu create "$name" 1; done
before=$(names)
is 'a dry run tells' "job 999999 is gone: partition slurm_999999 would be removed" "$(reap --dry-run)"
is 'and does nothing' "$before" "$(names)"
code=0
said=$(ann tessera reap --node=$node --conf="$conf" 2>&1) || code=$?
is 'an ordinary user may not' 4 "$code"
like 'and hears why' 'tessera: only root may reap' "$said"
is 'and removed nothing' "$before" "$(names)"
is 'the lost one goes' "job 999999 is gone: partition slurm_999999 removed" "$(reap)"
is 'and no other' "$(tr ' ' '\n' <<<"$before" | grep -v 999999 | xargs)" "$(names)"

# The node's note is lost: slurmctld still says that the job has IPUs, and so the epilog removes its partition.
rm -f "$TESSERA_LAB/state/gc-poplar-02/job.$living"
fine run scancel "$living"
living_gone() { ! vipu list | grep -q "^slurm_$living "; }
await 'its partition is gone' living_gone
await 'the job has ended' eval '[ -z "$(run squeue -hj '"$living"' -o %T)" ]'

# The job's nodes are dead, and so are their notes: reap on another node finds the partition by its name.
lost=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
is_lost() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$lost"; }
made() { vipu list | grep -q "^slurm_$lost .*ACTIVE"; }
await 'it has its partition' made
fine vipu fault denied RemovePartition
fine run scancel "$lost"
await 'the epilog gives up' is_lost
fine vipu fault none
rm -f "$TESSERA_LAB/state/gc-poplar-02/job.$lost"
await 'the job has ended' eval '[ -z "$(run squeue -hj '"$lost"' -o %T)" ]'
is 'its partition is found' "job $lost is gone: partition slurm_$lost removed" "$(reap)"

# Whoever was killed while it wrote a note leaves a piece of one.
: >"$TESSERA_LAB/state/$node/.job.999997"
: >"$TESSERA_LAB/state/$node/.job.$waiting"
fine reap --dry-run
[ -e "$TESSERA_LAB/state/$node/.job.999997" ] || broken 'a dry run removed it'
is 'nothing to tell' '' "$(reap)"
is 'a living job keeps its piece' ".job.$waiting" "$(cd "$TESSERA_LAB/state/$node" && ls -d .job.*)"
rm -f "$TESSERA_LAB/state/$node/.job.$waiting"

# Without slurmctld nobody knows who lives.
fine vipu create slurm_999998 1
fine run scancel "$waiting"
elsewhere=$TESSERA_LAB/etc/nobody-there.conf
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/' "$TESSERA_LAB/etc/slurm.conf" >"$elsewhere"
code=0
env SLURM_CONF="$elsewhere" "$TESSERA_LAB/bin/tessera" reap --node=$node --conf="$conf" >/dev/null 2>&1 || code=$?
rm -f "$elsewhere"
is 'no answer, an error' 3 "$code"
like 'and nothing is touched' 'slurm_999998' "$(names)"

# slurmd does it when it starts.
fine "$lab" restart $node
gone() { ! vipu list | grep -q slurm_999998; }
await 'slurmd removed it' gone
for name in $(names); do fine vipu remove "$name"; done
