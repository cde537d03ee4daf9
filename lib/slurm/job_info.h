/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's record of a job, the only source about a job that root code trusts. */
#ifndef TESSERA_JOB_INFO_H
#define TESSERA_JOB_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/request/gres_detail.h"
#include "lib/slurm/compat.h"
#include "lib/state/locality.h"
#include "lib/util/error.h"

struct job_alloc {
	uint32_t uid;
	uint32_t restarts;
	time_t start; /* of its current or last run */
	bool batch;
	bool here;    /* it is allocated the node, and has not ended */
	bool running; /* and is not completing either */
	bool active;  /* it runs, here or elsewhere, and is not completing */
	bool ending;  /* COMPLETING: its epilogs run, even if it is requeued */
	bool ended;   /* it has ended and left all its nodes */
	/* of its node list; while it is completing, of the nodes that still are. "": none */
	char first_node[256];
	char partition[256]; /* "": not reported */
	/* on the node, at most (lib/request/sharing.h); 0: not reported */
	unsigned tasks;
	unsigned job_tasks;          /* on all its nodes */
	unsigned node_cores;         /* cores of the node; 0: not reported */
	struct tessera_cpuset cores; /* the job's cores among them */
	/* on the node, limited to what was requested: --exclusive allocates everything */
	struct tessera_gres_detail granted;
	/* why granted is unknown, and zeroed; TESSERA_OK: it is known */
	struct tessera_error unclear;
};

/*
 * Query JOB on NODE from slurmctld: one RPC, which Slurm ends after MessageTimeout. Returns 0; 1 if
 * slurmctld does not know the job, with *OUT zeroed; or -1 with ERR (TESSERA_ERR_UNAVAILABLE) if it
 * did not answer. If only the allocated tiles cannot be parsed, it returns 0 with the reason in
 * unclear: many callers need only the job's state.
 */
int job_info_load(uint32_t job, const char *node, struct job_alloc *out, struct tessera_error *err);

/*
 * Has the job ended for good, by what job_info_load() returned in LOADED and JOB? Then slurmctld
 * does not know it, or it has ended and left all its nodes. A requeued job has not ended.
 */
bool job_info_gone(int loaded, const struct job_alloc *job);

/*
 * Is the run of JOB with this owner and restart count running on NODE? Returns 1 or 0, or -1 with
 * ERR if the query fails.
 */
int job_info_runs(uint32_t job, const char *node, uint32_t uid, uint32_t restarts,
		  struct tessera_error *err);

/*
 * As job_info_load(), for a caller that needs the record itself: returns what VISIT returns; 1
 * without a call if slurmctld does not know the job.
 */
int job_info_visit(uint32_t job, int (*visit)(const job_info_t *info, void *arg), void *arg,
		   struct tessera_error *err);

/* Write the first node of the host list NODES, which may be NULL, into BUF; "" if none. */
void job_info_first_node(const char *nodes, char *buf, size_t len);

/* The index of NODE in the host list NODES, which may be NULL, or -1. */
int job_info_node_index(const char *nodes, const char *node);

#endif /* TESSERA_JOB_INFO_H */
