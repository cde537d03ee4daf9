#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera status shows who holds what: the node's own word with a picture, and slurmctld's for all nodes.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node=sn30-r1-h1
state=$TESSERA_LAB/state
trap 'rm -f "$state"/*/used.*' EXIT
rm -f "$state"/*/used.*
status() { ann tessera status "$@"; }
# field JOB NAME [RESOURCE]: of the JSON row of a job.
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
await 'the node has written it down' eval '[ "$(rows '$node' | wc -l)" = 2 ]'
await 'and its note' test -e "$state/$node/job.$two"
await 'and of the IPUs' grep -q 'state ready' "$state/gc-poplar-02/job.$ipus"

# The picture: an ordinary user may look.
picture=$(status --node=$node)
like 'how full' "^$node  DataScale SN30-8: 20 of 64 tiles held, 44 free\$" "$picture"
like 'two RDUs' '^XRDU_0  b b b b b b b b   b b b b b b b b$' "$picture"
like 'a free XRDU' '^XRDU_1  \. \. \. \. \. \. \. \.   \. \. \. \. \. \. \. \.$' "$picture"
like 'half an RDU' '^XRDU_3  \. \. \. \. \. \. \. \.   \. \. \. \. a a a a$' "$picture"
like 'the legend' "^a +$half +tess-ann +held +4 +tiles +7\.4-7" "$picture"
like 'what is free' '^\. +- +- +free +44 +tiles +rdu2-6,7\.0-3' "$picture"
like 'a pool' "^b +$two +tess-bob +ready +1 +csx" "$picture"
unlike 'no colours in a pipe' $'\e' "$picture"
picture=$(status --node=gc-poplar-02)
like 'the IPUs' "have 4 of the pool's 64 IPUs" "$picture"
like 'as a bar' '^aaaa( \.\.\.\.){15}$' "$picture"
like 'with its partition' "^a +$ipus +tess-ann +ready +4 +ipus +slurm_$ipus" "$picture"

# For programs.
json=$(status --node=$node --json)
is 'the mask' 0xf000000000000000 "$(field "$half" mask <<<"$json")"
is 'the count' 16 "$(field "$two" count <<<"$json")"
is 'the user' tess-bob "$(field "$two" user csx <<<"$json")"
is 'nobody' 44 "$(field None count <<<"$json")"
is 'no sample, no number' None "$(field "$half" outside_seconds <<<"$json")"
is 'chosen columns' "JOB TILES
$half 7.4-7
$two rdu0,rdu1
- rdu2-6,7.0-3
$two -" "$(status --node=$node --raw -o job,tiles)"
code=0
said=$(status --node=$node -o nonsense 2>&1) || code=$?
is 'a column that is not there' 2 "$code"
like 'which there are' "no column 'nonsense'; there are: node mark job" "$said"

# All nodes, as slurmctld sees them.
all=$(status --all)
like 'a bar for the node' "^$node  #{10}\.{22}  20 of 64 tiles held" "$all"
like 'an empty node' '^sm-01 +\.{32}  0 of 32 tiles held' "$all"
like 'the pool of IPUs' '^ +##\.{30}  4 of 64 ipus held' "$all"
like 'who' "^$node +$two +tess-bob +running +16 +tiles" "$all"
json=$(status --all --json)
is 'IPUs belong to no node' None "$(field "$ipus" node ipus <<<"$json")"
is 'nor are pools' 1 "$(field None count csx <<<"$json")"
code=0
env SLURM_CONF=/dev/null "$TESSERA_LAB/bin/tessera" status --all --conf="$TESSERA_LAB/etc/tessera.conf" >/dev/null 2>&1 || code=$?
[ "$code" != 0 ] || broken 'status --all without slurmctld looks fine'

# What samples saw outside of grants is named.
used() { printf 'tessera-used 1\njob %s restarts 0 samples 2 first 1700000000 last 1700000060\nseen 60 tiles 0 ipus - outside %s ended 0\nend\n' "$1" "$2" >"$state/$node/used.$1"; }
used "$half" 60
used 0 30
sed 's/tiles 0 ipus -/tiles - ipus 0/' "$state/$node/used.$half" | sed "s/job $half/job $two/" >"$state/$node/used.$two"
picture=$(status --node=$node)
like 'a job' "^outside its grant: job $half of tess-ann has used tiles for 60 tile-seconds" "$picture"
like 'processes of nobody' '^outside any grant: processes of no job have used tiles for 30 tile-seconds' "$picture"
json=$(status --node=$node --json)
is 'for programs' 60 "$(field "$half" outside_seconds <<<"$json")"
is 'whose tiles nobody looked at is not known' None "$(field "$two" outside_seconds <<<"$json")"
rm -f "$state/$node"/used.*

# A note that cannot be read is not nothing.
cp "$state/gc-poplar-02/job.$ipus" "$TESSERA_LAB/kept"
sed -i 's/state ready/state failed/' "$state/gc-poplar-02/job.$ipus"
picture=$(status --node=gc-poplar-02)
like 'what failed holds nothing' "have 0 of the pool's 64 IPUs" "$picture"
like 'and has no place in the picture' '^\.\.\.\.( \.\.\.\.){15}$' "$picture"
echo nonsense >"$state/gc-poplar-02/job.$ipus"
json=$(status --node=gc-poplar-02 --json)
is 'damaged' damaged "$(field "$ipus" state ipus <<<"$json")"
is 'how many is not known' None "$(field "$ipus" count ipus <<<"$json")"
cp "$TESSERA_LAB/kept" "$state/gc-poplar-02/job.$ipus"
rm -f "$TESSERA_LAB/kept"

# --watch goes on until it is told to end, and says so with 0; on a terminal in place.
/usr/bin/python3 - "$TESSERA_LAB" $node <<'PYTHON' || broken '--watch is not as it should be'
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

# A name that tessera.conf does not know is a mistake, for all commands.
for command in status metrics health topology mark sample reap guard; do
	refused run tessera $command --node=nonsuch
	like "$command of no node" '^tessera: .*/tessera.conf has no platform for node nonsuch: ' "$said"
done

# A job has its licences until its node says that it has ended; this one says nothing for a while.
ending=$(ann sbatch --parsable -o /dev/null -w sn30-r1-h2 --csx=1 --wrap 'sleep 600')
reaches "$ending" RUNNING
slurmd=$(cut -d' ' -f1 "$TESSERA_LAB/pids/sn30-r1-h2")
trap 'kill -CONT "$slurmd"; rm -f "$state"/*/used.*' EXIT
kill -STOP "$slurmd"
run scancel "$ending"
completing() { status --all --raw -o job,state,resource | grep -qx "$ending completing csx"; }
await 'it is told so' completing
kill -CONT "$slurmd"
run scancel "$half" "$two" "$ipus"
