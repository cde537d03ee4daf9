# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions for scenarios about sampling. No scenario waits for time to pass: each sample names the
# interval that it stands for (--interval).

conf=$TESSERA_LAB/etc/tessera.conf
one=sn30-r1-h1
two=sn30-r1-h2

# sample NODE [OPTION]...: take one sample; --interval=3600 makes it stand for an hour.
sample() {
	local node=$1
	shift
	run tessera sample --conf="$conf" --node="$node" "$@"
}

# clear_samples: remove the records of other scenarios.
clear_samples() { rm -f "$TESSERA_LAB"/state/*/used.* "$TESSERA_LAB"/use/*; }

# sample_value NODE JOB WHAT: a value of the sample record: seen, tiles, ipus, outside, samples, restarts.
sample_value() { sed -n "s/.*\b$3 \([^ ]*\).*/\1/p" "$TESSERA_LAB/state/$1/used.$2" 2>/dev/null; }

# sampled_jobs NODE: the sample records there.
sampled_jobs() { find "$TESSERA_LAB/state/$1" -name 'used.*' -printf '%f ' 2>/dev/null; }

# comment JOB: its AdminComment in sacct.
comment() { run sacct -nXPj "$1" -o admincomment; }

# object NODE TILE IPU OUTSIDE SEEN: the usage summary with one node.
member() { printf '"%s":{"tile":%s,"ipu":%s,"outside":%s,"seen":%s}' "$@"; }
object() { printf '{"tessera":1,"nodes":{%s}}' "$(member "$@")"; }

# in_use NODE COUNT: wait until COUNT processes use accelerators of the node.
users() { find "$TESSERA_LAB/use" -name "$1.*[0-9]" | wc -l; }
has_users() { [ "$(users "$1")" = "$2" ]; }
in_use() { await "$2 processes use accelerators of $1" has_users "$1" "$2"; }

# ends JOB...: cancel the jobs and wait until they have left their nodes and slurmdbd has their end.
known_end() {
	local said
	said=$(run sacct -nXPj "$1" -o end)
	[ -n "$said" ] && ! grep -q Unknown <<<"$said"
}
ends() {
	local job
	fine run scancel --quiet "$@"
	for job in "$@"; do
		await "job $job has left the queue" eval "[ -z \"\$(run squeue -hj $job -o %T 2>/dev/null)\" ]"
		await "slurmdbd has the end of job $job" known_end "$job"
	done
	await 'no tile is allocated' no_rows
	await 'no job record is left' no_job_records
}

# await_delivered NODE JOB...: sample until the job's AdminComment has the usage on NODE. slurmdbd accepts
# it only after slurmctld has sent the end of the job, which can take a while.
is_delivered() {
	fine sample "$1"
	comment "$2" | grep -qF "\"$1\":"
}
await_delivered() {
	local node=$1 job
	shift
	for job in "$@"; do await "the usage of job $job on $node is delivered" is_delivered "$node" "$job"; done
}

# sql_session: statements from standard input, in one session.  sql STATEMENT: in a session of its own.
sql_session() { mariadb --no-defaults --socket="$TESSERA_LAB/run/mariadb.socket" -NB --unbuffered "$@"; }
sql() { sql_session -e "$1"; }

# await_nodes JOB COUNT: wait until slurmdbd has the nodes of the job. slurmctld can send the start of a
# short job after its end, and only the start has the nodes; it is the last message about the job.
has_nodes() { [ "$(fine sql "SELECT nodes_alloc FROM slurm_acct_db.lab_job_table WHERE id_job = $1")" = "$2" ]; }
await_nodes() { await "slurmdbd has the $2 nodes of job $1" has_nodes "$1" "$2"; }

# ended JOB SECONDS: slurmdbd shows that the job ended SECONDS ago. It decides whose turn it is.
ended() {
	fine sql "UPDATE slurm_acct_db.lab_job_table SET time_start = LEAST(time_start, UNIX_TIMESTAMP() - $2 - 60),
		time_end = UNIX_TIMESTAMP() - $2 WHERE id_job = $1"
}
