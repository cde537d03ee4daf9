#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A prolog that cannot do its work for now, because slurmctld does not answer or another process has the ledger's lock: the
# batch job goes back to the queue and reads the reason, and runs when the trouble is over. A job without tiles runs at once.
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
sed 's/^MessageTimeout=.*/MessageTimeout=5/' "$slurm_conf.saved" | rewrite "$slurm_conf"
fine "$lab" restart ctld
fine "$lab" restart $node
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
said_so() { grep -q "tessera: job $1: " "$TESSERA_LAB/log/$node.log"; }
stays() { unlike 'the node stays' 'drain|down' "$(run sinfo -hn $node -o '%T %E')"; }
# It runs to its end on another node, because Slurm keeps it from the same one for a while.
runs_again() {
	await 'Slurm lets it start' eval "run scontrol update jobid=$1 ReqNodeList=sn30-r1-h1 StartTime=now 2>/dev/null"
	reaches "$1" COMPLETED
}

# asked_of_slurmd: a message lies before the node's slurmd, which is stopped.
port=$(sed -n "s/^NodeName=$node .* Port=\([0-9]*\) .*/\1/p" "$slurm_conf")
asked_of_slurmd() {
	awk -v port="$(printf ':%04X' "$port")" 'substr($2, length($2) - 4) == port && $4 == "01" && $5 !~ /:00000000$/ { found = 1 }
		END { exit !found }' /proc/net/tcp
}
# silent SUBMIT...: a job whose prolog asks a slurmctld that does not answer. Its number.
silent() {
	read -r stopped _ <"$TESSERA_LAB/pids/$node"
	read -r hung _ <"$TESSERA_LAB/pids/slurmctld"
	kill -STOP "$stopped"
	job=$("$@")
	await 'the prolog is to be run' asked_of_slurmd
	kill -STOP "$hung"
	kill -CONT "$stopped"
	stopped=
	await 'the prolog says that it cannot' said_so "$job"
	kill -CONT "$hung"
	hung=
}

silent ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o silent.out --wrap 'printenv SF_RNT_TILE_AFFINITY'
await 'the batch job is back in the queue' requeued "$job"
like 'slurmctld is silent: the reason' 'tessera: slurmctld did not say what job .*; the job goes back to the queue \(1 of 3\)' \
	"$(cat "$(home ann)/silent.out")"
stays
runs_again "$job"
is 'and then it has its tiles' 0x00000000000000ff "$(cat "$(home ann)/silent.out")"

silent ann sbatch --parsable --requeue -w $node -o none.out --wrap 'echo ran'
reaches "$job" COMPLETED
is 'who asked for nothing does not notice' ran "$(cat "$(home ann)/none.out")"
stays

# The lock.
lock=$TESSERA_LAB/state/$node/lock
flock "$lock" sleep 600 &
locker=$!
locked() { ! flock -n "$lock" true; }
await 'the lock is taken' locked
job=$(ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o locked.out --wrap 'printenv SF_RNT_TILE_AFFINITY')
await 'the batch job is back in the queue' requeued "$job"
like 'the lock: the reason' "tessera: $lock .*; the job goes back to the queue \(1 of 3\)" "$(cat "$(home ann)/locked.out")"
stays
is 'a job without tiles' ran "$(bob srun -Q -w $node echo ran 2>&1)"
# sleep has the lock, too.
kill "$(pgrep -P "$locker")"
wait "$locker" 2>/dev/null
locker=
runs_again "$job"
is 'and then it has its tiles' 0x00000000000000ff "$(cat "$(home ann)/locked.out")"
