#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A prolog queries slurmctld once, whatever its job has: tiles, IPUs, pools, or several of them.
. "$(dirname "$0")/lib.sh"

# job_queries: the queries for one job that slurmctld has served since its counters were reset.
job_queries() { run sdiag | awk '$1 == "REQUEST_JOB_INFO_SINGLE" { sub(/.*count:/, ""); print $1; found = 1 } END { if (!found) print 0 }' | head -n 1; }
# squeue without a job number uses another RPC, which reads all jobs.
queue_is_empty() { [ -z "$(run squeue -h)" ]; }

# costs WHAT QUERIES SBATCH-ARGUMENT...
costs() {
	local what=$1 wanted=$2
	shift 2
	await 'the queue is empty' queue_is_empty
	fine run sdiag -r >/dev/null
	fine ann sbatch -Q -o /dev/null "$@" --wrap true >/dev/null
	await "the job with $what has ended" queue_is_empty
	is "queries for a job with $what" "$wanted" "$(job_queries)"
}

costs tiles 1 --gres=rdu_tile:4
costs 'tiles and a pool' 1 --gres=rdu_tile:4 --csx=1
costs 'nothing of ours' 1
