#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status shows the allocations: those of the node itself with a map, and those of all nodes
# from slurmctld.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
state=$TESSERA_LAB/state
trap 'rm -f "$state"/*/used.*' EXIT
rm -f "$state"/*/used.*
status() { ann tessera status "$@"; }
# field JOB NAME [RESOURCE]: a field of the JSON row of a job.
field() {
	/usr/bin/python3 -c 'import json, sys
job, name, resource = sys.argv[1:]
print([r[name] for r in json.load(sys.stdin) if str(r["job"]) == job and r["resource"] == resource][0])' "$1" "$2" "${3:-tiles}"
}

half=$(ann sbatch --parsable -o /dev/null -w $node --gres=rdu_tile:4 --tile-affinity=7.4-7 --wrap 'sleep 600')
two=$(bob sbatch --parsable -o /dev/null -w $node --gres=rdu:2 --tile-affinity=rdu0,rdu1 --csx=1 --wrap 'sleep 600')
ipus=$(ann sbatch --parsable -o /dev/null -p p64 -w gc-poplar-02 --ipus=4 --wrap 'sleep 600')
reaches "$half" RUNNING
reaches "$two" RUNNING
reaches "$ipus" RUNNING
await 'the ledger has both jobs' eval '[ "$(rows '$node' | wc -l)" = 2 ]'
await 'the job record exists' test -e "$state/$node/job.$two"
await 'the record of the IPUs is ready' grep -q 'state ready' "$state/gc-poplar-02/job.$ipus"

# The map, for a user.
output=$(status --node=$node)
like 'the summary counts the tiles' "^$node  DataScale SN30-8: 20 of 64 tiles held, 44 free\$" "$output"
like 'the map shows two RDUs' '^XRDU_0  b b b b b b b b   b b b b b b b b$' "$output"
like 'the map shows a free XRDU' '^XRDU_1  \. \. \. \. \. \. \. \.   \. \. \. \. \. \. \. \.$' "$output"
like 'the map shows half an RDU' '^XRDU_3  \. \. \. \. \. \. \. \.   \. \. \. \. a a a a$' "$output"
like 'the table has the job' "^a +$half +tess-ann +held +4 +tiles +7\.4-7" "$output"
like 'the table has the free tiles' '^\. +- +- +free +44 +tiles +rdu2-6,7\.0-3' "$output"
like 'the table has the pool' "^b +$two +tess-bob +ready +1 +csx" "$output"
unlike 'no colors are printed to a pipe' $'\e' "$output"
output=$(status --node=gc-poplar-02)
like 'the summary counts the IPUs' "hold 4 of the pool's 64 IPUs" "$output"
like 'the map shows the IPUs' '^aaaa( \.\.\.\.){15}$' "$output"
like 'the table has the partition' "^a +$ipus +tess-ann +ready +4 +ipus +slurm_$ipus" "$output"

# JSON and columns.
json=$(status --node=$node --json)
is 'the JSON has the mask' 0xf000000000000000 "$(field "$half" mask <<<"$json")"
is 'the JSON has the count' 16 "$(field "$two" count <<<"$json")"
is 'the JSON has the user' tess-bob "$(field "$two" user csx <<<"$json")"
is 'the JSON has the free tiles' 44 "$(field None count <<<"$json")"
is 'the JSON has no value without a sample' None "$(field "$half" outside_seconds <<<"$json")"
is 'columns can be chosen' "JOB TILES
$half 7.4-7
$two rdu0,rdu1
- rdu2-6,7.0-3
$two -" "$(status --node=$node --raw -o job,tiles)"
code=0
said=$(status --node=$node -o nonsense 2>&1) || code=$?
is 'the exit code is 2 for an unknown column' 2 "$code"
like 'the message lists the columns' "unknown column 'nonsense': use some of: node mark job" "$said"

# All nodes, from slurmctld.
all=$(status --all)
like 'the bar of the node' "^$node  #{10}\.{22}  20 of 64 tiles held" "$all"
like 'the bar of an empty node' '^sm-01 +\.{32}  0 of 32 tiles held' "$all"
like 'the bar of the IPU pool' '^ +##\.{30}  4 of 64 ipus held' "$all"
like 'the table has the job' "^$node +$two +tess-bob +running +16 +tiles" "$all"
json=$(status --all --json)
is 'IPUs belong to no node' None "$(field "$ipus" node ipus <<<"$json")"
is 'pools belong to no node' 1 "$(field None count csx <<<"$json")"
code=0
env SLURM_CONF=/dev/null "$TESSERA_LAB/bin/tessera" status --all --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null 2>&1 || code=$?
[ "$code" != 0 ] || fail 'status --all succeeds without slurmctld'

# Use outside allocations, from samples.
used() { printf 'tessera-used 1\njob %s restarts 0 samples 2 first 1700000000 last 1700000060\nseen 60 tiles 0 ipus - outside %s ended 0\nend\n' "$1" "$2" >"$state/$node/used.$1"; }
used "$half" 60
used 0 30
sed 's/tiles 0 ipus -/tiles - ipus 0/' "$state/$node/used.$half" | sed "s/job $half/job $two/" >"$state/$node/used.$two"
output=$(status --node=$node)
like 'use of a job outside its tiles is shown' "^unauthorized use: 60 tile-seconds by job $half of tess-ann on tiles" "$output"
like 'use outside any job is shown' '^unauthorized use: 30 tile-seconds by processes outside any job' "$output"
json=$(status --node=$node --json)
is 'the JSON has the outside use' 60 "$(field "$half" outside_seconds <<<"$json")"
is 'the JSON has no value without a sample of tiles' None "$(field "$two" outside_seconds <<<"$json")"
rm -f "$state/$node"/used.*

# A failed and a damaged job record.
cp "$state/gc-poplar-02/job.$ipus" "$TESSERA_LAB/kept"
sed -i 's/state ready/state failed/' "$state/gc-poplar-02/job.$ipus"
output=$(status --node=gc-poplar-02)
like 'a failed record holds no IPUs' "hold 0 of the pool's 64 IPUs" "$output"
like 'the map shows no IPUs of a failed record' '^\.\.\.\.( \.\.\.\.){15}$' "$output"
echo nonsense >"$state/gc-poplar-02/job.$ipus"
json=$(status --node=gc-poplar-02 --json)
is 'the state of a damaged record' damaged "$(field "$ipus" state ipus <<<"$json")"
is 'the count of a damaged record is unknown' None "$(field "$ipus" count ipus <<<"$json")"
cp "$TESSERA_LAB/kept" "$state/gc-poplar-02/job.$ipus"
rm -f "$TESSERA_LAB/kept"

# --watch runs until it is signalled, and then exits with 0. On a terminal it prints in place.
/usr/bin/python3 - "$TESSERA_LAB" $node <<'PYTHON' || fail '--watch does not work as expected'
import os, pty, signal, subprocess, sys
lab, node = sys.argv[1:]
env = dict(os.environ, SLURM_CONF=lab + "/etc/slurm.conf", TERM="xterm")
env.pop("NO_COLOR", None)
command = [lab + "/bin/tessera", "status", "--node=" + node, "--watch=1"]
pipe = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True)
heads = 0
for line in pipe.stdout:
    assert "\033" not in line, line
    heads += "DataScale" in line
    if heads == 2:
        break
pipe.send_signal(signal.SIGINT)
assert pipe.wait() == 0, pipe.returncode
main, sub = pty.openpty()
term = subprocess.Popen(command, stdout=sub, env=env)
os.close(sub)
seen = b""
while seen.count(b"DataScale") < 2:
    seen += os.read(main, 65536)
assert seen.count(b"\033[H\033[2J") == 2, seen
assert b"\033[1;3" in seen, "no colours on a terminal"
term.send_signal(signal.SIGINT)
assert term.wait() == 0, term.returncode
PYTHON

# An unknown node name is an error for all commands.
for command in status metrics health topology mark sample reap guard; do
	refused run tessera $command --node=nonsuch
	like "$command reports the unknown node" '^tessera: .*/tessera.conf has no platform for node nonsuch: ' "$said"
done

# A job has its licenses until its node reports the end; this node is stopped for a while.
ending=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h2 --csx=1 --wrap 'sleep 600')
reaches "$ending" RUNNING
slurmd=$(cut -d' ' -f1 "$TESSERA_LAB/pids/sn30-r1-h2")
trap 'kill -CONT "$slurmd"; rm -f "$state"/*/used.*' EXIT
kill -STOP "$slurmd"
run scancel "$ending"
completing() { status --all --raw -o job,state,resource | grep -qx "$ending completing csx"; }
await 'status shows the completing job' completing
kill -CONT "$slurmd"
run scancel "$half" "$two" "$ipus"
