#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld hangs while a partition is being made: the prolog asks it whether the job still lives, but waits for no answer
# beyond the time that Slurm gives a prolog. The node stays, and the batch job goes back to the queue.
. "$(dirname "$0")/lib.sh"

node=gc-poplar-02
slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
hung=
restore() {
	[ -z "$hung" ] || kill -CONT "$hung"
	vipu delay 0
	mv "$slurm_conf.saved" "$slurm_conf"
	"$lab" restart ctld
	"$lab" restart $node
}
trap restore EXIT
note_is() { grep -qs "^state $2" "$TESSERA_LAB/state/$node/job.$1"; }
is_made() { vipu list | grep -q "^slurm_$1 .*PENDING"; }
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }

sed 's/^MessageTimeout=.*/MessageTimeout=12\nPrologEpilogTimeout=12/' "$slurm_conf.saved" | rewrite "$slurm_conf"
fine "$lab" restart ctld
fine "$lab" restart $node
fine vipu delay 1000
seen=$(wc -l <"$TESSERA_LAB/log/$node.log")
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 --requeue -o hung.out --wrap true)
await 'it is being made' is_made "$job"
read -r hung _ <"$TESSERA_LAB/pids/slurmctld"
kill -STOP "$hung"
# Slurm writes this when it ends a prolog.
ended() { tail -n +"$((seen + 1))" "$TESSERA_LAB/log/$node.log" | grep -q 'prolog: timeout'; }
gave_up() { note_is "$job" failed || ended; }
await 'the prolog gave up, or was ended' gave_up
kill -CONT "$hung"
hung=
await 'the batch job is back in the queue' requeued "$job"
like 'the user is told' 'could not be made within 5 seconds' "$(cat "$(home ann)/hung.out")"
unlike 'the node stays' 'drain|down' "$(run sinfo -hn $node -o '%T %E')"
fine run scancel "$job"
await 'no job is left' no_jobs
await 'no note is left' no_notes
rm -f "$(home ann)/hung.out"
