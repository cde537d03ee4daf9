# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The vocabulary of the scenarios. A scenario is one file, and its first failed check ends it.
set -u -o pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=$top/test/lab/lab
: "${TESSERA_LAB:?run scenarios with ./check cluster}"

run() { "$lab" run "$@"; }
ann() { "$lab" as tess-ann "$@"; }
bob() { "$lab" as tess-bob "$@"; }
vipu() { "$lab" vipu "$@"; }

# fail WHAT: end the scenario and print the line of the check that failed.
fail() {
	local frame=0
	while [ "$frame" -lt ${#BASH_LINENO[@]} ] && [ "${BASH_SOURCE[frame]##*/}" = lib.sh ]; do frame=$((frame + 1)); done
	printf '%s:%s: %s\n' "${BASH_SOURCE[frame]:-afterwards}" "${BASH_LINENO[frame - 1]}" "$*" >&2
	exit 1
}

# is WHAT WANTED GOT: GOT equals WANTED. gres: in WANTED stands for the prefix of this Slurm release,
# which requests.bash finds out.
is() {
	local wanted=${2//gres:/${gres_prefix:-gres:}}
	[ "$wanted" = "$3" ] || fail "$1: wanted '$wanted', got '$3'"
}
# like WHAT PATTERN GOT: the extended regular expression matches a line of GOT; gres: as above.
like() {
	local wanted=${2//gres:/${gres_prefix:-gres:}}
	grep -qE -e "$wanted" <<<"$3" || fail "$1: wanted something like '$wanted', got '$3'"
}
unlike() { ! grep -qE -e "$2" <<<"$3" || fail "$1: wanted nothing like '$2', got '$3'"; }
# fine CMD...: CMD must succeed.  refused CMD...: CMD must fail; its output is left in $said.
fine() { "$@" || fail "failed with $?: $*"; }
refused() { ! said=$("$@" 2>&1) || fail "was not refused: $*"; }

# Remove the lines in which srun says that the job waits for its allocation.
drop_wait_messages() { grep -vE '^srun: job [0-9]+ (queued and waiting for resources|has been allocated resources)$'; }

# await WHAT CMD...: repeat CMD until it succeeds, at most 60 s.
await() {
	local what=$1 end=$((SECONDS + 60))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || fail "timed out after 60 s: $what"
		sleep 0.05
	done
}

# state_of JOB: its state from squeue, or from sacct when it has left the queue.
state_of() {
	local state
	state=$(run squeue -hj "$1" -o %T 2>/dev/null)
	[ -n "$state" ] || state=$(run sacct -nXPj "$1" -o state)
	echo "${state%% *}"
}
is_state() { [ "$(state_of "$1")" = "$2" ]; }
reaches() { await "job $1 is $2" is_state "$1" "$2"; }

# home USER: the home directory, where the jobs of tess-USER write their output.
home() { echo "$TESSERA_LAB/home/tess-$1"; }

# slurm_since RELEASE: is the Slurm of the lab this release or a newer one?
slurm_since() {
	local running
	running=$(run srun --version | cut -d' ' -f2)
	[ "$(printf '%s\n' "$1" "$running" | sort -V | head -n1)" = "$1" ]
}
# needs_slurm RELEASE: end the scenario here on an older release.
needs_slurm() {
	slurm_since "$1" && return
	echo "nothing to test: needs Slurm $1 or newer"
	exit 0
}

# rows NODE: the rows of the ledger, without its first and last line.
rows() { sed -n '/^job\|^step/p' "$TESSERA_LAB/state/$1/ledger" 2>/dev/null; }
all_rows() { sed -n '/^job\|^step/p' "$TESSERA_LAB"/state/*/ledger 2>/dev/null; }
no_rows() { [ -z "$(all_rows)" ]; }

# job_records NODE: the names of the job records there.
job_records() { (cd "$TESSERA_LAB/state/$1" 2>/dev/null && ls -d job.* 2>/dev/null); }
no_job_records() { ! ls "$TESSERA_LAB"/state/*/job.* >/dev/null 2>&1; }
# record_is STATE NODE JOB; no_record NODE JOB
record_is() { grep -qs "^state $1" "$TESSERA_LAB/state/$2/job.$3"; }
no_record() { [ ! -e "$TESSERA_LAB/state/$1/job.$2" ]; }

# V-IPU partitions at the emulated controller.
has_partition() { vipu list | grep -q "^slurm_$1 .*ACTIVE"; }
has_pending_partition() { vipu list | grep -q "^slurm_$1 .*PENDING"; }
no_partitions() { [ -z "$(vipu list)" ]; }

no_jobs() { [ -z "$(run squeue -h)" ]; }
nodes_of() { run squeue -hj "$1" -o %N; }
# requeued JOB: it has run once and waits in the queue again.
requeued() { run scontrol show job "$1" | grep -q 'Restarts=1' && [ "$(run squeue -hj "$1" -o %T)" = PENDING ]; }

# device_users NODE: the processes that have the node's device open; "*" is any node.
device_users() { find /proc/[0-9]*/fd -lname "$TESSERA_LAB/dev/$1/*" 2>/dev/null | cut -d/ -f3 | sort -un; }
no_device_users() { [ -z "$(device_users '*')" ]; }

# replace FILE CMD...: replace FILE atomically by the output of CMD. CMD is an argument and not the left
# side of a pipe, in whose subshell a failure would not end the scenario.
replace() {
	local file=$1
	shift
	"$@" >"$file.new" || fail "failed with $?, $file is unchanged: $*"
	fine mv -f "$file.new" "$file"
}
# rewrite FILE CMD...: the same when no job is in the queue. Each prolog and epilog is a process of its
# own that reads Slurm's files.
rewrite() {
	await 'no job is in the queue' no_jobs
	replace "$@"
}
# with_lines FILE LINE...: FILE, and these lines below it.
with_lines() { cat "$1" && printf '%s\n' "${@:2}"; }

# edit_slurm_conf SCRIPT: edit slurm.conf with sed and reconfigure Slurm.
edit_slurm_conf() {
	local file=$TESSERA_LAB/etc/slurm.conf
	[ -e "$file.saved" ] || cp "$file" "$file.saved"
	rewrite "$file" sed "$1" "$file.saved"
	fine run scontrol reconfigure
}
# restore_slurm_conf: undo edit_slurm_conf; for a trap.
restore_slurm_conf() {
	local file=$TESSERA_LAB/etc/slurm.conf
	[ -e "$file.saved" ] || return 0
	rewrite "$file" cat "$file.saved"
	rm -f "$file.saved"
	run scontrol reconfigure
}

# limit_prologs SECONDS: Slurm ends prologs and epilogs after that time.
has_prolog_limit() { run scontrol show config | grep -q "^PrologEpilogTimeout *= $1\$"; }
limit_prologs() {
	edit_slurm_conf "\$ a PrologEpilogTimeout=$1"
	await "Slurm has PrologEpilogTimeout=$1" has_prolog_limit "$1"
}

# message_waits NODE: has a message arrived for the node's slurmd, which is stopped?
message_waits() {
	local port
	port=$(sed -n "s/^NodeName=$1 .* Port=\([0-9]*\) .*/\1/p" "$TESSERA_LAB/etc/slurm.conf")
	awk -v port="$(printf ':%04X' "$port")" 'substr($2, length($2) - 4) == port && $4 == "01" && $5 !~ /:00000000$/ { found = 1 }
		END { exit !found }' /proc/net/tcp
}

# clear_away: after a failed scenario, restore the state that the next one expects.
clear_away() {
	local jobs node partition process
	jobs=$(run squeue -h -o %A)
	# shellcheck disable=SC2086
	[ -z "$jobs" ] || run scancel --quiet $jobs
	await 'the queue is empty' no_jobs
	for process in $(device_users '*'); do kill -KILL "$process"; done
	rm -f "$TESSERA_LAB"/state/*/{ledger,job.*,used.*} "$TESSERA_LAB"/vipu/{fault,delay,remove_delay}
	for node in $("$lab" status | sed -n 's/ *is not running$//p'); do "$lab" restart "$node"; done
	vipu list | while read -r partition _; do vipu remove --force "$partition"; done
	run scontrol update nodename=ALL state=resume 2>/dev/null
	return 0
}

# no_steps: no slurmstepd has a file of this lab open.
no_steps() {
	local pid
	for pid in /proc/[0-9]*; do
		case $(readlink "$pid/exe" 2>/dev/null) in */slurmstepd*) ;; *) continue ;; esac
		! readlink "$pid"/fd/* 2>/dev/null | grep -qF "$TESSERA_LAB/" || return 1
	done
}

# left_clean: what must hold after every scenario: no job, no allocated or withheld tile, no job record,
# no partition, no process on a device, and no node that Slurm drained or lost.
left_clean() {
	await 'the queue is empty' no_jobs
	await 'no tile is allocated' no_rows
	await 'no job record is left' no_job_records
	await 'no partition is left' no_partitions
	await 'no step is left' no_steps
	await 'no process has a device open' no_device_users
	unlike 'all nodes are available' 'drain|down|fail|error|unk' "$(run sinfo -hN -o '%N %T %E')"
}

# site_keys LINE...: replace these keys in the vipu block of tessera.conf. Each call starts from the
# original file; without lines the file is restored.
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
