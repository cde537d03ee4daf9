/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "plugin/job_fate.h"
#include "plugin/partition.h"
#include "plugin/reap.h"

struct reaping {
	const struct node *node;
	bool dry_run;
	reap_pool_fn tell;
	void *arg;
	int count;
	struct tessera_error *err;
};

/* Remove a partition, and tell of it. Returns 0, or -1 with r->err: the next one is tried all the same. */
static int remove_partition(struct reaping *r, uint32_t job, const struct holding_job *seen)
{
	struct partition_terms terms = {0};
	char name[TESSERA_PARTITION_MAX];
	int rc = r->dry_run ? 0 : partition_remove(r->node, job, &terms, r->err);

	tessera_vipu_partition_name(r->node->site, job, name, sizeof(name));
	if (rc < 0)
		return tessera_error_prefix(r->err, "partition %s of job %u, which is %s, stays", name, job,
					    reap_job_word(seen->phase));
	r->tell(job, name, seen->phase, r->arg);
	r->count++;
	return 0;
}

/* SEEN: what was read of the job; NULL: nothing, or something damaged. What a later run wrote since stays. */
static int drop_note(const struct reaping *r, uint32_t job, const struct tessera_holding *seen)
{
	return r->dry_run || tessera_holding_swap(r->node->dir, job, seen, NULL, r->err) >= 0 ? 0 : -1;
}

/* Remove the partition of H, or only tell that what was written of it goes. Returns 0, or -1 with r->err. */
static int end_partition(struct reaping *r, const struct tessera_holding *h, const struct holding_job *seen,
			 bool remove)
{
	if (remove && h->partition[0] != '\0')
		return partition_findable(r->node, h, r->err) < 0 ? -1 : remove_partition(r, h->job, seen);
	r->tell(h->job, NULL, seen->phase, r->arg);
	r->count++;
	return 0;
}

/* One job of which something is written down. Returns 0, -1 with r->err, or -2 if it is of no use to go on. */
static int reap_note(struct reaping *r, uint32_t job)
{
	struct tessera_error damaged = {0};
	struct holding_job seen;
	struct tessera_holding h;
	/* Before slurmctld is queried: what a later run of the job writes meanwhile is not what goes. */
	int rc = tessera_holding_read(r->node->dir, job, &h, &damaged);
	enum holding_fate fate;

	if (rc < 0 && r->node->site != NULL)
		partition_assume(r->node, job, &h);
	fate = job_fate(r->node, job, rc > 0 ? NULL : &h, HOLDING_REAP, &seen, r->err);
	if (fate == HOLDING_KEEP)
		return -2;
	if (fate == HOLDING_STAY)
		return 0;
	/* Whoever wrote it was killed, if rc is 1. */
	if (rc <= 0 && end_partition(r, &h, &seen, fate == HOLDING_REMOVE) < 0)
		return -1;
	return drop_note(r, job, rc == 0 ? &h : NULL);
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
		enum holding_fate fate = HOLDING_STAY;
		struct holding_job seen;

		/* What is written down was dealt with. */
		if (!tessera_holding_exists(r->node->dir, jobs[i]))
			fate = job_fate(r->node, jobs[i], NULL, HOLDING_REAP, &seen, r->err);
		if (fate == HOLDING_KEEP)
			worst = -2;
		else if (fate == HOLDING_REMOVE && remove_partition(r, jobs[i], &seen) < 0)
			worst = -1;
	}
	free(jobs);
	return worst;
}

const char *reap_job_word(enum holding_phase phase)
{
	return phase == HOLDING_JOB_QUEUED ? "queued again" : phase == HOLDING_JOB_ENDING ? "ending" : "gone";
}

int reap_pools(const struct node *node, bool dry_run, reap_pool_fn tell, void *arg, struct tessera_error *err)
{
	struct reaping r = {.node = node, .dry_run = dry_run, .tell = tell, .arg = arg, .err = err};
	struct tessera_error second = {0};
	int rc = reap_notes(&r);

	/* A note that stays must not save other partitions, and its error is the one to report. */
	if (rc < 0)
		r.err = &second;
	if (rc != -2 && !dry_run)
		reap_failures(node);
	/* The vendor's program has no list that could be read. */
	if (rc != -2 && node->site != NULL && node->site->backend == TESSERA_VIPU_GRPC && reap_strays(&r) < 0)
		rc = -1;
	return rc < 0 ? -1 : r.count;
}
