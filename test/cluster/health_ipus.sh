#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tessera health, status and metrics report bad IPUs of a pool. The controller decides which IPUs a
# partition gets. A failed check changes nothing, and does not affect jobs.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/health.bash"
node=gc-poplar-02
cache=$TESSERA_LAB/state/$node/health
seen_ipus() { run tessera metrics --node=$node | sed -n 's/^tessera_ipus_seen{.*} //p'; }
bad_ipus() { run tessera metrics --node=$node | sed -n 's/^tessera_ipus_bad{.*} //p'; }

is 'bad IPUs are unknown before the first query' '' "$(bad_ipus)"
like 'health says that they are unknown' "^$node  IPU-POD64: number of bad IPUs unknown\$" "$(ann tessera health --node=$node)"
like 'health reports no bad IPU' ": 0 IPUs bad; unknown how many of the pool's 64 were checked\$" "$(fine health)"
is 'metrics report no bad IPU' 0 "$(bad_ipus)"
is 'the number of checked IPUs is unknown' '- 0' "$(source_column gcipuinfo known,bad)"
is 'metrics do not report checked IPUs' '' "$(seen_ipus)"

set_broken '10.1.5.10 2' '10.1.5.10 3' '10.1.5.11 2'
output=$(fine health)
like 'health reports three bad IPUs' ": 3 IPUs bad; unknown how many of the pool's 64 were checked\$" "$output"
like 'health names the bad IPUs' '^gcipuinfo +current .* 3 .*10\.1\.5\.10: device 2 of partition p1; 10\.1\.5\.10: device 3' "$output"
is 'metrics report three bad IPUs' 3 "$(bad_ipus)"
job=$(ann sbatch --parsable -o /dev/null -p p64 -w $node --ipus=4 --wrap 'sleep 600')
await 'the job has its IPUs' eval 'grep -qs "state ready" "$TESSERA_LAB/state/$node/job.$job"'
output=$(ann tessera status --node=$node)
like 'status counts the IPUs of the job' "hold 4 of the pool's 64 IPUs" "$output"
like 'the map shows the IPUs of jobs only' '^aaaa( \.\.\.\.){15}$' "$output"
like 'status reports the bad IPUs' '^X .* bad +3 +ipus .*gcipuinfo: 10\.1\.5\.10: device 2' "$output"
fine run scancel "$job"

# gc-monitor lists the checked IPUs.
keys "IpuHealthCommand = \"/usr/bin/env TESSERA_LAB=$TESSERA_LAB SLURMD_NODENAME=%n $TESSERA_LAB/bin/gc-monitor --json\""
fine health >/dev/null
is 'gc-monitor covers 64 IPUs' '64 0' "$(source_column gcipuinfo known,bad)"
like 'health reports the number of checked IPUs' ": 0 IPUs bad; 64 of the pool's 64 checked\$" "$(health --cached)"
is 'metrics report the number of checked IPUs' 64 "$(seen_ipus)"
keys
fine health >/dev/null

# wrong MESSAGE: the exit code is 3, and the earlier result counts until it is too old.
wrong() {
	local code=0
	said=$(run tessera health --node=$node 2>&1 >/dev/null) || code=$?
	is "$1: the exit code" 3 "$code"
	like "$1: the message" "^tessera: gcipuinfo: .*$1" "$said"
	is "$1: the earlier result counts" 3 "$(bad_ipus)"
	rm -f "$sick"/fault.*
}
echo fail >"$sick/fault.gcipuinfo"
wrong 'gcipuinfo: SND is not running'
echo garbage >"$sick/fault.gcipuinfo"
wrong 'is not JSON'
keys 'IpuHealthCommand = "/bin/echo []"'
wrong 'cannot parse .*: it is not an object'
keys 'IpuHealthCommand = "/nowhere/check"'
wrong '/nowhere/check: No such file'
keys
sed -i 's/^\(ipus gcipuinfo time\) [0-9]*/\1 1000000000/' "$cache"
is 'a result that is too old does not count' '' "$(bad_ipus)"
like 'status says that the result is too old' '^health: the result of gcipuinfo is too old' "$(ann tessera status --node=$node)"
unlike 'status has no row of bad IPUs' '^X' "$(ann tessera status --node=$node)"

# No tool is configured.
keys 'IpuHealthCommand = ""'
like 'the message says that no tool is configured' 'names no tool that reports bad IPUs of node gc-poplar-02' "$(fine health 2>&1)"
is 'a node without accelerators needs no query' 'tessera: node elsewhere has neither tiles nor IPUs, nothing to do' \
	"$(fine run env SLURMD_NODENAME=elsewhere tessera health 2>&1)"
