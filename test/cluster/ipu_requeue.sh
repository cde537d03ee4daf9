#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that is run again has a fresh partition, though the one of its earlier run could not be removed: made anew, or
# reset where the site says so.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'vipu fault none; mv "$conf.saved" "$conf"' EXIT
calls() { sed -n "s/^[0-9:]* \([A-Za-z]*Partition\) id=slurm_$1 status=\([A-Z_]*\).*/\1 \2/p" "$TESSERA_LAB/log/vipu.out" | xargs; }
again() { [ "$(run squeue -hj "$1" -o %T)" = RUNNING ] && run scontrol show job "$1" | grep -q 'Restarts=1'; }

# elsewhere JOB: let it run on another node, because Slurm keeps it from the same one for a while.
elsewhere() {
	await 'it waits' is_state "$1" PENDING
	await 'Slurm lets it start elsewhere' eval "run scontrol update jobid=$1 ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
	await 'it runs again' again "$1"
}

run_twice() {
	local job
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap "$1")
	reaches "$job" RUNNING
	await 'its partition is there' has_partition "$job"
	fine run scontrol requeue "$job"
	elsewhere "$job"
	said=$job
}
ready_again() { grep -qs '^state ready' "$TESSERA_LAB/state/gc-poplar-03/job.$1"; }
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
waiting='echo $SLURM_RESTART_COUNT $IPUOF_VIPU_API_PARTITION_ID; [ -n "$SLURM_RESTART_COUNT" ] || sleep 600'

run_twice "$waiting; sleep 600"
job=$said
await 'a partition again' has_partition "$job"
is 'removed between' 'CreatePartition OK RemovePartition OK CreatePartition OK' "$(calls "$job")"
fine run scancel "$job"
await 'nothing is left' no_partitions
await 'no note is left' no_notes

# The epilog could not remove it: then it is still there when the job comes back.
for policy in remove reset; do
	sed "s/^\tPort/\tLeftover = $policy\n\tRemoveWait = 1\n\tPort/" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'its partition is there' has_partition "$job"
	fine vipu fault immortal
	fine run scontrol requeue "$job"
	left() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$job"; }
	await 'the epilog gives up' left
	has_partition "$job" || broken 'the partition is gone'
	fine vipu fault none
	elsewhere "$job"
	await 'with a partition' has_partition "$job"
	case $policy in
	remove) like 'removed and made' 'RemovePartition OK CreatePartition OK$' "$(calls "$job")" ;;
	reset) like 'reset' 'ResetPartition OK$' "$(calls "$job")" ;;
	esac
	# It runs on another node now: here only the note goes.
	like 'the note of the first run' "^job $job is gone from here: its note gone" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
	has_partition "$job" || broken "reap removed a running job's partition"
	fine run scancel "$job"
	await 'nothing is left' no_partitions
	await 'no job is left' no_jobs
done

# Its licenses are free while it waits: reap removes what the earlier run left, with the note and without.
cp "$conf.saved" "$conf.new" && mv "$conf.new" "$conf"
for node in gc-poplar-02 gc-poplar-04; do
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'its partition is there' has_partition "$job"
	fine vipu fault denied RemovePartition
	fine run scontrol requeue "$job"
	await 'the epilog gives up' left
	await 'it waits' is_state "$job" PENDING
	has_partition "$job" || broken 'the partition is gone'
	fine vipu fault none
	is "reap on $node" "job $job is queued again: partition slurm_$job removed" "$(run tessera reap --node=$node --conf="$conf")"
	is 'it is gone' '' "$(vipu list)"
	elsewhere "$job"
	await 'it has a new one' has_partition "$job"
	fine run tessera reap --node=gc-poplar-02 --conf="$conf"
	fine run tessera reap --node=gc-poplar-04 --conf="$conf"
	has_partition "$job" || broken "reap removed a running job's partition"
	fine run scancel "$job"
	await 'nothing is left' no_partitions
	await 'no job is left' no_jobs
done

# The job starts again while reap tries to remove what its earlier run left: the partition of the new run stays.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
reaches "$job" RUNNING
await 'its partition is there' has_partition "$job"
fine vipu fault denied RemovePartition
fine run scontrol requeue "$job"
await 'the epilog gives up' left
await 'it waits' is_state "$job" PENDING
fine vipu fault hang RemovePartition 1
hangs() { grep -q " RemovePartition id=slurm_$job .*fault=hang" "$TESSERA_LAB/log/vipu.out"; }
run tessera reap --node=gc-poplar-02 --conf="$conf" >"$TESSERA_LAB/reap.out" 2>&1 &
reap=$!
await 'the controller does not answer' hangs
elsewhere "$job"
await 'it has a new one' ready_again "$job"
! wait "$reap" || broken 'reap did not give up'
like 'reap says why' 'no longer wanted' "$(cat "$TESSERA_LAB/reap.out")"
has_partition "$job" || broken 'reap removed the partition of the new run'
rm -f "$TESSERA_LAB/reap.out"
fine run scancel "$job"
await 'nothing is left' no_partitions
await 'no job is left' no_jobs
fine run tessera reap --node=gc-poplar-02 --conf="$conf"

# A node is given up for dead, and its job runs elsewhere when it comes back to life: its epilog must not take the partition
# of that run.
cp "$conf.saved" "$conf.new" && mv "$conf.new" "$conf"
read -r slurmd _ <"$TESSERA_LAB/pids/gc-poplar-02"
trap 'kill -CONT "$slurmd"; vipu fault none; run scontrol update nodename=gc-poplar-02 state=resume 2>/dev/null; mv "$conf.saved" "$conf"' EXIT
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
reaches "$job" RUNNING
await 'its partition is there' has_partition "$job"
kill -STOP "$slurmd"
fine run scontrol update nodename=gc-poplar-02 state=down reason=dead
elsewhere "$job"
twice() { [ "$(calls "$job" | grep -o 'CreatePartition OK' | wc -l)" = 2 ]; }
await 'made again' twice
await 'its new partition is there' has_partition "$job"
kill -CONT "$slurmd"
# slurmctld may have taken it back already, and then it need not be told.
back() { run scontrol update nodename=gc-poplar-02 state=resume 2>/dev/null || run sinfo -hn gc-poplar-02 -o %T | grep -qE "^(idle|mixed|allocated|completing)"; }
await 'the node is taken back' back
forgotten() { [ ! -e "$TESSERA_LAB/state/gc-poplar-02/job.$job" ]; }
await 'the epilog of the first run' forgotten
has_partition "$job" || broken 'it removed the partition of the second run'
fine run scancel "$job"
rm -f "$(home ann)/requeue.out"
