# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a scenario can say. A scenario is one file; the first thing that is not as it should be ends it.
set -u -o pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=$top/test/lab/lab
: "${TESSERA_LAB:?run scenarios with ./check cluster}"

# Let every scenario use the lab under a short name.
run() { "$lab" run "$@"; }
ann() { "$lab" as tess-ann "$@"; }
bob() { "$lab" as tess-bob "$@"; }
vipu() { "$lab" vipu "$@"; }

# broken WHAT: end the scenario, naming the line that asked.
broken() {
	local frame=0
	while [ "$frame" -lt ${#BASH_LINENO[@]} ] && [ "${BASH_SOURCE[frame]##*/}" = lib.sh ]; do frame=$((frame + 1)); done
	printf '%s:%s: %s\n' "${BASH_SOURCE[frame]:-afterwards}" "${BASH_LINENO[frame - 1]}" "$*" >&2
	exit 1
}

# is WHAT WANTED GOT: where WANTED has gres:, it is as this release of Slurm writes it, if requests.bash has looked.
is() {
	local wanted=${2//gres:/${gres_prefix:-gres:}}
	[ "$wanted" = "$3" ] || broken "$1: wanted '$wanted', got '$3'"
}
# like WHAT PATTERN GOT: an extended regular expression, somewhere in GOT; the same.
like() {
	local wanted=${2//gres:/${gres_prefix:-gres:}}
	grep -qE -e "$wanted" <<<"$3" || broken "$1: wanted something like '$wanted', got '$3'"
}
unlike() { ! grep -qE -e "$2" <<<"$3" || broken "$1: wanted nothing like '$2', got '$3'"; }
# fine CMD...: it must succeed.  refused CMD...: it must not, and what it says is left in $said.
fine() { "$@" || broken "failed with $?: $*"; }
refused() { ! said=$("$@" 2>&1) || broken "was not refused: $*"; }

# What srun says, without what Slurm itself tells somebody whose job has to wait a moment.
but_waiting() { grep -vE '^srun: job [0-9]+ (queued and waiting for resources|has been allocated resources)$'; }

# await WHAT CMD...: until CMD succeeds, at most 60 s.
await() {
	local what=$1 end=$((SECONDS + 60))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || broken "waited 60 s in vain: $what"
		sleep 0.05
	done
}

# state_of JOB: as squeue says it, or as sacct does when the job has gone.
state_of() {
	local state
	state=$(run squeue -hj "$1" -o %T 2>/dev/null)
	[ -n "$state" ] || state=$(run sacct -nXPj "$1" -o state)
	echo "${state%% *}"
}
is_state() { [ "$(state_of "$1")" = "$2" ]; }
reaches() { await "job $1 is $2" is_state "$1" "$2"; }

# The file that user USER's job wrote in its home.
home() { echo "$TESSERA_LAB/home/tess-$1"; }

# rows NODE: the ledger's rows, without title and end.
rows() { sed -n '/^job\|^step/p' "$TESSERA_LAB/state/$1/ledger" 2>/dev/null; }
all_rows() { sed -n '/^job\|^step/p' "$TESSERA_LAB"/state/*/ledger 2>/dev/null; }
no_rows() { [ -z "$(all_rows)" ]; }

# notes NODE: the jobs that the node has written something of besides tiles.
notes() { (cd "$TESSERA_LAB/state/$1" 2>/dev/null && ls -d job.* 2>/dev/null); }
no_notes() { ! ls "$TESSERA_LAB"/state/*/job.* >/dev/null 2>&1; }
no_partitions() { [ -z "$(vipu list)" ]; }

no_jobs() { [ -z "$(run squeue -h)" ]; }

# device_holders NODE: the processes that have its device open; "*" is any node.
device_holders() { find /proc/[0-9]*/fd -lname "$TESSERA_LAB/dev/$1/*" 2>/dev/null | cut -d/ -f3 | sort -un; }
no_device_holders() { [ -z "$(device_holders '*')" ]; }

# rewrite FILE: with what comes in, at once, and while no job comes or goes: slurmd starts a process for each prolog and
# epilog, which reads Slurm's files anew.
rewrite() {
	cat >"$1.new"
	await 'no job is coming or going' no_jobs
	mv -f "$1.new" "$1"
}

# After a scenario that failed: so that the next one starts as on a new day.
clear_away() {
	local jobs node partition process
	jobs=$(run squeue -h -o %A)
	# shellcheck disable=SC2086
	[ -z "$jobs" ] || run scancel --quiet $jobs
	await 'the queue is empty' no_jobs
	for process in $(device_holders '*'); do kill -KILL "$process"; done
	rm -f "$TESSERA_LAB"/state/*/{ledger,job.*,used.*} "$TESSERA_LAB"/vipu/{fault,delay,remove_delay}
	for node in $("$lab" status | sed -n 's/ *is not running$//p'); do "$lab" restart "$node"; done
	vipu list | while read -r partition _; do vipu remove --force "$partition"; done
	run scontrol update nodename=ALL state=resume 2>/dev/null
	return 0
}

# No slurmstepd has one of this lab's files open.
no_steps() {
	local pid
	for pid in /proc/[0-9]*; do
		case $(readlink "$pid/exe" 2>/dev/null) in */slurmstepd*) ;; *) continue ;; esac
		! readlink "$pid"/fd/* 2>/dev/null | grep -qF "$TESSERA_LAB/" || return 1
	done
}

# What must hold after every scenario: no job left, no tile or IPU held or kept back, no partition, no process, and no node
# that Slurm took away.
left_clean() {
	await 'the queue is empty' no_jobs
	await 'no tile is held' no_rows
	await 'no IPU is held' no_notes
	await 'no partition is left' no_partitions
	await 'no step is left' no_steps
	await 'no process has a device open' no_device_holders
	unlike 'nodes taken away' 'drain|down|fail|error|unk' "$(run sinfo -hN -o '%N %T %E')"
}

# site_keys LINE...: tessera.conf with these lines in its vipu block, in place of its own of those names and of those of
# the last call. Without lines it is as it was.
site_keys() {
	local conf=$TESSERA_LAB/etc/tessera.conf
	[ -e "$conf.saved" ] || cp "$conf" "$conf.saved"
	if [ $# = 0 ]; then
		mv -f "$conf.saved" "$conf"
		return
	fi
	printf '\t%s\n' "$@" | awk '
		NR == FNR { lines = lines $0 "\n"; ours["\t" $1] = 1; next }
		match($0, /^\t[A-Za-z]+/) && substr($0, 1, RLENGTH) in ours { next }
		{ print }
		/^vipu / { printf "%s", lines }' - "$conf.saved" >"$conf.new" && mv -f "$conf.new" "$conf"
}
