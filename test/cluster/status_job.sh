#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status --job says which tiles a job has on which nodes: where the node's ledger is at hand which, elsewhere how many, and
# where to ask.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

one=sn30-r1-h1 two=sn30-r1-h2
status() { ann tessera status --node="${at:-$one}" "$@"; }
# rows_of JOB: node, count, what, tiles and state of each row, from JSON.
rows_of() {
	status --job="$1" --json | /usr/bin/python3 -c 'import json, sys
for r in json.load(sys.stdin): print(r["node"], r["job"], r["count"], r["resource"], r["tiles"], r["state"], r["partition"])'
}
ends_with() { # CODE OPTION...: that exit code; what it says is left in $said
	local want=$1 code=0
	said=$(status "${@:2}" 2>&1) || code=$?
	is "exit code of ${*:2}" "$want" "$code"
}

# Two nodes, and half an RDU of the first for somebody else.
other=$(bob sbatch --parsable -o /dev/null -w $one --gres=rdu_tile:4 --tile-affinity=0.0-3 --wrap 'sleep 600')
reaches "$other" RUNNING
both=$(ann sbatch --parsable -o /dev/null -N2 -w $one,$two --gres=rdu:1 --csx=1 --wrap 'sleep 600')
ipus=$(bob sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=4 --wrap 'sleep 600')
waits=$(ann sbatch --parsable -o /dev/null --hold --gres=rdu:1 --wrap 'sleep 600')
none=$(ann sbatch --parsable -o /dev/null -w $two --wrap 'sleep 600')
for job in "$both" "$ipus" "$none"; do reaches "$job" RUNNING; done
await 'both nodes have written it down' eval '[ -n "$(rows '$one' | grep "job $both ")" ] && [ -n "$(rows '$two' | grep "job $both ")" ]'
await 'the partition is ready' grep -q 'state ready' "$TESSERA_LAB/state/gc-poplar-02/job.$ipus"
tiles() { rows "$1" | sed -n "s/^job $both .* tiles \([^ ]*\) .*/\1/p"; }
rdus() { run tessera mask --platform=sn30-8 --as=rdus "$(tiles "$1")"; }

# On a node: its own tiles, and how many on the other.
is 'on the first' "$one $both 8 tiles $(rdus $one) held None
$two $both 8 tiles None running None
None $both 1 csx None ready None" "$(rows_of "$both")"
is 'on the second' "$one $both 8 tiles None running None
$two $both 8 tiles $(rdus $two) held None
None $both 1 csx None ready None" "$(at=$two rows_of "$both")"
said=$(status --job="$both")
like 'the first, for a person' "^$one +$both +tess-ann +held +8 tiles +$(rdus $one)\$" "$said"
like 'the second' "^$two +$both +tess-ann +running +8 tiles +-\$" "$said"
like 'where to ask' "^slurmctld knows no tile numbers: run tessera status --job=$both on $two\$" "$said"
unlike 'nobody else is shown' tess-bob "$said"

# From elsewhere, as on a login node: what slurmctld knows.
is 'counts alone' "$one $both 8 tiles None running None
$two $both 8 tiles None running None
None $both 1 csx None running None" "$(at=gc-poplar-04 rows_of "$both")"
like 'where to ask of both' "^slurmctld knows no tile numbers: run tessera status --job=$both on sn30-r1-h\[1-2\]\$" "$(at=gc-poplar-04 status --job="$both")"

# IPUs belong to the cluster; their partition is known on the host.
is 'on the host' "None $ipus 4 ipus None ready slurm_$ipus" "$(at=gc-poplar-02 rows_of "$ipus")"
is 'elsewhere' "None $ipus 4 ipus None running None" "$(rows_of "$ipus")"

# All tasks of an array, or the one that is meant.
array=$(ann sbatch --parsable -o /dev/null -w $two --array=1-2 --gres=rdu_tile:2 --wrap 'sleep 600')
tasks() { run squeue -hrj "$array" -t R -o %A | sort -n; }
await 'both tasks run' eval '[ "$(tasks | wc -l)" = 2 ]'
is 'an array' "$(tasks)" "$(rows_of "$array" | cut -d' ' -f2 | sort -n)"
for task in $(tasks); do
	[ "$task" = "$array" ] || is 'one of its tasks' "$two $task 2 tiles None running None" "$(rows_of "$task")"
done
fine run scancel "$array"

# Nothing is something else than no such job.
ends_with 0 --job="$waits"
like 'it waits' "^job $waits is pending and holds nothing yet\$" "$said"
ends_with 0 --job="$none"
like 'it wants nothing' "^job $none holds no tiles, IPUs or units of a pool\$" "$said"
is 'for programs' '' "$(rows_of "$none")"
run scancel "$none" "$waits"
await 'it has ended' eval '[ -z "$(run squeue -hj "$none" -o %T 2>/dev/null)" ]'
for gone in "$none" 999999; do
	ends_with 1 --job="$gone"
	is 'it is gone' "tessera: slurmctld has no running or pending job $gone: check the number with squeue; tessera report --job=$gone shows what an ended job held" "$said"
done
ends_with 2 --job=12_3
ends_with 2 --job="$both" --all

# Without slurmctld the node's own word is shown, and the exit code says that there may be more.
deaf=$TESSERA_LAB/etc/deaf.conf
trap 'rm -f "$deaf"' EXIT
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=5/' "$TESSERA_LAB/etc/slurm.conf" >"$deaf"
code=0
said=$(run env SLURM_CONF="$deaf" tessera status --node=$one --job="$both" --raw -o node,job,resource,tiles 2>/dev/null) || code=$?
is 'the exit code' 3 "$code"
is 'what is written down' "NODE JOB WHAT TILES
$one $both tiles $(rdus $one)
$one $both csx -" "$said"
run scancel "$both" "$ipus" "$other"
