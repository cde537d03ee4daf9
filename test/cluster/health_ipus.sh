#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad IPUs of a pool are told, by tessera health, status and metrics; which IPUs a partition gets is the controller's business. A
# check that fails says nothing, and no job notices.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"
node=gc-poplar-02
cache=$TESSERA_LAB/state/$node/health
seen_ipus() { run tessera metrics --node=$node | sed -n 's/^tessera_ipus_seen{.*} //p'; }
bad_ipus() { run tessera metrics --node=$node | sed -n 's/^tessera_ipus_bad{.*} //p'; }

is 'not known' '' "$(bad_ipus)"
like 'that is told' "^$node  IPU-POD64: whether IPUs are bad is not known\$" "$(ann tessera health --node=$node)"
like 'all is well' ": 0 IPUs bad; how many of the pool's 64 were looked at is not known\$" "$(fine health)"
is 'in numbers' 0 "$(bad_ipus)"
is 'how many were seen is not known' '- 0' "$(said_of gcipuinfo known,bad)"
is 'nor in numbers' '' "$(seen_ipus)"

breaks '10.1.5.10 2' '10.1.5.10 3' '10.1.5.11 2'
picture=$(fine health)
like 'three' ": 3 IPUs bad; how many of the pool's 64 were looked at is not known\$" "$picture"
like 'which' '^gcipuinfo +current .* 3 .*10\.1\.5\.10: device 2 of partition p1; 10\.1\.5\.10: device 3' "$picture"
is 'in numbers' 3 "$(bad_ipus)"
job=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=4 --wrap 'sleep 600')
await 'it has them' eval 'grep -qs "state ready" "$TESSERA_LAB/state/$node/job.$job"'
picture=$(ann tessera status --node=$node)
like 'a job runs' "have 4 of the pool's 64 IPUs" "$picture"
like 'the picture is of what jobs have' '^aaaa( \.\.\.\.){15}$' "$picture"
like 'bad ones are told' '^X .* bad +3 +ipus .*gcipuinfo: 10\.1\.5\.10: device 2' "$picture"
fine run scancel "$job"

# What gc-monitor lists answers.
keys "IpuHealthCommand = \"/usr/bin/env TESSERA_LAB=$TESSERA_LAB SLURMD_NODENAME=%n $TESSERA_LAB/bin/gc-monitor --json\""
fine health >/dev/null
is 'gc-monitor' '64 0' "$(said_of gcipuinfo known,bad)"
like 'how many were seen' ": 0 IPUs bad; 64 of the pool's 64 were seen\$" "$(health --cached)"
is 'in numbers, too' 64 "$(seen_ipus)"
keys
fine health >/dev/null

# wrong SENTENCE: exit 3, and what it said before counts until it is too old.
wrong() {
	local code=0
	said=$(run tessera health --node=$node 2>&1 >/dev/null) || code=$?
	is "$1: exit code" 3 "$code"
	like "$1: sentence" "^tessera: gcipuinfo: .*$1" "$said"
	is "$1: what it said counts" 3 "$(bad_ipus)"
	rm -f "$sick"/fault.*
}
echo fail >"$sick/fault.gcipuinfo"
wrong 'gcipuinfo: SND is not running'
echo garbage >"$sick/fault.gcipuinfo"
wrong 'is no JSON'
keys 'IpuHealthCommand = "/bin/echo []"'
wrong 'not understood: it is no object'
keys 'IpuHealthCommand = "/nowhere/check"'
wrong '/nowhere/check: No such file'
keys
sed -i 's/^\(ipus gcipuinfo time\) [0-9]*/\1 1000000000/' "$cache"
is 'too old is not known' '' "$(bad_ipus)"
like 'status says so' '^health: what gcipuinfo said is too old to count' "$(ann tessera status --node=$node)"
unlike 'and has no row of it' '^X' "$(ann tessera status --node=$node)"

# Nobody is to be asked.
keys 'IpuHealthCommand = ""'
like 'no tool' 'names no tool that knows which IPUs of node gc-poplar-02 are bad' "$(fine health 2>&1)"
is 'a node without accelerators' 'tessera: node elsewhere has no tiles and no IPUs: nothing to do' \
	"$(fine run env SLURMD_NODENAME=elsewhere tessera health 2>&1)"
