#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld does not answer the epilogs of a job: each of its nodes keeps its record, and reap on
# any of them removes the partition, whichever node created it. No node is drained.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
trap 'cp "$slurm_conf.saved" "$slurm_conf.new" && mv -f "$slurm_conf.new" "$slurm_conf"; rm -f "$slurm_conf.saved"' EXIT
both_records_are() { record_is "$1" gc-poplar-02 "$job" && record_is "$1" gc-poplar-03 "$job"; }
reap() { run tessera reap --node="$1" --conf="$conf"; }

said=$(ann salloc --no-shell -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=8 2>&1) || fail "salloc failed: $said"
job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
await 'both nodes have a job record' both_records_are ready

# slurmd read its configuration when it started; the processes that it starts for an epilog read the
# file.
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/' "$slurm_conf.saved" >"$slurm_conf.new"
mv -f "$slurm_conf.new" "$slurm_conf"
fine env SLURM_CONF="$slurm_conf.saved" scancel "$job"
await 'both nodes keep their records' both_records_are leaving
cp "$slurm_conf.saved" "$slurm_conf.new" && mv -f "$slurm_conf.new" "$slurm_conf"
await 'no job is left' no_jobs
has_partition "$job" || fail 'an epilog removed the partition without an answer'
like 'the record says why' '^text .*left for tessera reap: cannot query' "$(cat "$TESSERA_LAB/state/gc-poplar-03/job.$job")"

is 'reap on the other node removes the partition' "job $job is gone: partition slurm_$job removed" "$(reap gc-poplar-03)"
is 'no partition is left' '' "$(vipu list)"
fine reap gc-poplar-02 >/dev/null
await 'no job record is left' no_job_records
