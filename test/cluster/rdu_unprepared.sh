#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd was started before plugstack.conf had the plugin: no prolog of ours runs, but the steps
# load the plugin. A job with tiles or IPUs does not run there without them, whatever its client,
# and tessera doctor reports it.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
host=gc-poplar-03
other=$TESSERA_LAB/etc/other
plain=$(home ann)/slurm.conf
undo() {
	# Epilogs read these files.
	await 'no job is in the queue' no_jobs
	rm -rf "$other" "$plain" "$(home ann)/unprepared.out"
	"$lab" restart $node
	"$lab" restart $host
}
trap undo EXIT
mkdir -p "$other"
cp -p "$TESSERA_LAB"/etc/*.conf "$other"
sed -i "s|^PlugStackConfig=.*|PlugStackConfig=$other/plugstack.conf|" "$other/slurm.conf"
: >"$other/plugstack.conf"
for name in $node $host; do
	fine env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart "$name"
done
# Written later, but with an old modification time, as rsync -t does.
cp -p "$TESSERA_LAB/etc/plugstack.conf" "$other/plugstack.conf"
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$plain"
plain() { ann env SLURM_CONF="$plain" "$@"; }

refused ann srun -Q -w $node --gres=rdu:1 echo ran
like 'the message for a client with the plugin' "tessera: no tiles were reserved on node $node although Slurm allocated some" "$said"
unlike 'the job of a client with the plugin does not run' '^ran' "$said"
refused plain srun -Q -w $node --gres=rdu:1 echo ran
like 'the message for a client without the plugin' "tessera: no tiles were reserved on node $node although Slurm allocated some; .*restart slurmd" "$said"
unlike 'the job of a client without the plugin does not run' '^ran' "$said"
refused plain srun -Q -p p64 -w $host --licenses=ipu:4 echo ran
like 'the message for IPUs' "tessera: no IPUs were reserved on node $host although Slurm allocated some" "$said"
is 'a job without tiles runs' ran "$(plain srun -Q -w $node echo ran 2>&1)"
is 'a job without tiles runs with the plugin' ran "$(ann srun -Q -w $node echo ran 2>&1)"

# A batch job is not lost.
job=$(plain sbatch --parsable --requeue -w $node --gres=rdu:1 -o unprepared.out --wrap 'echo ran')
await 'the batch job is requeued' requeued "$job"
like 'the output says why' 'tessera: no tiles were reserved .*; requeueing the job \(1 of 3\)' "$(cat "$(home ann)/unprepared.out")"
fine run scancel "$job"
await 'no job is left' no_jobs

doctor() { env SLURM_CONF="$other/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor "$@"; }
is 'doctor finds both nodes' "$host $node" "$(doctor --raw -o severity,check,where | sed -n 's/^error slurmd_plugin //p' | sort | xargs)"
like 'doctor names the process' "error: $node: slurmd \(process [0-9]+\) runs without spank_tessera.so" "$(doctor --node=$node)"
like 'doctor advises a restart' '^    run: systemctl restart slurmd$' "$(doctor --node=$node)"
fine env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart $node
is 'doctor finds nothing after the restart' '' "$(doctor --node=$node --raw -o check | grep slurmd)"
is 'jobs run after the restart' 0x00000000000000ff "$(plain srun -Q -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
