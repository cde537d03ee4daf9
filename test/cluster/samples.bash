# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sampling in scenarios. No test waits for time to pass: each sample says what it stands for (--interval).

conf=$TESSERA_LAB/etc/tessera.conf
one=sn30-r1-h1
two=sn30-r1-h2

# sample NODE [OPTION]...: an hour's worth of it would be --interval=3600.
sample() {
	local node=$1
	shift
	run tessera sample --conf="$conf" --node="$node" "$@"
}

# forget: what other scenarios' jobs used.
forget() { rm -f "$TESSERA_LAB"/state/*/used.* "$TESSERA_LAB"/use/*; }

# used NODE JOB WHAT: a figure of the node's note: seen, tiles, ipus, outside, samples, restarts.
used() { sed -n "s/.*\b$3 \([^ ]*\).*/\1/p" "$TESSERA_LAB/state/$1/used.$2" 2>/dev/null; }

# noted NODE: the jobs that it has a note of.
noted() { find "$TESSERA_LAB/state/$1" -name 'used.*' -printf '%f ' 2>/dev/null; }

# comment JOB: as sacct shows it.
comment() { run sacct -nXPj "$1" -o admincomment; }

# object NODE TILE IPU OUTSIDE SEEN: what one node says.
member() { printf '"%s":{"tile":%s,"ipu":%s,"outside":%s,"seen":%s}' "$@"; }
object() { printf '{"tessera":1,"nodes":{%s}}' "$(member "$@")"; }

# in_use NODE COUNT: so many processes use something of the node.
users() { find "$TESSERA_LAB/use" -name "$1.*[0-9]" | wc -l; }
has_users() { [ "$(users "$1")" = "$2" ]; }
in_use() { await "$2 processes use something of $1" has_users "$1" "$2"; }

# ends JOB...: they are cancelled, have left their nodes, and slurmdbd knows that.
known_end() {
	local said
	said=$(run sacct -nXPj "$1" -o end)
	[ -n "$said" ] && ! grep -q Unknown <<<"$said"
}
ends() {
	local job
	fine run scancel --quiet "$@"
	for job in "$@"; do
		await "job $job has gone" eval "[ -z \"\$(run squeue -hj $job -o %T 2>/dev/null)\" ]"
		await "slurmdbd knows that job $job has ended" known_end "$job"
	done
	await 'no tile is held' no_rows
	await 'no IPU is held' no_notes
}

# tells NODE JOB...: sample until slurmdbd has heard all of the job that slurmctld has to say, which it does in its own
# time, and so was told what NODE saw of it.
tells_one() {
	fine sample "$1"
	comment "$2" | grep -qF "\"$1\":"
}
tells() {
	local node=$1 job
	shift
	for job in "$@"; do await "$node tells of job $job" tells_one "$node" "$job"; done
}
