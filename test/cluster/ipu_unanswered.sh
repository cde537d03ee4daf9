#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld does not answer the epilogs of a job: each of its nodes keeps its record, and reap on
# any of them removes the partition, whichever node created it. No node is drained.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
nodes=(gc-poplar-02 gc-poplar-03)
stopped=()
restore() {
	[ ${#stopped[@]} = 0 ] || kill -CONT "${stopped[@]}"
	mv "$slurm_conf.saved" "$slurm_conf"
	for daemon in ctld "${nodes[@]}"; do "$lab" restart "$daemon"; done
}
trap restore EXIT
rewrite "$slurm_conf" sed 's/^MessageTimeout=.*/MessageTimeout=2/' "$slurm_conf.saved"
for daemon in ctld "${nodes[@]}"; do fine "$lab" restart "$daemon"; done
both_records_are() { record_is "$1" gc-poplar-02 "$job" && record_is "$1" gc-poplar-03 "$job"; }
reap() { run tessera reap --node="$1" --conf="$conf"; }

said=$(ann salloc --no-shell -p p64 -w "${nodes[0]},${nodes[1]}" -N2 --ipus=8 2>&1) || fail "salloc failed: $said"
job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
await 'both nodes have a job record' both_records_are ready

# slurmctld stops when its messages have arrived at the nodes, and before they run their epilogs.
for daemon in "${nodes[@]}"; do
	read -r pid _ <"$TESSERA_LAB/pids/$daemon"
	stopped+=("$pid")
done
fine kill -STOP "${stopped[@]}"
fine run scancel "$job"
for daemon in "${nodes[@]}"; do await "$daemon has a request to end the job" message_waits "$daemon"; done
read -r pid _ <"$TESSERA_LAB/pids/slurmctld"
fine kill -STOP "$pid"
fine kill -CONT "${stopped[@]}"
stopped=("$pid")
await 'both nodes keep their records' both_records_are leaving
fine kill -CONT "$pid"
stopped=()
await 'no job is left' no_jobs
has_partition "$job" || fail 'an epilog removed the partition without an answer'
like 'the record says why' '^text .*left for tessera reap: cannot query' "$(cat "$TESSERA_LAB/state/gc-poplar-03/job.$job")"

is 'reap on the other node removes the partition' "job $job is gone: partition slurm_$job removed" "$(reap gc-poplar-03)"
is 'no partition is left' '' "$(vipu list)"
fine reap gc-poplar-02 >/dev/null
await 'no job record is left' no_job_records
