/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gres/comment.h"
#include "gres/deliver.h"
#include "lib/holding.h"
#include "lib/summary.h"
#include "plugin/slurm_job.h"

#define TRIES     4
#define KEEP_LONG (7 * 24 * 3600) /* a job that slurmdbd does not know for so long it will never know */

/* One delivery: the node, and slurmdbd as soon as it is needed. */
struct delivery {
	const struct node *node;
	struct comments *comments;
	bool in_vain; /* slurmctld or slurmdbd gives no answer */
	deliver_fn tell;
	void *arg;
};

/* What slurmctld says of a job that the node has a note of. */
enum stage { STAGE_UNKNOWN = -1, STAGE_HERE = 0, STAGE_ENDED = 1, STAGE_RUN_AGAIN = 2 };

/* Has the job left the node, and ended? What the node itself knows is asked first: slurmctld is busy. */
static enum stage stage_of(const struct node *node, const struct tessera_used *used, struct tessera_error *err)
{
	struct slurm_job info;
	int rc;

	if (used->ended)
		return STAGE_ENDED;
	if (tessera_ledger_mentions(node->dir, used->job) || tessera_holding_exists(node->dir, used->job))
		return STAGE_HERE;
	rc = slurm_job_load(used->job, node->name, &info, err);
	if (rc < 0)
		return STAGE_UNKNOWN;
	if (rc == 0 && !info.ended)
		return STAGE_HERE;
	/* Seconds alone do not tell two runs apart, and nobody counted the runs of a job that holds nothing here. */
	return rc == 0 && info.restarts != used->restarts && used->last <= info.start ? STAGE_RUN_AGAIN
										      : STAGE_ENDED;
}

/* Is what the node knows already there? */
static bool is_merged(const struct comment *comment, const char *merged)
{
	return comment->text != NULL && strcmp(comment->text, merged) == 0;
}

/*
 * Once: read, merge, write. Returns what became of it; 0 if it was written and shall be looked at again.
 * Two nodes may have read the same text: the later one's writing then is without the earlier one's.
 */
static int try(struct delivery *d, const struct tessera_used *used, bool written, struct tessera_error *err)
{
	struct comment comment = {0};
	char *merged = NULL;
	int what = DELIVER_FAILED;
	int rc = comment_read(d->comments, used->job, &comment, err);

	if (rc < 0)
		return DELIVER_FAILED;
	/* slurmctld tells of starts and ends in its own time, and each may bring an AdminComment with it. */
	if (rc == 1 || comment.end == 0 || comment.nodes == 0) {
		what = time(NULL) - used->last > KEEP_LONG ? DELIVER_LOST : DELIVER_LATER;
		goto cleanup;
	}
	/* It started after we last saw it: that is another run, on other nodes. */
	if (used->last < comment.start) {
		what = DELIVER_LOST;
		goto cleanup;
	}
	merged = tessera_summary_merge(comment.text, d->node->name, used, err);
	if (merged == NULL)
		goto cleanup;
	if (is_merged(&comment, merged))
		what = written && comment.nodes > 1 ? DELIVER_WRITTEN : DELIVER_DONE;
	else if (comment_write(d->comments, &comment, merged, err) == 0)
		what = 0;
cleanup:
	free(merged);
	free(comment.text);
	return what;
}

static enum deliver_what deliver(struct delivery *d, const struct tessera_used *used, struct tessera_error *err)
{
	int what = 0;

	if (d->comments == NULL)
		d->comments = comments_open(err);
	d->in_vain = d->comments == NULL;
	if (d->in_vain)
		return DELIVER_FAILED;
	for (int n = 0; n < TRIES && what == 0; n++)
		what = try(d, used, n > 0, err);
	if (what == 0) {
		tessera_error_set(err, TESSERA_ERR_MISSING,
				  "the AdminComment of job %u does not stay as it is written: tried again with the "
				  "next sample",
				  used->job);
		what = DELIVER_FAILED;
	}
	return (enum deliver_what)what;
}

/* Returns 0, or -1 with ERR if there is no sense in going on. */
static int deliver_job(struct delivery *d, uint32_t job, struct tessera_error *err)
{
	struct tessera_used used;
	enum deliver_what what;
	enum stage stage;

	if (tessera_used_read(d->node->dir, job, &used, err) != 0)
		return -1;
	stage = stage_of(d->node, &used, err);
	d->in_vain = stage == STAGE_UNKNOWN;
	if (stage == STAGE_UNKNOWN || stage == STAGE_HERE)
		return stage == STAGE_HERE ? 0 : -1;
	if (stage == STAGE_ENDED && !used.ended) {
		used.ended = true;
		if (tessera_used_write(d->node->dir, &used, err) < 0)
			return -1;
	}
	what = stage == STAGE_ENDED ? deliver(d, &used, err) : DELIVER_LOST;
	if ((what == DELIVER_DONE || what == DELIVER_LOST) && tessera_used_drop(d->node->dir, job, err) < 0)
		what = DELIVER_FAILED;
	d->tell(&used, what, err, d->arg);
	return what == DELIVER_FAILED ? -1 : 0;
}

int deliver_ended(const struct node *node, deliver_fn tell, void *arg, struct tessera_error *err)
{
	struct delivery d = {.node = node, .tell = tell, .arg = arg};
	uint32_t *jobs = NULL;
	int count = tessera_used_jobs(node->dir, &jobs, err), rc = count < 0 ? -1 : 0;

	for (int i = 0; i < count; i++) {
		struct tessera_error one = {0};

		/* Job 0 is nobody's: it stays. One note that cannot be delivered does not keep others back. */
		if (jobs[i] == 0 || deliver_job(&d, jobs[i], &one) == 0)
			continue;
		if (rc == 0)
			*err = one;
		rc = -1;
		/* But if nobody is there to take them, each would cost a time-out. */
		if (d.in_vain)
			break;
	}
	comments_close(d.comments);
	free(jobs);
	return rc;
}
