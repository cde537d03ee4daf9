/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gres/cluster_name.h"
#include "gres/comment.h"
#include "gres/patience.h"
#include "plugin/slurm_compat.h"

struct comments {
	void *connection;
	char *cluster;
};

/* A condition that one job fulfils, and what it points to. Slurm's lists have another type in each release: void * fits. */
struct condition {
	slurmdb_job_cond_t cond;
	slurm_selected_step_t job;
};

static int no_answer(const char *what, struct tessera_error *err)
{
	int reason = errno;

	return tessera_error_set(err, reason == ESLURM_ACCESS_DENIED ? TESSERA_ERR_DENIED : TESSERA_ERR_MISSING,
				 "slurmdbd does not %s (%s): what was used is kept here until it does", what,
				 reason != 0 ? slurm_strerror(reason) : "no reason given");
}

struct comments *comments_open(struct tessera_error *err)
{
	struct comments *comments = calloc(1, sizeof(*comments));
	uint16_t flags = 0;

	if (comments == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	comments->cluster = cluster_name(err);
	if (comments->cluster == NULL)
		goto failed;
	errno = 0;
	patience_ask();
	comments->connection = slurmdb_connection_get(&flags);
	patience_over();
	if (comments->connection == NULL) {
		no_answer("answer", err);
		goto failed;
	}
	return comments;
failed:
	comments_close(comments);
	return NULL;
}

void comments_close(struct comments *comments)
{
	if (comments == NULL)
		return;
	if (comments->connection != NULL)
		slurmdb_connection_close(&comments->connection);
	free(comments->cluster);
	free(comments);
}

static void condition_make(struct condition *c, struct comments *comments, uint32_t number, uint32_t task,
			   uint32_t component)
{
	memset(c, 0, sizeof(*c));
	c->job.step_id.job_id = number;
	c->job.step_id.step_id = NO_VAL;
	c->job.step_id.step_het_comp = NO_VAL;
	c->job.array_task_id = task;
	c->job.het_job_offset = component;
	c->cond.db_flags = SLURMDB_JOB_FLAG_NOTSET;
	/* The last run only, whenever that was. */
	c->cond.flags = JOBCOND_FLAG_NO_STEP | JOBCOND_FLAG_NO_DEFAULT_USAGE;
	c->cond.cluster_list = slurm_list_create(NULL);
	slurm_list_append(c->cond.cluster_list, comments->cluster);
	c->cond.step_list = slurm_list_create(NULL);
	slurm_list_append(c->cond.step_list, &c->job);
}

static void condition_free(struct condition *c)
{
	slurm_list_destroy(c->cond.cluster_list);
	slurm_list_destroy(c->cond.step_list);
}

/* Take what is needed of a record. Returns 0, or -1 when out of memory. */
static int take(const slurmdb_job_rec_t *rec, struct comment *comment)
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
	if (rec->admin_comment != NULL)
		comment->text = strdup(rec->admin_comment);
	return rec->admin_comment == NULL || comment->text != NULL ? 0 : -1;
}

int comment_read(struct comments *comments, uint32_t job, struct comment *comment, struct tessera_error *err)
{
	const slurmdb_job_rec_t *rec;
	struct condition c;
	void *list, *walk;
	int rc = 1;

	/* A connection sees what there was when it first looked, until it ends what it began. */
	patience_ask();
	slurmdb_connection_commit(comments->connection, false);
	patience_over();
	condition_make(&c, comments, job, NO_VAL, NO_VAL);
	errno = 0;
	patience_ask();
	list = slurmdb_jobs_get(comments->connection, &c.cond);
	patience_over();
	condition_free(&c);
	if (list == NULL)
		return no_answer("answer", err);
	walk = slurm_list_iterator_create(list);
	/* The number of an array or of its last task, or of a het job, brings its relatives along. */
	while (rc == 1 && (rec = slurm_list_next(walk)) != NULL)
		if (rec->jobid == job)
			rc = take(rec, comment);
	slurm_list_iterator_destroy(walk);
	slurm_list_destroy(list);
	return rc < 0 ? tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory") : rc;
}

int comment_write(struct comments *comments, const struct comment *comment, const char *text,
		  struct tessera_error *err)
{
	slurmdb_job_rec_t rec;
	struct condition c;
	void *changed;
	int count, rc;

	memset(&rec, 0, sizeof(rec));
	rec.derived_ec = NO_VAL;
	rec.admin_comment = slurm_xstrdup(text);
	condition_make(&c, comments, comment->number, comment->task, comment->component);
	errno = 0;
	patience_ask();
	changed = slurmdb_job_modify(comments->connection, &c.cond, &rec);
	patience_over();
	condition_free(&c);
	slurm_xfree((void **)&rec.admin_comment);
	if (changed == NULL)
		return no_answer("take a job's AdminComment", err);
	count = slurm_list_count(changed);
	slurm_list_destroy(changed);
	/* More than one would be somebody else's comments. */
	patience_ask();
	if (count != 1) {
		slurmdb_connection_commit(comments->connection, false);
		patience_over();
		return tessera_error_set(
			err, TESSERA_ERR_MISSING,
			"slurmdbd would have changed %d jobs where one was meant (%u): nothing was "
			"changed",
			count, comment->number);
	}
	rc = slurmdb_connection_commit(comments->connection, true);
	patience_over();
	return rc == SLURM_SUCCESS ? 0 : no_answer("keep a job's AdminComment", err);
}
