#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd was started before plugstack.conf had the plugin: no prolog of ours runs, but the steps load it. A job that Slurm
# gave tiles or IPUs does not run without them there, whoever submitted it, and tessera doctor says what is wrong.
. "$(dirname "$0")/lib.sh"

node=sn30-r1-h2
host=gc-poplar-03
other=$TESSERA_LAB/etc/other
plain=$(home ann)/slurm.conf
undo() {
	# Epilogs read these files.
	await 'no job is coming or going' no_jobs
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
# Written later, but with an old time, as rsync -t would.
cp -p "$TESSERA_LAB/etc/plugstack.conf" "$other/plugstack.conf"
sed 's/^PlugStackConfig=.*/PlugStackConfig=\/dev\/null/' "$TESSERA_LAB/etc/slurm.conf" >"$plain"
plain() { ann env SLURM_CONF="$plain" "$@"; }

refused ann srun -Q -w $node --gres=rdu:1 echo ran
like 'a client with the plugin' "tessera: no tiles were reserved on node $node although Slurm allocated some" "$said"
unlike 'it does not run' '^ran' "$said"
refused plain srun -Q -w $node --gres=rdu:1 echo ran
like 'one without' "tessera: no tiles were reserved on node $node although Slurm allocated some; .*restart slurmd" "$said"
unlike 'it does not run, either' '^ran' "$said"
refused plain srun -Q -p p64 -w $host --licenses=ipu:4 echo ran
like 'IPUs' "tessera: no IPUs were reserved on node $host although Slurm allocated some" "$said"
is 'who asked for nothing' ran "$(plain srun -Q -w $node echo ran 2>&1)"
is 'with the plugin, too' ran "$(ann srun -Q -w $node echo ran 2>&1)"

# A batch job is not lost.
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }
job=$(plain sbatch --parsable --requeue -w $node --gres=rdu:1 -o unprepared.out --wrap 'echo ran')
await 'the batch job is back in the queue' requeued "$job"
like 'its output' 'tessera: no tiles were reserved .*; the job goes back to the queue \(1 of 3\)' "$(cat "$(home ann)/unprepared.out")"
fine run scancel "$job"
await 'no job is left' no_jobs

doctor() { env SLURM_CONF="$other/slurm.conf" "$TESSERA_LAB/bin/tessera" doctor "$@"; }
is 'doctor finds both' "$host $node" "$(doctor --raw -o severity,check,where | sed -n 's/^error slurmd_plugin //p' | sort | xargs)"
like 'and says so' "error: $node: slurmd \(process [0-9]+\) runs without spank_tessera.so" "$(doctor --node=$node)"
like 'with what to run' '^    run: systemctl restart slurmd$' "$(doctor --node=$node)"
fine env LAB_SLURMD_CONF="$other/slurm.conf" "$lab" restart $node
is 'after that, not' '' "$(doctor --node=$node --raw -o check | grep slurmd)"
is 'and jobs run' 0x00000000000000ff "$(plain srun -Q -w $node --gres=rdu:1 printenv SF_RNT_TILE_AFFINITY)"
