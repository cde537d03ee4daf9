#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two pods, each with a controller: the partition of a job is created, used and removed at the
# controller of its node. A job over both pods is refused, and reap on a node handles its own pod
# only.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
other=$TESSERA_LAB/other-pod
mkdir -p "$other"
"$TESSERA_LAB/emulator/emulator" --port 0 --port-file "$other/port" --control "$other" >"$other/out" 2>&1 &
emulator=$!
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; kill "$emulator"; wait "$emulator"; rm -rf "$other"' EXIT
await 'the second controller is running' test -s "$other/port"
elsewhere() { "$TESSERA_LAB/emulator/emulate" --control "$other" "$@"; }
first_port=$(sed -n 's/^\tPort = //p' "$conf.saved")
second_port=$(<"$other/port")
{
	sed 's/^vipu .*/vipu "gc-poplar-02" {/' "$conf.saved"
	printf 'vipu "gc-poplar-[03-04]" {\n\tHost = localhost\n\tPort = %s\n}\n' "$second_port"
} >"$conf.new" && mv "$conf.new" "$conf"

# created LOG JOB: how often the partition was created there.
created() { grep -c " CreatePartition id=slurm_$2 status=OK" "$1"; }
print_env='echo $SLURM_JOB_ID $IPUOF_VIPU_API_HOST $IPUOF_VIPU_API_PORT $IPUOF_VIPU_API_PARTITION_ID'
# check_controller NODES COUNT HOST PORT HERE THERE: run a job on COUNT nodes; its partition is
# created HERE times at the first controller and THERE times at the second.
check_controller() {
	local out job
	out=$(ann srun -p p64 -w "$1" -N "$2" --ipus=4 sh -c "$print_env" | sort -u) || fail "srun on $1 failed"
	job=${out%% *}
	is "the variables of a job on $1" "$job $3 $4 slurm_$job" "$out"
	is "the calls of the first controller for $1" "$5" "$(created "$TESSERA_LAB/log/vipu.out" "$job")"
	is "the calls of the second controller for $1" "$6" "$(created "$other/out" "$job")"
}
check_controller gc-poplar-02 1 127.0.0.1 "$first_port" 1 0
check_controller gc-poplar-03 1 localhost "$second_port" 0 1
check_controller gc-poplar-03,gc-poplar-04 2 localhost "$second_port" 0 1
nothing() { no_jobs && no_job_records && no_partitions && [ -z "$(elsewhere list)" ]; }
await 'nothing is left in either pod' nothing

# Over both: srun and a step of a batch job are refused, and the job is not requeued.
message='tessera: nodes gc-poplar-02 and gc-poplar-03 belong to different V-IPU controllers, and 4 IPUs must come from one'
refused ann srun -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=4 true
like 'srun over both pods is refused' "$message" "$said"
refused ann sbatch -W -Q -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=4 --requeue -o pods.out --wrap 'srun -N2 true'
like 'a step over both pods is refused' "$message" "$(cat "$(home ann)/pods.out")"
unlike 'the job is not requeued' 'queue' "$(cat "$(home ann)/pods.out")"
await 'nothing is left in either pod' nothing
unlike 'no node is drained or down' 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"

# Lost partitions of each pod are found from its own nodes.
fine vipu create slurm_999999 1
fine elsewhere create slurm_999998 1
reap() { run tessera reap --node="$1" --conf="$conf"; }
is 'reap on the first pod' 'job 999999 is gone: partition slurm_999999 removed' "$(reap gc-poplar-02)"
is 'the partition of the other pod stays' 'slurm_999998 1 ACTIVE' "$(elsewhere list)"
is 'reap on the second pod' 'job 999998 is gone: partition slurm_999998 removed' "$(reap gc-poplar-04)"
await 'nothing is left in either pod' nothing

# When the second controller hangs, jobs of the first pod run.
kill -STOP "$emulator"
fine ann srun -p p64 -w gc-poplar-02 --ipus=4 true
kill -CONT "$emulator"
rm -f "$(home ann)/pods.out"
