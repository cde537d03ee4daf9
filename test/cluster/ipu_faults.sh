#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Faults of the controller: an interactive job fails with a message that names the fault, a batch
# job is requeued, no node is drained, and nothing is left when the controller works again.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'vipu fault none; mv "$conf.saved" "$conf"' EXIT
sed "s/^\tPort/\tCreateWait = 1\n\tRemoveWait = 1\n\tCallWait = 1\n\tPort/" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"

mended() {
	fine vipu fault none
	await 'the queue is empty' no_jobs
	# tessera reap finds what the epilog could not remove.
	fine run tessera reap --node=gc-poplar-02 --conf="$conf" >/dev/null
	await 'no job record is left' no_job_records
	await 'no partition is left' no_partitions
	unlike "no node is drained or down" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}

# fault KIND PATTERN: the message of an interactive job during this fault.
fault() {
	fine vipu fault "$1"
	refused ann srun -Q -p p64 -w gc-poplar-02 --ipus=4 true
	like "$1: the message" "tessera: partition slurm_[0-9]+ of 4 IPUs .*($2)" "$said"
	unlike "$1: no control characters are printed" '[[:cntrl:]]' "$(tr -d '\n' <<<"$said")"
	mended
}

# wait_for CREATE CALL: the time limits. A fault that is an answer must not become a time-out on a busy machine.
wait_for() { sed -i "s/CreateWait = .*/CreateWait = $1/; s/CallWait = .*/CallWait = $2/" "$conf"; }

fault hang 'seconds|too long|in time'
fault never 'pending|PENDING'
fault silent 'seconds|answer|in time'
wait_for 3 3
fault refuse 'PRECONDITION'
fault unavailable '[Uu]navailable|UNAVAILABLE'
fault unauthenticated 'UNAUTHENTICATED|[Aa]uthenticat|access key'
fault internal 'INTERNAL|[Ii]nternal'
fault ps_error 'error|ERROR'
fault drop 'connection|answer'
fault garbage 'gRPC|HTTP|connection|answer'
fault http1 'HTTP/1|gRPC|HTTP|connection'
fault reset 'connection|reset|refused|cannot be reached'
fault badframe 'frame|message|bytes|answer|connection'
fault truncated 'understood|message|answer|connection'
fault notrailers 'grpc-status|status|connection'
# 64 MiB take a while on a busy machine.
wait_for 30 25
fault oversized 'MiB|large|bytes|longer'
wait_for 6 5
fault old '1\.0\.3'

# A batch job is not lost: it is requeued, and runs when the controller works again.
fine vipu fault unavailable
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o fault.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
await 'the job is requeued' requeued "$job"
like 'the output says why' 'tessera: .*; requeueing the job \(1 of 3\)' "$(cat "$(home ann)/fault.out")"
fine vipu fault none
await 'Slurm allows it to start on another node' eval "run scontrol update jobid=$job ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
reaches "$job" COMPLETED
is 'the job ran with its partition' "slurm_$job" "$(tail -n 1 "$(home ann)/fault.out")"
mended

# A slow controller is waited for, and a lost call is repeated.
sed -i 's/CreateWait = .*/CreateWait = 30/; s/CallWait = .*/CallWait = 10/' "$conf"
fine vipu fault slow CreatePartition 1
fine ann srun -p p64 --ipus=4 true
for kind in unavailable drop exhausted; do
	fine vipu fault "$kind" CreatePartition 1
	fine ann srun -p p64 --ipus=4 true
	await "no partition after $kind" no_partitions
done

# A removal that needs force, and one that fails.
fine vipu fault stuck
fine ann srun -p p64 --ipus=4 true
await 'the partition is removed by force' no_partitions
fine vipu fault none
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
fine vipu fault immortal
fine ann scancel "$job"
is_leaving() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$job"; }
await 'the job record is kept' is_leaving
await 'the job has ended' no_jobs
fine vipu fault none
like 'reap removes the partition' "^job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
is 'a second reap finds nothing' '' "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
mended
rm -f "$(home ann)/fault.out"
