/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "lib/holding.h"
#include "plugin/partition.h"
#include "plugin/reap.h"
#include "plugin/slurm_job.h"

/* What is to be done with what a job has here. */
enum fate {
	UNKNOWN = -1, /* slurmctld does not say */
	LEAVE,        /* it is a living job's */
	FORGET, /* the job runs on other nodes, and what it has there is not ours to touch: only the note goes */
	REMOVE, /* the job is gone */
};

struct reaping {
	const struct node *node;
	bool dry_run;
	reap_pool_fn tell;
	void *arg;
	int count;
	struct tessera_error *err;
};

/*
 * A job that waits to be run again still lives: its prolog will deal with what is left, and if it is cancelled
 * before, it has ended.
 */
static enum fate fate_of(const struct reaping *r, uint32_t id)
{
	struct slurm_job job;
	int rc = slurm_job_load(id, r->node->name, &job, r->err);

	if (rc < 0)
		return UNKNOWN;
	if (slurm_job_gone(rc, &job))
		return REMOVE;
	return job.active && !job.here ? FORGET : LEAVE;
}

/* Remove a partition, and tell of it. Returns 0, or -1 with r->err: the next one is tried all the same. */
static int remove_partition(struct reaping *r, uint32_t job)
{
	char name[TESSERA_PARTITION_MAX];
	int rc = r->dry_run ? 0 : partition_remove(r->node, job, 0, r->err);

	tessera_vipu_partition_name(r->node->site, job, name, sizeof(name));
	if (rc < 0)
		return tessera_error_prefix(r->err, "partition %s of job %u, which is gone, stays", name, job);
	r->tell(job, name, r->arg);
	r->count++;
	return 0;
}

/* One job of which something is written down. Returns 0, -1 with r->err, or -2 if it is of no use to go on. */
static int reap_note(struct reaping *r, uint32_t job)
{
	struct tessera_error damaged = {0};
	struct tessera_holding h;
	enum fate fate = fate_of(r, job);
	bool partition;
	int rc;

	if (fate == UNKNOWN)
		return -2;
	if (fate == LEAVE)
		return 0;
	rc = tessera_holding_read(r->node->dir, job, &h, &damaged);
	/* Whoever wrote it was killed. */
	if (rc > 0)
		return r->dry_run ? 0 : tessera_holding_drop(r->node->dir, job, r->err);
	partition = rc < 0 ? r->node->site != NULL : h.owner && h.partition[0] != '\0';
	if (fate == REMOVE && partition) {
		if ((rc == 0 && partition_findable(r->node, &h, r->err) < 0) || remove_partition(r, job) < 0)
			return -1;
	} else {
		r->tell(job, NULL, r->arg);
		r->count++;
	}
	return r->dry_run ? 0 : tessera_holding_drop(r->node->dir, job, r->err);
}

static int reap_notes(struct reaping *r)
{
	uint32_t *jobs = NULL;
	int count = tessera_holding_jobs(r->node->dir, &jobs, r->err), worst = count < 0 ? -1 : 0;

	for (int i = 0; i < count && worst != -2; i++) {
		int rc = reap_note(r, jobs[i]);

		worst = rc < worst ? rc : worst;
	}
	free(jobs);
	return worst;
}

/* Partitions that nobody here wrote down: their node is dead, or its notes are lost. */
static int reap_strays(struct reaping *r)
{
	uint32_t *jobs = NULL;
	int count = partition_jobs(r->node, &jobs, r->err), worst = count < 0 ? -1 : 0;

	for (int i = 0; i < count && worst != -2; i++) {
		enum fate fate = LEAVE;

		/* What is written down was dealt with. */
		if (!tessera_holding_exists(r->node->dir, jobs[i]))
			fate = fate_of(r, jobs[i]);
		if (fate == UNKNOWN)
			worst = -2;
		else if (fate == REMOVE && remove_partition(r, jobs[i]) < 0)
			worst = -1;
	}
	free(jobs);
	return worst;
}

int reap_pools(const struct node *node, bool dry_run, reap_pool_fn tell, void *arg, struct tessera_error *err)
{
	struct reaping r = {.node = node, .dry_run = dry_run, .tell = tell, .arg = arg, .err = err};
	int rc = reap_notes(&r);

	/* The vendor's program has no list that could be read. */
	if (rc == 0 && node->site != NULL && node->site->backend == TESSERA_VIPU_GRPC)
		rc = reap_strays(&r);
	return rc < 0 ? -1 : r.count;
}
