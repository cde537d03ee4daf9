/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "lib/node/partition_fate.h"
#include "lib/node/reap.h"
#include "lib/node/vipu_partition.h"

struct reaping {
	const struct node *node;
	bool dry_run;
	reap_pool_fn report;
	void *arg;
	int count; /* removed so far */
	struct tessera_error *err;
};

/* Remove the partition of JOB, and report it. Returns 0, or -1 with r->err. */
static int remove_partition(struct reaping *r, uint32_t job, const struct job_record_job *seen)
{
	struct partition_terms terms = {0};
	char name[TESSERA_PARTITION_MAX];
	int rc = r->dry_run ? 0 : partition_remove(r->node, job, &terms, r->err);

	tessera_vipu_partition_name(r->node->site, job, name, sizeof(name));
	if (rc < 0)
		return tessera_error_prefix(r->err, "partition %s of job %u (%s) not removed", name,
					    job, reap_job_word(seen->phase));
	r->report(job, name, seen->phase, r->arg);
	r->count++;
	return 0;
}

/*
 * Drop the job record, unless a later run has written a new one since. READ: the record that was
 * read; NULL: it is missing or damaged.
 */
static int drop_record(const struct reaping *r, uint32_t job, const struct tessera_job_record *read)
{
	return r->dry_run || tessera_job_record_swap(r->node->dir, job, read, NULL, r->err) >= 0
		       ? 0
		       : -1;
}

/*
 * Remove the partition of H; without REMOVE, or if it has none, only report that the record goes.
 * Returns 0, or -1 with r->err.
 */
static int remove_or_report(struct reaping *r, const struct tessera_job_record *h,
			    const struct job_record_job *seen, bool remove)
{
	if (remove && h->partition[0] != '\0')
		return partition_findable(r->node, h, r->err) < 0
			       ? -1
			       : remove_partition(r, h->job, seen);
	r->report(h->job, NULL, seen->phase, r->arg);
	r->count++;
	return 0;
}

/*
 * Reap a job that has a record. Returns 0, -1 with r->err, or -2 if slurmctld does not answer, so
 * that the next jobs need not be tried.
 */
static int reap_record(struct reaping *r, uint32_t job)
{
	struct tessera_error damaged = {0};
	struct job_record_job seen;
	struct tessera_job_record h;
	/* Before the query to slurmctld: a record that a later run writes meanwhile must stay. */
	int rc = tessera_job_record_read(r->node->dir, job, &h, &damaged);
	enum job_record_fate fate;

	if (rc < 0 && r->node->site != NULL)
		partition_assume(r->node, job, &h);
	fate = partition_fate(r->node, job, rc > 0 ? NULL : &h, JOB_RECORD_REAP, &seen, r->err);
	if (fate == JOB_RECORD_KEEP)
		return -2;
	if (fate == JOB_RECORD_STAY)
		return 0;
	/* With rc 1 only a temporary file is left: its writer was killed. */
	if (rc <= 0 && remove_or_report(r, &h, &seen, fate == JOB_RECORD_REMOVE) < 0)
		return -1;
	return drop_record(r, job, rc == 0 ? &h : NULL);
}

static int reap_records(struct reaping *r)
{
	uint32_t *jobs = NULL;
	int count = tessera_job_record_jobs(r->node->dir, &jobs, r->err),
	    worst = count < 0 ? -1 : 0;

	for (int i = 0; i < count && worst != -2; i++) {
		int rc = reap_record(r, jobs[i]);

		worst = rc < worst ? rc : worst;
	}
	free(jobs);
	return worst;
}

/* Partitions without a record on this node: their node is down, or its records are lost. */
static int reap_strays(struct reaping *r)
{
	uint32_t *jobs = NULL;
	int count = partition_jobs(r->node, &jobs, r->err), worst = count < 0 ? -1 : 0;

	for (int i = 0; i < count && worst != -2; i++) {
		enum job_record_fate fate = JOB_RECORD_STAY;
		struct job_record_job seen;

		/* reap_records() handled jobs with a record. */
		if (!tessera_job_record_exists(r->node->dir, jobs[i]))
			fate = partition_fate(r->node, jobs[i], NULL, JOB_RECORD_REAP, &seen,
					      r->err);
		if (fate == JOB_RECORD_KEEP)
			worst = -2;
		else if (fate == JOB_RECORD_REMOVE && remove_partition(r, jobs[i], &seen) < 0)
			worst = -1;
	}
	free(jobs);
	return worst;
}

const char *reap_job_word(enum job_record_phase phase)
{
	return phase == JOB_RECORD_JOB_QUEUED   ? "queued again"
	       : phase == JOB_RECORD_JOB_ENDING ? "ending"
						: "gone";
}

int reap_pools(const struct node *node, bool dry_run, reap_pool_fn report, void *arg,
	       struct tessera_error *err)
{
	struct reaping r = {
		.node = node, .dry_run = dry_run, .report = report, .arg = arg, .err = err};
	struct tessera_error second = {0};
	int rc = reap_records(&r);

	/* A record that stays does not stop the rest, and its error is the one to return. */
	if (rc < 0)
		r.err = &second;
	if (rc != -2 && !dry_run)
		reap_failures(node);
	if (rc != -2 && node->site != NULL && reap_strays(&r) < 0)
		rc = -1;
	return rc < 0 ? -1 : r.count;
}
