/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gres/accounting/admin_comment.h"
#include "gres/accounting/dbd_timeout.h"
#include "lib/slurm/cluster_name.h"
#include "lib/slurm/compat.h"

struct admin_comments {
	void *connection;
	char *cluster;
};

/* A condition that selects one job, and what it points to. */
struct condition {
	slurmdb_job_cond_t cond;
	slurm_selected_step_t job;
};

static int set_dbd_error(const char *what, struct tessera_error *err)
{
	int reason = errno;

	return tessera_error_set(
		err, reason == ESLURM_ACCESS_DENIED ? TESSERA_ERR_DENIED : TESSERA_ERR_UNAVAILABLE,
		"slurmdbd does not %s (%s): the usage stays on this node until it does", what,
		reason != 0 ? slurm_strerror(reason) : "no reason given");
}

struct admin_comments *admin_comments_open(struct tessera_error *err)
{
	struct admin_comments *comments = calloc(1, sizeof(*comments));
	uint16_t flags = 0;

	if (comments == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	comments->cluster = cluster_name(err);
	if (comments->cluster == NULL)
		goto failed;
	errno = 0;
	dbd_timeout_start();
	comments->connection = slurmdb_connection_get(&flags);
	dbd_timeout_stop();
	if (comments->connection == NULL) {
		set_dbd_error("answer", err);
		goto failed;
	}
	return comments;
failed:
	admin_comments_close(comments);
	return NULL;
}

void admin_comments_close(struct admin_comments *comments)
{
	if (comments == NULL)
		return;
	if (comments->connection != NULL)
		slurmdb_connection_close(&comments->connection);
	free(comments->cluster);
	free(comments);
}

static void make_condition(struct condition *c, struct admin_comments *comments, uint32_t number,
			   uint32_t task, uint32_t component)
{
	memset(c, 0, sizeof(*c));
	c->job.step_id.job_id = number;
	c->job.step_id.step_id = NO_VAL;
	c->job.step_id.step_het_comp = NO_VAL;
	c->job.array_task_id = task;
	c->job.het_job_offset = component;
	c->cond.db_flags = SLURMDB_JOB_FLAG_NOTSET;
	/* The last run only, at any time. */
	c->cond.flags = JOBCOND_FLAG_NO_STEP | JOBCOND_FLAG_NO_DEFAULT_USAGE;
	c->cond.cluster_list = slurm_list_create(NULL);
	slurm_list_append(c->cond.cluster_list, comments->cluster);
	c->cond.step_list = slurm_list_create(NULL);
	slurm_list_append(c->cond.step_list, &c->job);
}

static void free_condition(struct condition *c)
{
	slurm_list_destroy(c->cond.cluster_list);
	slurm_list_destroy(c->cond.step_list);
}

void admin_comment_free(struct comment *comment)
{
	free(comment->text);
	free(comment->node_list);
	*comment = (struct comment){0};
}

static int copy_text(const char *from, char **to)
{
	*to = from != NULL ? strdup(from) : NULL;
	return from == NULL || *to != NULL ? 0 : -1;
}

/* Returns 0, or -1 when out of memory. */
static int copy_record(const slurmdb_job_rec_t *rec, struct comment *comment)
{
	*comment = (struct comment){
		.start = rec->start,
		.end = rec->end,
		.nodes = rec->alloc_nodes,
		.number = rec->jobid,
		.task = NO_VAL,
		.component = NO_VAL,
	};
	if (rec->array_job_id != 0 && rec->array_task_id != NO_VAL) {
		comment->number = rec->array_job_id;
		comment->task = rec->array_task_id;
	} else if (rec->het_job_id != 0 && rec->het_job_offset != NO_VAL) {
		comment->number = rec->het_job_id;
		comment->component = rec->het_job_offset;
	}
	if (copy_text(rec->admin_comment, &comment->text) < 0 ||
	    copy_text(rec->nodes, &comment->node_list) < 0) {
		admin_comment_free(comment);
		return -1;
	}
	return 0;
}

/*
 * Within a transaction, the connection sees the data of its first query, and with
 * innodb_snapshot_isolation MariaDB refuses to update what others have changed since then, which
 * ends slurmdbd.
 */
static void start_transaction(struct admin_comments *comments)
{
	dbd_timeout_start();
	slurmdb_connection_commit(comments->connection, false);
	dbd_timeout_stop();
}

int admin_comment_read(struct admin_comments *comments, uint32_t job, struct comment *comment,
		       struct tessera_error *err)
{
	const slurmdb_job_rec_t *rec;
	struct condition c;
	void *list, *walk;
	int rc = 1;

	start_transaction(comments);
	make_condition(&c, comments, job, NO_VAL, NO_VAL);
	errno = 0;
	dbd_timeout_start();
	list = slurmdb_jobs_get(comments->connection, &c.cond);
	dbd_timeout_stop();
	free_condition(&c);
	if (list == NULL)
		return set_dbd_error("answer", err);
	walk = slurm_list_iterator_create(list);
	/* The job ID of an array, its last task or a het job also selects the other parts. */
	while (rc == 1 && (rec = slurm_list_next(walk)) != NULL)
		if (rec->jobid == job)
			rc = copy_record(rec, comment);
	slurm_list_iterator_destroy(walk);
	slurm_list_destroy(list);
	return rc < 0 ? tessera_error_nomem(err) : rc;
}

int admin_comment_write(struct admin_comments *comments, const struct comment *comment,
			const char *text, struct tessera_error *err)
{
	slurmdb_job_rec_t rec;
	struct condition c;
	void *changed;
	int count, rc;

	memset(&rec, 0, sizeof(rec));
	rec.derived_ec = NO_VAL;
	rec.admin_comment = slurm_xstrdup(text);
	/* slurmctld or an administrator may have changed the job since we read the comment. */
	start_transaction(comments);
	make_condition(&c, comments, comment->number, comment->task, comment->component);
	errno = 0;
	dbd_timeout_start();
	changed = slurmdb_job_modify(comments->connection, &c.cond, &rec);
	dbd_timeout_stop();
	free_condition(&c);
	slurm_xfree((void **)&rec.admin_comment);
	if (changed == NULL)
		return set_dbd_error("accept a job's AdminComment", err);
	count = slurm_list_count(changed);
	slurm_list_destroy(changed);
	/* More than one would overwrite comments of other jobs. */
	dbd_timeout_start();
	if (count != 1) {
		slurmdb_connection_commit(comments->connection, false);
		dbd_timeout_stop();
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"slurmdbd selected %d jobs for job %u instead of one: nothing was changed",
			count, comment->number);
	}
	rc = slurmdb_connection_commit(comments->connection, true);
	dbd_timeout_stop();
	return rc == SLURM_SUCCESS ? 0 : set_dbd_error("commit a job's AdminComment", err);
}
