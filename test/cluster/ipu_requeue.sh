#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A requeued job has a fresh partition even if that of its earlier run could not be removed: created
# again, or reset where tessera.conf says so.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'vipu fault none; mv "$conf.saved" "$conf"' EXIT
calls() { sed -n "s/^[0-9:]* \([A-Za-z]*Partition\) id=slurm_$1 status=\([A-Z_]*\).*/\1 \2/p" "$TESSERA_LAB/log/vipu.out" | xargs; }
again() { [ "$(run squeue -hj "$1" -o %T)" = RUNNING ] && run scontrol show job "$1" | grep -q 'Restarts=1'; }

# elsewhere JOB: run it on another node, since Slurm does not start it on the same one for a while.
elsewhere() {
	await 'the job is pending' is_state "$1" PENDING
	await 'Slurm allows it to start on another node' eval "run scontrol update jobid=$1 ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
	await 'the job runs again' again "$1"
}

run_twice() {
	local job
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap "$1")
	reaches "$job" RUNNING
	await 'the job has its partition' has_partition "$job"
	fine run scontrol requeue "$job"
	elsewhere "$job"
	said=$job
}
ready_again() { grep -qs '^state ready' "$TESSERA_LAB/state/gc-poplar-03/job.$1"; }
waiting='echo $SLURM_RESTART_COUNT $IPUOF_VIPU_API_PARTITION_ID; [ -n "$SLURM_RESTART_COUNT" ] || sleep 600'

run_twice "$waiting; sleep 600"
job=$said
await 'the second run has a partition' has_partition "$job"
is 'the partition was removed and created again' 'CreatePartition OK RemovePartition OK CreatePartition OK' "$(calls "$job")"
fine run scancel "$job"
await 'no partition is left' no_partitions
await 'no job record is left' no_job_records

# The epilog could not remove the partition: it still exists when the job runs again.
for policy in remove reset; do
	sed "s/^\tPort/\tLeftover = $policy\n\tRemoveWait = 1\n\tPort/" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'the job has its partition' has_partition "$job"
	fine vipu fault immortal
	fine run scontrol requeue "$job"
	is_leaving() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$job"; }
	await 'the epilog keeps the job record' is_leaving
	has_partition "$job" || fail 'the partition was removed'
	fine vipu fault none
	elsewhere "$job"
	await 'the second run has a partition' has_partition "$job"
	case $policy in
	remove) like 'the partition is removed and created again' 'RemovePartition OK CreatePartition OK$' "$(calls "$job")" ;;
	reset) like 'the partition is reset' 'ResetPartition OK$' "$(calls "$job")" ;;
	esac
	# The job runs on another node now: reap here removes only the record.
	like 'reap removes the record of the first run' "^job $job ended on this node: its job record removed" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
	has_partition "$job" || fail "reap removed a running job's partition"
	fine run scancel "$job"
	await 'no partition is left' no_partitions
	await 'no job is left' no_jobs
done

# While the job is pending its licenses are free: reap removes what the earlier run left, with and
# without the record.
cp "$conf.saved" "$conf.new" && mv "$conf.new" "$conf"
for node in gc-poplar-02 gc-poplar-04; do
	job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
	reaches "$job" RUNNING
	await 'the job has its partition' has_partition "$job"
	fine vipu fault denied RemovePartition
	fine run scontrol requeue "$job"
	await 'the epilog keeps the job record' is_leaving
	await 'the job is pending' is_state "$job" PENDING
	has_partition "$job" || fail 'the partition was removed'
	fine vipu fault none
	is "reap on $node removes the partition" "job $job is queued again: partition slurm_$job removed" "$(run tessera reap --node=$node --conf="$conf")"
	is 'no partition is left' '' "$(vipu list)"
	elsewhere "$job"
	await 'the second run has a partition' has_partition "$job"
	fine run tessera reap --node=gc-poplar-02 --conf="$conf"
	fine run tessera reap --node=gc-poplar-04 --conf="$conf"
	has_partition "$job" || fail "reap removed a running job's partition"
	fine run scancel "$job"
	await 'no partition is left' no_partitions
	await 'no job is left' no_jobs
done

# The job starts again while reap tries to remove the partition of its earlier run: the partition of
# the new run stays.
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
fine vipu fault denied RemovePartition
fine run scontrol requeue "$job"
await 'the epilog keeps the job record' is_leaving
await 'the job is pending' is_state "$job" PENDING
fine vipu fault hang RemovePartition 1
hangs() { grep -q " RemovePartition id=slurm_$job .*fault=hang" "$TESSERA_LAB/log/vipu.out"; }
run tessera reap --node=gc-poplar-02 --conf="$conf" >"$TESSERA_LAB/reap.out" 2>&1 &
reap=$!
await 'the controller does not answer' hangs
elsewhere "$job"
await 'the second run has a partition' ready_again "$job"
! wait "$reap" || fail 'reap succeeded'
like 'reap says why it stopped' 'no longer wanted' "$(cat "$TESSERA_LAB/reap.out")"
has_partition "$job" || fail 'reap removed the partition of the new run'
rm -f "$TESSERA_LAB/reap.out"
fine run scancel "$job"
await 'no partition is left' no_partitions
await 'no job is left' no_jobs
fine run tessera reap --node=gc-poplar-02 --conf="$conf"

# A node is given up as down, and its job runs on another node when it comes back: its epilog must
# not remove the partition of that run.
cp "$conf.saved" "$conf.new" && mv "$conf.new" "$conf"
read -r slurmd _ <"$TESSERA_LAB/pids/gc-poplar-02"
trap 'kill -CONT "$slurmd"; vipu fault none; run scontrol update nodename=gc-poplar-02 state=resume 2>/dev/null; mv "$conf.saved" "$conf"' EXIT
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o requeue.out --wrap 'sleep 600')
reaches "$job" RUNNING
await 'the job has its partition' has_partition "$job"
kill -STOP "$slurmd"
fine run scontrol update nodename=gc-poplar-02 state=down reason=dead
elsewhere "$job"
twice() { [ "$(calls "$job" | grep -o 'CreatePartition OK' | wc -l)" = 2 ]; }
await 'the partition was created again' twice
await 'its new partition is there' has_partition "$job"
kill -CONT "$slurmd"
# slurmctld may have resumed the node already; then the update fails.
back() { run scontrol update nodename=gc-poplar-02 state=resume 2>/dev/null || run sinfo -hn gc-poplar-02 -o %T | grep -qE "^(idle|mixed|allocated|completing)"; }
await 'the node is available again' back
await 'the epilog of the first run has ended' no_record gc-poplar-02 "$job"
has_partition "$job" || fail 'the epilog removed the partition of the second run'
fine run scancel "$job"
rm -f "$(home ann)/requeue.out"
