/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gres/accounting/admin_comment.h"
#include "gres/accounting/deliver.h"
#include "gres/accounting/turn.h"
#include "lib/account/usage_summary.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/job_info.h"
#include "lib/state/job_record.h"

#define TRIES  4
#define KEEP_S (7 * 24 * 3600) /* slurmdbd will not hear of a job later than this */

struct delivery {
	const struct node *node;
	struct admin_comments *comments; /* NULL until it is needed */
	bool no_answer;                  /* from slurmctld or slurmdbd */
	deliver_fn report;
	void *arg;
};

/* A job that the node has a sample record of. */
enum stage { STAGE_UNKNOWN = -1, STAGE_HERE = 0, STAGE_ENDED = 1, STAGE_RUN_AGAIN = 2 };

/* Looks at the node's own files first, to spare slurmctld a query. */
static enum stage find_stage(const struct node *node, const struct tessera_sample_record *used,
			     struct tessera_error *err)
{
	struct job_alloc info;
	int rc;

	if (used->ended)
		return STAGE_ENDED;
	if (tessera_ledger_may_have_job(node->dir, used->job) ||
	    tessera_job_record_exists(node->dir, used->job))
		return STAGE_HERE;
	rc = job_info_load(used->job, node->name, &info, err);
	if (rc < 0)
		return STAGE_UNKNOWN;
	if (rc == 0 && !info.ended)
		return STAGE_HERE;
	/*
	 * Both are needed: two runs may share a second, and the restart count is not known of a job
	 * that held nothing on this node.
	 */
	return rc == 0 && info.restarts != used->restarts && used->last <= info.start
		       ? STAGE_RUN_AGAIN
		       : STAGE_ENDED;
}

/* Does the comment already have this node's summary? */
static bool is_merged(const struct comment *comment, const char *merged)
{
	return comment->text != NULL && strcmp(comment->text, merged) == 0;
}

/* Set HAS_PART, one for each node of LIST, which is emptied. Returns our index, or -1. */
static int find_parts(const char *text, tessera_slurm_hostlist list, const char *ours,
		      bool *has_part)
{
	int self = slurm_hostlist_find(list, ours);
	char *name;

	for (size_t n = 0; (name = slurm_hostlist_shift(list)) != NULL; n++) {
		has_part[n] = tessera_usage_summary_has(text, name);
		free(name);
	}
	return self;
}

/*
 * Is it the turn of NODE to write? Returns 1 or 0; or -1 if it is not a node of the run that
 * slurmdbd has, or out of memory.
 */
static int check_turn(const struct comment *comment, const char *node)
{
	tessera_slurm_hostlist list =
		comment->node_list != NULL ? slurm_hostlist_create(comment->node_list) : NULL;
	int count = list != NULL ? slurm_hostlist_count(list) : 0, self = -1;
	bool *has_part = count > 0 ? calloc((size_t)count, sizeof(*has_part)) : NULL;

	if (has_part != NULL)
		self = find_parts(comment->text, list, node, has_part);
	if (self >= 0)
		self = turn_allows(time(NULL) - comment->end, has_part, (size_t)count,
				   (size_t)self);
	free(has_part);
	if (list != NULL)
		slurm_hostlist_destroy(list);
	return self;
}

/* What to do with a record that slurmdbd cannot take now. */
static enum deliver_what keep_a_while(const struct tessera_sample_record *used)
{
	return time(NULL) - used->last > KEEP_S ? DELIVER_LOST : DELIVER_LATER;
}

/*
 * Write MERGED if it is our turn. Returns an enum deliver_what, or 0 if it was written.
 */
static int write_in_turn(struct delivery *d, const struct tessera_sample_record *used,
			 const struct comment *comment, const char *merged,
			 struct tessera_error *err)
{
	int turn = check_turn(comment, d->node->name);

	if (turn < 0)
		return keep_a_while(used);
	if (turn == 0)
		return DELIVER_LATER;
	return admin_comment_write(d->comments, comment, merged, err) == 0 ? 0 : DELIVER_FAILED;
}

/*
 * Read, merge and write once. Returns an enum deliver_what; or 0 if it was written and must be
 * verified: a writer that takes no turns may have read the same text, and the later write lacks the
 * earlier one.
 */
static int merge_once(struct delivery *d, const struct tessera_sample_record *used, bool written,
		      struct tessera_error *err)
{
	struct comment comment = {0};
	char *merged = NULL;
	int what = DELIVER_FAILED;
	int rc = admin_comment_read(d->comments, used->job, &comment, err);

	if (rc < 0)
		return DELIVER_FAILED;
	/* slurmctld reports starts and ends late, and each report may replace the AdminComment. */
	if (rc == 1 || comment.end == 0 || comment.nodes == 0) {
		what = keep_a_while(used);
		goto cleanup;
	}
	/* It started after the last sample: that is a later run, on other nodes. */
	if (used->last < comment.start) {
		what = DELIVER_LOST;
		goto cleanup;
	}
	merged = tessera_usage_summary_merge(comment.text, d->node->name, used, err);
	if (merged == NULL)
		goto cleanup;
	if (is_merged(&comment, merged))
		what = written && comment.nodes > 1 ? DELIVER_WRITTEN : DELIVER_DONE;
	else
		what = write_in_turn(d, used, &comment, merged, err);
cleanup:
	free(merged);
	admin_comment_free(&comment);
	return what;
}

static enum deliver_what deliver_record(struct delivery *d,
					const struct tessera_sample_record *used,
					struct tessera_error *err)
{
	int what = 0;

	if (d->comments == NULL)
		d->comments = admin_comments_open(err);
	d->no_answer = d->comments == NULL;
	if (d->no_answer)
		return DELIVER_FAILED;
	for (int n = 0; n < TRIES && what == 0; n++)
		what = merge_once(d, used, n > 0, err);
	if (what == 0) {
		tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				  "the AdminComment of job %u keeps changing; the next sample "
				  "tries again",
				  used->job);
		what = DELIVER_FAILED;
	}
	return (enum deliver_what)what;
}

/* Returns 0, or -1 with ERR. */
static int deliver_job(struct delivery *d, uint32_t job, struct tessera_error *err)
{
	struct tessera_sample_record used;
	enum deliver_what what;
	enum stage stage;

	if (tessera_sample_record_read(d->node->dir, job, &used, err) != 0)
		return -1;
	stage = find_stage(d->node, &used, err);
	d->no_answer = stage == STAGE_UNKNOWN;
	if (stage == STAGE_UNKNOWN || stage == STAGE_HERE)
		return stage == STAGE_HERE ? 0 : -1;
	if (stage == STAGE_ENDED && !used.ended) {
		used.ended = true;
		if (tessera_sample_record_write(d->node->dir, &used, err) < 0)
			return -1;
	}
	what = stage == STAGE_ENDED ? deliver_record(d, &used, err) : DELIVER_LOST;
	if ((what == DELIVER_DONE || what == DELIVER_LOST) &&
	    tessera_sample_record_drop(d->node->dir, job, err) < 0)
		what = DELIVER_FAILED;
	d->report(&used, what, err, d->arg);
	return what == DELIVER_FAILED ? -1 : 0;
}

int deliver_ended(const struct node *node, deliver_fn report, void *arg, struct tessera_error *err)
{
	struct delivery d = {.node = node, .report = report, .arg = arg};
	uint32_t *jobs = NULL;
	int count = tessera_sample_record_jobs(node->dir, &jobs, err), rc = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++) {
		struct tessera_error one = {0};

		/* Job 0 is use outside any job, and stays. A failure does not stop the rest. */
		if (jobs[i] == 0 || deliver_job(&d, jobs[i], &one) == 0)
			continue;
		if (rc == 0)
			*err = one;
		rc = -1;
		/* Unless there was no answer: the next query would time out as well. */
		if (d.no_answer)
			break;
	}
	admin_comments_close(d.comments);
	free(jobs);
	return rc;
}
