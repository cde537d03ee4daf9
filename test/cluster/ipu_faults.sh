#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever is wrong with the controller: an interactive job fails with a sentence that says what, a batch job goes back to
# the queue, no node is taken away, and when the controller is well again nothing is left.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
cp "$conf" "$conf.saved"
trap 'vipu fault none; mv "$conf.saved" "$conf"' EXIT
sed "s/^\tPort/\tCreateWait = 1\n\tRemoveWait = 1\n\tCallWait = 1\n\tPort/" "$conf.saved" >"$conf.new" && mv "$conf.new" "$conf"

mended() {
	fine vipu fault none
	await 'the queue is empty' no_jobs
	# What the epilog could not reach is found by whoever looks.
	fine run tessera reap --node=gc-poplar-02 --conf="$conf" >/dev/null
	await 'no note is left' no_notes
	await 'no partition is left' no_partitions
	unlike "no node is taken away" 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"
}

# fault KIND PATTERN: what an interactive job says then.
fault() {
	fine vipu fault "$1"
	refused ann srun -Q -p p64 -w gc-poplar-02 --ipus=4 true
	like "$1" "tessera: partition slurm_[0-9]+ of 4 IPUs .*($2)" "$said"
	unlike "$1: control characters" '[[:cntrl:]]' "$(tr -d '\n' <<<"$said")"
	mended
}

fault refuse 'PRECONDITION'
fault unavailable '[Uu]navailable|UNAVAILABLE'
fault unauthenticated 'UNAUTHENTICATED|[Aa]uthenticat|access key'
fault internal 'INTERNAL|[Ii]nternal'
fault hang 'seconds|too long|in time'
fault never 'pending|PENDING'
fault ps_error 'error|ERROR'
fault drop 'connection|answer'
fault garbage 'gRPC|HTTP|connection|answer'
fault http1 'HTTP/1|gRPC|HTTP|connection'
fault silent 'seconds|answer|in time'
fault reset 'connection|reset|refused|cannot be reached'
fault badframe 'frame|message|bytes|answer|connection'
fault truncated 'understood|message|answer|connection'
fault notrailers 'grpc-status|status|connection'
# 64 MiB take a while on a busy machine.
sed -i 's/CreateWait = .*/CreateWait = 30/; s/CallWait = .*/CallWait = 25/' "$conf"
fault oversized 'MiB|large|bytes|longer'
sed -i 's/CreateWait = .*/CreateWait = 6/; s/CallWait = .*/CallWait = 5/' "$conf"
fault old '1\.0\.3'

# A batch job is not lost: it waits in the queue, and runs when the controller is well.
fine vipu fault unavailable
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 --requeue -o fault.out --wrap 'echo $IPUOF_VIPU_API_PARTITION_ID')
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
await 'it is back in the queue' requeued "$job"
like 'and says why' 'tessera: .*; the job goes back to the queue \(1 of 3\)' "$(cat "$(home ann)/fault.out")"
fine vipu fault none
await 'it may start elsewhere' eval "run scontrol update jobid=$job ReqNodeList=gc-poplar-03 StartTime=now 2>/dev/null"
reaches "$job" COMPLETED
is 'it ran' "slurm_$job" "$(tail -n 1 "$(home ann)/fault.out")"
mended

# A slow controller is only slow, and one that loses the first call is asked again.
sed -i 's/CreateWait = .*/CreateWait = 30/; s/CallWait = .*/CallWait = 10/' "$conf"
fine vipu fault slow CreatePartition 1
fine ann srun -p p64 --ipus=4 true
for kind in unavailable drop exhausted; do
	fine vipu fault "$kind" CreatePartition 1
	fine ann srun -p p64 --ipus=4 true
	await "no partition after $kind" no_partitions
done

# Removal: refused first, and then it takes force; and not at all.
fine vipu fault stuck
fine ann srun -p p64 --ipus=4 true
await 'force removes it' no_partitions
fine vipu fault none
job=$(ann sbatch --parsable -p p64 -w gc-poplar-02 --ipus=4 -o /dev/null --wrap 'sleep 600')
reaches "$job" RUNNING
fine vipu fault immortal
fine ann scancel "$job"
left() { grep -qs '^state leaving' "$TESSERA_LAB/state/gc-poplar-02/job.$job"; }
await 'it is written down' left
await 'the job has ended' no_jobs
fine vipu fault none
like 'reap removes it' "^job $job is gone: partition slurm_$job removed" "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
is 'and nothing more' '' "$(run tessera reap --node=gc-poplar-02 --conf="$conf")"
mended
rm -f "$(home ann)/fault.out"
