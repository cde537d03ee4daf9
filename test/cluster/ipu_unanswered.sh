#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld does not answer the epilogs of a job: each of its nodes keeps its note, and reap on any of them removes the
# partition, whichever node made it. No node is taken away.
. "$(dirname "$0")/lib.sh"

conf=$TESSERA_LAB/etc/tessera.conf
slurm_conf=$TESSERA_LAB/etc/slurm.conf
cp "$slurm_conf" "$slurm_conf.saved"
trap 'cp "$slurm_conf.saved" "$slurm_conf.new" && mv -f "$slurm_conf.new" "$slurm_conf"; rm -f "$slurm_conf.saved"' EXIT
state_on() { grep -qs "^state $2" "$TESSERA_LAB/state/$1/job.$job"; }
both() { state_on gc-poplar-02 "$1" && state_on gc-poplar-03 "$1"; }
has_partition() { vipu list | grep -q "^slurm_$job .*ACTIVE"; }
reap() { run tessera reap --node="$1" --conf="$conf"; }

said=$(ann salloc --no-shell -p p64 -w gc-poplar-02,gc-poplar-03 -N2 --ipus=8 2>&1) || broken "salloc failed: $said"
job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
await 'both nodes have written it down' both ready

# slurmd read its configuration when it started; the processes that it starts for an epilog read the file.
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/' "$slurm_conf.saved" >"$slurm_conf.new"
mv -f "$slurm_conf.new" "$slurm_conf"
fine env SLURM_CONF="$slurm_conf.saved" scancel "$job"
await 'both nodes keep their notes' both leaving
cp "$slurm_conf.saved" "$slurm_conf.new" && mv -f "$slurm_conf.new" "$slurm_conf"
await 'no job is left' no_jobs
has_partition || broken 'an epilog decided without an answer'
like 'the note says why' '^text .*left for tessera reap: slurmctld did not say' "$(cat "$TESSERA_LAB/state/gc-poplar-03/job.$job")"

is 'the node that did not make it' "job $job is gone: partition slurm_$job removed" "$(reap gc-poplar-03)"
is 'it is gone' '' "$(vipu list)"
fine reap gc-poplar-02 >/dev/null
await 'no note is left' no_notes
