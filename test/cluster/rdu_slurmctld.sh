#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A prolog that fails because slurmctld does not answer or another process has the ledger's lock:
# the batch job is requeued with the reason in its output, and runs later. A job without tiles runs
# at once.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
hung='' stopped='' locker=''
restore() {
	[ -z "$hung" ] || kill -CONT "$hung"
	[ -z "$stopped" ] || kill -CONT "$stopped"
	[ -z "$locker" ] || kill "$locker"
	mv "$slurm_conf.saved" "$slurm_conf"
	"$lab" restart ctld
	"$lab" restart $node
	rm -f "$(home ann)"/{silent,locked,none}.out
}
trap restore EXIT
rewrite "$slurm_conf" sed 's/^MessageTimeout=.*/MessageTimeout=5/' "$slurm_conf.saved"
fine "$lab" restart ctld
fine "$lab" restart $node
said_so() { grep -q "tessera: job $1: " "$TESSERA_LAB/log/$node.log"; }
stays() { unlike 'the node stays available' 'drain|down' "$(run sinfo -hn $node -o '%T %E')"; }
# Run the job to its end on another node, since Slurm does not start it on the same one for a while.
runs_again() {
	await 'Slurm allows it to start' eval "run scontrol update jobid=$1 ReqNodeList=sn30-r1-h1 StartTime=now 2>/dev/null"
	reaches "$1" COMPLETED
}

# silent SUBMIT...: submit a job whose prolog queries a slurmctld that does not answer; print its
# number.
silent() {
	read -r stopped _ <"$TESSERA_LAB/pids/$node"
	read -r hung _ <"$TESSERA_LAB/pids/slurmctld"
	kill -STOP "$stopped"
	job=$("$@")
	await 'slurmd has a request to run the prolog' message_waits $node
	kill -STOP "$hung"
	kill -CONT "$stopped"
	stopped=
	await 'the prolog has failed' said_so "$job"
	kill -CONT "$hung"
	hung=
}

silent ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o silent.out --wrap 'printenv SF_RNT_TILE_AFFINITY'
await 'the batch job is requeued' requeued "$job"
like 'the output says that slurmctld does not answer' 'tessera: cannot query job [0-9]+ from slurmctld: .*; requeueing the job \(1 of 3\)' \
	"$(cat "$(home ann)/silent.out")"
stays
runs_again "$job"
is 'the job has its tiles later' 0x00000000000000ff "$(cat "$(home ann)/silent.out")"

silent ann sbatch --parsable --requeue -w $node -o none.out --wrap 'echo ran'
reaches "$job" COMPLETED
# Slurm 26.05 itself writes the first line, if the prolog waited longer than MessageTimeout.
is 'a job without tiles runs' ran "$(sed '1{/ error: Prolog hung on node /d}' "$(home ann)/none.out")"
stays

# The lock.
lock=$TESSERA_LAB/state/$node/lock
flock "$lock" sleep 600 &
locker=$!
locked() { ! flock -n "$lock" true; }
await 'the lock is held' locked
job=$(ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o locked.out --wrap 'printenv SF_RNT_TILE_AFFINITY')
await 'the batch job is requeued' requeued "$job"
like 'the output says that the lock is held' "tessera: timed out waiting for $lock, which another process holds.*; requeueing the job \(1 of 3\)" "$(cat "$(home ann)/locked.out")"
stays
is 'a job without tiles runs' ran "$(bob srun -Q -w $node echo ran 2>&1)"
# sleep holds the lock too.
kill "$(pgrep -P "$locker")"
wait "$locker" 2>/dev/null
locker=
runs_again "$job"
is 'the job has its tiles later' 0x00000000000000ff "$(cat "$(home ann)/locked.out")"
