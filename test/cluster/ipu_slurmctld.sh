#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld hangs while a partition is created. The prolog queries it whether the job is still
# running, but does not wait longer than Slurm allows a prolog. The node stays available, and the
# batch job is requeued.
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

rewrite "$slurm_conf" sed 's/^MessageTimeout=.*/MessageTimeout=12\nPrologEpilogTimeout=12/' "$slurm_conf.saved"
fine "$lab" restart ctld
fine "$lab" restart $node
fine vipu delay 1000
seen=$(wc -l <"$TESSERA_LAB/log/$node.log")
job=$(ann sbatch --parsable -p p64 -w $node --ipus=4 --requeue -o hung.out --wrap true)
await 'the partition is pending' has_pending_partition "$job"
read -r hung _ <"$TESSERA_LAB/pids/slurmctld"
kill -STOP "$hung"
# Slurm logs this when it ends a prolog.
ended() { tail -n +"$((seen + 1))" "$TESSERA_LAB/log/$node.log" | grep -q 'prolog: timeout'; }
gave_up() { record_is failed $node "$job" || ended; }
await 'the prolog gave up or was ended' gave_up
kill -CONT "$hung"
hung=
await 'the batch job is requeued' requeued "$job"
like 'the output of the job says why' 'could not be created within 5 seconds' "$(cat "$(home ann)/hung.out")"
unlike 'the node stays available' 'drain|down' "$(run sinfo -hn $node -o '%T %E')"
fine run scancel "$job"
await 'no job is left' no_jobs
await 'no job record is left' no_job_records
rm -f "$(home ann)/hung.out"
