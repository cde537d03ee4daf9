#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status --job shows the tiles of a job on each node: which tiles on the node itself, how
# many on others, and where to run the command.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

one=sn30-r1-h1 two=sn30-r1-h2
status() { ann tessera status --node="${at:-$one}" "$@"; }
# rows_of JOB: node, count, resource, tiles and state of each row, from JSON.
rows_of() {
	status --job="$1" --json | /usr/bin/python3 -c 'import json, sys
for r in json.load(sys.stdin): print(r["node"], r["job"], r["count"], r["resource"], r["tiles"], r["state"], r["partition"])'
}
ends_with() { # CODE OPTION...: that exit code; what it says is left in $said
	local want=$1 code=0
	said=$(status "${@:2}" 2>&1) || code=$?
	is "the exit code of ${*:2}" "$want" "$code"
}

# Two nodes, and half an RDU of the first for another user.
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --tile-affinity=0.0-3 --wrap 'sleep 600')
reaches "$other" RUNNING
both=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --csx=1 --wrap 'sleep 600')
ipus=$(bob sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=4 --wrap 'sleep 600')
waits=$(ann sbatch --parsable -o /dev/null --hold --gres=rdu:1 --wrap 'sleep 600')
none=$(ann sbatch --parsable -o /dev/null -w $two --wrap 'sleep 600')
for job in "$both" "$ipus" "$none"; do reaches "$job" RUNNING; done
await 'both nodes have a job record' eval '[ -n "$(rows '$one' | grep "job $both ")" ] && [ -n "$(rows '$two' | grep "job $both ")" ]'
await 'the partition is ready' grep -q 'state ready' "$TESSERA_LAB/state/gc-poplar-02/job.$ipus"
tiles() { rows "$1" | sed -n "s/^job $both .* tiles \([^ ]*\) .*/\1/p"; }
rdus() { run tessera mask --platform=sn30-8 --as=rdus "$(tiles "$1")"; }

# On a node: its own tiles, and the count of the other node.
is 'on the first node' "$one $both 8 tiles $(rdus $one) held None
$two $both 8 tiles None running None
None $both 1 csx None ready None" "$(rows_of "$both")"
is 'on the second node' "$one $both 8 tiles None running None
$two $both 8 tiles $(rdus $two) held None
None $both 1 csx None ready None" "$(at=$two rows_of "$both")"
said=$(status --job="$both")
like 'the table has the tiles of the first node' "^$one +$both +tess-ann +held +8 tiles +$(rdus $one)\$" "$said"
like 'the table has the count of the second node' "^$two +$both +tess-ann +running +8 tiles +-\$" "$said"
like 'the message says where to run the command' "^slurmctld has no tile numbers: run tessera status --job=$both on $two\$" "$said"
unlike 'no other user is shown' tess-bob "$said"

# On a login node: what slurmctld knows.
is 'slurmctld knows the counts' "$one $both 8 tiles None running None
$two $both 8 tiles None running None
None $both 1 csx None running None" "$(at=gc-poplar-04 rows_of "$both")"
like 'the message names both nodes' "^slurmctld has no tile numbers: run tessera status --job=$both on sn30-r1-h\[1-2\]\$" "$(at=gc-poplar-04 status --job="$both")"

# IPUs belong to the cluster. Their partition is known on the host.
is 'on the host of the IPUs' "None $ipus 4 ipus None ready slurm_$ipus" "$(at=gc-poplar-02 rows_of "$ipus")"
is 'on another node' "None $ipus 4 ipus None running None" "$(rows_of "$ipus")"

# All tasks of an array, or a single one.
array=$(ann sbatch --parsable -o /dev/null -w $two --array=1-2 --gres=rdu_tile:2 --wrap 'sleep 600')
tasks() { run squeue -hrj "$array" -t R -o %A | sort -n; }
await 'both tasks run' eval '[ "$(tasks | wc -l)" = 2 ]'
is 'the rows of an array' "$(tasks)" "$(rows_of "$array" | cut -d' ' -f2 | sort -n)"
for task in $(tasks); do
	[ "$task" = "$array" ] || is 'the row of one task' "$two $task 2 tiles None running None" "$(rows_of "$task")"
done
fine run scancel "$array"

# A job without an allocation is not an unknown job.
ends_with 0 --job="$waits"
like 'a pending job has nothing yet' "^job $waits is pending and holds nothing yet\$" "$said"
ends_with 0 --job="$none"
like 'a job without accelerators has nothing' "^job $none holds no tiles, IPUs or units of a pool\$" "$said"
is 'the JSON list is empty' '' "$(rows_of "$none")"
run scancel "$none" "$waits"
await 'the job has ended' eval '[ -z "$(run squeue -hj "$none" -o %T 2>/dev/null)" ]'
for gone in "$none" 999999; do
	ends_with 1 --job="$gone"
	is 'an unknown job is reported' "tessera: slurmctld has no running or pending job $gone: check the number with squeue, or use tessera report --job=$gone for an ended job" "$said"
done
ends_with 2 --job=12_3
ends_with 2 --job="$both" --all

# Without slurmctld the rows of the node are shown, and the exit code says that there may be more.
deaf=$TESSERA_LAB/etc/deaf.conf
trap 'rm -f "$deaf"' EXIT
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=5/' "$TESSERA_LAB/etc/slurm.conf" >"$deaf"
code=0
said=$(run env SLURM_CONF="$deaf" tessera status --node=$one --job="$both" --raw -o node,job,resource,tiles 2>/dev/null) || code=$?
is 'the exit code is 3' 3 "$code"
is 'the rows of the node' "NODE JOB WHAT TILES
$one $both tiles $(rdus $one)
$one $both csx -" "$said"
run scancel "$both" "$ipus" "$other"
