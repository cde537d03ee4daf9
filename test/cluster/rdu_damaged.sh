#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node whose ledger is damaged, or whose tessera.conf is anybody's: jobs with tiles fail there with a sentence, or go back
# to the queue if they can, other jobs and other nodes do not notice, and no node is drained.
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
	await 'no job is coming or going' no_jobs
	rm -r "$other"
	"$lab" restart $node
}
trap undo EXIT

# stays WORDS: a batch job is not lost: it goes back to the queue, and its output says why.
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
stays() {
	local job
	job=$(ann sbatch --parsable --requeue -w $node --gres=rdu:1 -o broken.out --wrap 'echo ran')
	await "$1: the batch job is back in the queue" requeued "$job"
	like "$1: its output" "tessera: .*$1.*; the job goes back to the queue \(1 of 3\)" "$(cat "$(home ann)/broken.out")"
	unlike "$1: it has not run" '^ran' "$(cat "$(home ann)/broken.out")"
	fine run scancel "$job"
	await 'no job is left' no_jobs
}

echo 'not a ledger' >"$state/ledger"
refused ann srun -w $node --gres=rdu:1 true
like 'damaged' "$state/ledger:1" "$said"
fine ann srun -w $node true
stays "$state/ledger:1"

# Whoever submits it, and whatever stands beside it: a job that was granted tiles does not run without them.
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$(home ann)/slurm.conf"
refused ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node --gres=rdu:1 true
fine ann env SLURM_CONF="$(home ann)/slurm.conf" srun -w $node true
rm "$(home ann)/slurm.conf"
refused ann srun -w $node --gres=rdu:1 true : -w sn30-r1-h1 true
is 'the other node' 0x00000000000000ff "$(ann srun -w sn30-r1-h1 --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
rm "$state/ledger"
fine ann srun -w $node --gres=rdu:1 true

chmod 666 "$conf"
refused ann srun -w $node --gres=rdu:1 true
like 'anybody may write tessera.conf' "$conf" "$said"
fine ann srun -w $node true
chmod 644 "$conf"

# The same where slurmctld and the clients read another file, which is right.
mkdir -p "$other"
cp "$TESSERA_LAB"/etc/*.conf "$other"
sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$other/plugstack.conf|" "$other/slurm.conf"
sed -i "s|conf=[^ ]*|conf=$other/tessera.conf|" "$other/plugstack.conf"
fine env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart $node
is 'its own file' 0x00000000000000ff "$(ann srun -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
await 'no job is left' no_jobs
chmod 666 "$other/tessera.conf"
stays "$other/tessera.conf: its mode is 666"
chmod 644 "$other/tessera.conf"
echo 'Nonsense = 1' >"$other/tessera.conf"
stays "$other/tessera.conf:1: "
