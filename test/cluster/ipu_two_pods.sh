#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Two pods, each with a controller: a job's partition is made, used and removed where its node belongs; a job over both is told
# that this cannot be; and reap on a node looks into its own pod only.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
other=$TESSERA_LAB/other-pod
mkdir -p "$other"
"$TESSERA_LAB/emulator/emulator" --port 0 --port-file "$other/port" --control "$other" >"$other/out" 2>&1 &
emulator=$!
cp "$conf" "$conf.saved"
trap 'mv "$conf.saved" "$conf"; kill "$emulator"; wait "$emulator"; rm -rf "$other"' EXIT
await 'the second controller serves' test -s "$other/port"
elsewhere() { "$TESSERA_LAB/emulator/emulate" --control "$other" "$@"; }
first_port=$(sed -n 's/^\tPort = //p' "$conf.saved")
second_port=$(<"$other/port")
{
	sed 's/^vipu .*/vipu "gc-poplar-02" {/' "$conf.saved"
	printf 'vipu "gc-poplar-[03-04]" {\n\tHost = localhost\n\tPort = %s\n}\n' "$second_port"
} >"$conf.new" && mv "$conf.new" "$conf"

# created LOG JOB: how often it was, there.
created() { grep -c " CreatePartition id=slurm_$2 status=OK" "$1"; }
tell='echo $SLURM_JOB_ID $IPUOF_VIPU_API_HOST $IPUOF_VIPU_API_PORT $IPUOF_VIPU_API_PARTITION_ID'
# lives_at NODES COUNT HOST PORT HERE THERE: a job on COUNT nodes; how often it is made at the first and at the second.
lives_at() {
	local out job
	out=$(ann srun -p p64 -w "$1" -N "$2" --ipus=4 sh -c "$tell" | sort -u) || broken "srun on $1 failed"
	job=${out%% *}
	is "what a job on $1 finds" "$job $3 $4 slurm_$job" "$out"
	is "the first controller, for $1" "$5" "$(created "$TESSERA_LAB/log/vipu.out" "$job")"
	is "the second, for $1" "$6" "$(created "$other/out" "$job")"
}
lives_at gc-poplar-02 1 127.0.0.1 "$first_port" 1 0
lives_at gc-poplar-03 1 localhost "$second_port" 0 1
lives_at gc-poplar-03,gc-poplar-04 2 localhost "$second_port" 0 1
nothing() { no_jobs && no_notes && no_partitions && [ -z "$(elsewhere list)" ]; }
await 'nothing is left in either' nothing

# Over both: not with srun, nor a step of a batch job, which is not run again for it.
sentence='tessera: nodes gc-poplar-02 and gc-poplar-03 belong to different V-IPU controllers, and 4 IPUs must come from one'
refused ann srun -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=4 true
like 'srun over both' "$sentence" "$said"
refused ann sbatch -W -Q -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=4 --requeue -o pods.out --wrap 'srun -N2 true'
like 'a step over both' "$sentence" "$(cat "$(home ann)/pods.out")"
unlike 'it is nothing that waiting mends' 'queue' "$(cat "$(home ann)/pods.out")"
await 'nothing is left in either' nothing
unlike 'no node is taken away' 'drain|down|fail' "$(run sinfo -hN -o '%N %T')"

# Lost partitions: each pod's are found from its own nodes.
fine vipu create slurm_999999 1
fine elsewhere create slurm_999998 1
reap() { run tessera reap --node="$1" --conf="$conf"; }
is 'from the first pod' 'job 999999 is gone: partition slurm_999999 removed' "$(reap gc-poplar-02)"
is 'the other is there' 'slurm_999998 1 ACTIVE' "$(elsewhere list)"
is 'from the second' 'job 999998 is gone: partition slurm_999998 removed' "$(reap gc-poplar-04)"
await 'nothing is left in either' nothing

# The second controller is away: its own jobs suffer, and no others.
kill -STOP "$emulator"
fine ann srun -p p64 -w gc-poplar-02 --ipus=4 true
kill -CONT "$emulator"
rm -f "$(home ann)/pods.out"
