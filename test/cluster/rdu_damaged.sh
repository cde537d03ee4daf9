#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node whose ledger is damaged, or whose tessera.conf other users may write: jobs with tiles fail
# there with a message, or are requeued; other jobs and nodes are not affected, and no node is
# drained.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
state=$TESSERA_LAB/state/$node
conf=$TESSERA_LAB/etc/tessera.conf
other=$TESSERA_LAB/etc/other
undo() {
	rm -f "$state/ledger" "$(home ann)/broken.out"
	chmod 644 "$conf"
	[ -d "$other" ] || return 0
	# Epilogs read these files.
	await 'no job is in the queue' no_jobs
	rm -r "$other"
	"$lab" restart $node
}
trap undo EXIT

# stays PATTERN: a batch job is not lost: it is requeued, and its output says why.
stays() {
	local job
	job=$(ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o broken.out --wrap 'echo ran')
	await "$1: the batch job is requeued" requeued "$job"
	like "$1: the output says why" "tessera: .*$1.*; requeueing the job \(1 of 3\)" "$(cat "$(home ann)/broken.out")"
	unlike "$1: the script has not run" '^ran' "$(cat "$(home ann)/broken.out")"
	fine run scancel "$job"
	await 'no job is left' no_jobs
}

echo 'not a ledger' >"$state/ledger"
refused ann srun -w $node --gres=rdu:1 true
like 'a damaged ledger is reported' "$state/ledger:1" "$said"
fine ann srun -w $node true
stays "$state/ledger:1"

# A job with tiles does not run without them, whatever its client and whatever other GRES it has.
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$(home ann)/slurm.conf"
refused ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node --gres=rdu:1 true
fine ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node true
rm "$(home ann)/slurm.conf"
refused ann srun -w $node --gres=rdu:1 true : -w sn30-r1-h1 true
is 'the other node is not affected' 0x00000000000000ff "$(ann srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
rm "$state/ledger"
fine ann srun -w $node --gres=rdu:1 true

chmod 666 "$conf"
refused ann srun -w $node --gres=rdu:1 true
like 'a tessera.conf that others may write is reported' "$conf" "$said"
fine ann srun -w $node true
chmod 644 "$conf"

# The same where slurmctld and the clients read another file, which is valid.
mkdir -p "$other"
cp "$TESSERA_LAB"/etc/*.conf "$other"
sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$other/plugstack.conf|" "$other/slurm.conf"
sed -i "s|conf=[^ ]*|conf=$other/tessera.conf|" "$other/plugstack.conf"
fine env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart $node
is 'the job runs with the valid file' 0x00000000000000ff "$(ann srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
await 'no job is left' no_jobs
chmod 666 "$other/tessera.conf"
stays "$other/tessera.conf: its mode is 666"
chmod 644 "$other/tessera.conf"
echo 'Nonsense = 1' >"$other/tessera.conf"
stays "$other/tessera.conf:1: "
