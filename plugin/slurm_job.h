/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld says of a job: the only word that root code trusts.
 */
#ifndef TESSERA_SLURM_JOB_H
#define TESSERA_SLURM_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/error.h"
#include "lib/granted.h"
#include "lib/locality.h"
#include "plugin/slurm_compat.h"

struct slurm_job {
	uint32_t uid;
	uint32_t restarts;
	time_t start; /* of its last run */
	bool batch;
	bool here;                   /* it has the node, and has not ended */
	bool running;                /* and is not being ended either */
	bool active;                 /* it runs, here or elsewhere, and is not being ended */
	bool ending;                 /* COMPLETING: its epilogs run, also if it is queued again */
	bool ended;                  /* it has ended and left all its nodes */
	char first_node[256];        /* of its node list; of those still completing while it is ending. "": none */
	char partition[256];         /* that it runs in; "": Slurm does not say */
	unsigned tasks;              /* on the node, at the most (lib/sharing.h); 0: Slurm does not say */
	unsigned job_tasks;          /* on all its nodes */
	unsigned node_cores;         /* how many Slurm counts on the node; 0: it does not say */
	struct tessera_cpuset cores; /* that the job has of them */
	struct tessera_granted granted; /* on the node, as far as it was asked for: --exclusive grants everything */
	struct tessera_error unclear;   /* why granted is not known, which is zeros then; TESSERA_OK: it is known */
};

/*
 * Ask slurmctld for JOB on NODE: one RPC, which Slurm itself ends after MessageTimeout. Returns 0; 1 if slurmctld
 * does not know the job, with *OUT zeros; or -1 with ERR (TESSERA_ERR_MISSING) if it did not answer. What cannot be read
 * of the grant alone is no failure: many callers want to know only whether the job runs. It is in unclear.
 */
int slurm_job_load(uint32_t job, const char *node, struct slurm_job *out, struct tessera_error *err);

/*
 * Is the job gone for good, by what slurm_job_load() returned and filled? slurmctld does not know it, or it has ended
 * and left all its nodes. One that waits to be run again still lives.
 */
bool slurm_job_gone(int loaded, const struct slurm_job *job);

/*
 * Is that run of JOB, told by its owner and its restart count, running on NODE? Returns 1 or 0, or -1 with ERR if
 * slurmctld does not say.
 */
int slurm_job_runs(uint32_t job, const char *node, uint32_t uid, uint32_t restarts, struct tessera_error *err);

/*
 * The same as slurm_job_load() for who wants to see the record itself: LOOK's answer is returned. 1 and no call if slurmctld does not know
 * the job.
 */
int slurm_job_visit(uint32_t job, int (*look)(const job_info_t *info, void *arg), void *arg,
		    struct tessera_error *err);

/* The first node of a job's host list in BUF, "" if there is none. NODES may be NULL. */
void slurm_job_first_node(const char *nodes, char *buf, size_t len);

/* The place of NODE in a job's host list, from 0, or -1. NODES may be NULL. */
int slurm_job_node_index(const char *nodes, const char *node);

#endif /* TESSERA_SLURM_JOB_H */
