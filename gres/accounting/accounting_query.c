/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A query in slurmdbd's terms: users by uid, jobs by job ID, task and component. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/accounting/accounting_internal.h"
#include "lib/slurm/cluster_name.h"
#include "lib/util/array.h"

/* Append a copy of TEXT, which the condition owns, to *LIST, which is created if it is NULL. */
static int append_text(struct accounting_condition *condition, void **list, const char *text,
		       struct tessera_error *err)
{
	char **grown = array_grow(condition->texts, condition->text_count, sizeof(*grown));
	char *copy;

	if (grown == NULL)
		return tessera_error_nomem(err);
	condition->texts = grown;
	copy = strdup(text);
	if (copy == NULL)
		return tessera_error_nomem(err);
	grown[condition->text_count++] = copy;
	if (*list == NULL)
		*list = slurm_list_create(NULL);
	slurm_list_append(*list, copy);
	return 0;
}

static int append_name(struct accounting_condition *condition, void **list, const char *name,
		       struct tessera_error *err)
{
	return append_text(condition, list, name, err);
}

static int append_user(struct accounting_condition *condition, void **list, const char *name,
		       struct tessera_error *err)
{
	const struct passwd *entry;
	char number[16];

	if (name[strspn(name, "0123456789")] == '\0')
		return append_text(condition, list, name, err);
	entry = getpwnam(name);
	if (entry == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "no user '%s' on this machine: use a name that getent "
					 "passwd lists, or a uid",
					 name);
	snprintf(number, sizeof(number), "%u", entry->pw_uid);
	return append_text(condition, list, number, err);
}

/* Parse a number at *TEXT, and move *TEXT behind it. */
static bool parse_number(const char **text, uint32_t *value)
{
	unsigned long long read;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	read = strtoull(*text, &end, 10);
	if (errno != 0 || read >= NO_VAL)
		return false;
	*value = (uint32_t)read;
	*text = end;
	return true;
}

static int append_job(struct accounting_condition *condition, void **list, const char *name,
		      struct tessera_error *err)
{
	slurm_selected_step_t *job = &condition->jobs[condition->job_count++];
	const char *pos = name;
	bool valid;

	memset(job, 0, sizeof(*job));
	job->array_task_id = NO_VAL;
	job->het_job_offset = NO_VAL;
	job->step_id.step_id = NO_VAL;
	job->step_id.step_het_comp = NO_VAL;
	valid = parse_number(&pos, &job->step_id.job_id) && job->step_id.job_id > 0;
	if (valid && *pos == '_') {
		pos++;
		valid = parse_number(&pos, &job->array_task_id);
	} else if (valid && *pos == '+') {
		pos++;
		valid = parse_number(&pos, &job->het_job_offset);
	}
	if (!valid || *pos != '\0')
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "'%s' is not a job: 12, 12_3 for a task of an array, or "
					 "12+1 for a component",
					 name);
	if (*list == NULL)
		*list = slurm_list_create(NULL);
	slurm_list_append(*list, job);
	return 0;
}

/* Call APPEND for each part of TEXT, which is separated by commas and may be NULL. */
static int append_list(struct accounting_condition *condition, void **list, const char *text,
		       int (*append)(struct accounting_condition *, void **, const char *,
				     struct tessera_error *),
		       struct tessera_error *err)
{
	char *copy, *rest, *part;
	int rc = 0;

	if (text == NULL)
		return 0;
	copy = strdup(text);
	if (copy == NULL)
		return tessera_error_nomem(err);
	rest = copy;
	while (rc == 0 && (part = strsep(&rest, ",")) != NULL)
		rc = *part != '\0'
			     ? append(condition, list, part, err)
			     : tessera_error_set(err, TESSERA_ERR_INPUT,
						 "'%s' has an empty part between commas", text);
	free(copy);
	return rc;
}

/*
 * Every state of a record with an end time: for these slurmdbd compares the end time. A run that
 * was requeued, resized or revoked has the flag in place of the state.
 */
static int append_ended(struct accounting_condition *condition, struct tessera_error *err)
{
	static const uint32_t flags[] = {JOB_REQUEUE, JOB_RESIZING, JOB_REVOKED};
	char text[16];
	int rc = 0;

	for (uint32_t state = JOB_COMPLETE; rc == 0 && state < JOB_END; state++) {
		snprintf(text, sizeof(text), "%u", state);
		rc = append_text(condition, &condition->ended, text, err);
	}
	for (size_t n = 0; rc == 0 && n < sizeof(flags) / sizeof(*flags); n++) {
		snprintf(text, sizeof(text), "%u", flags[n]);
		rc = append_text(condition, &condition->ended, text, err);
	}
	return rc;
}

static size_t count_commas(const char *text)
{
	size_t count = 0;

	for (; text != NULL && *text != '\0'; text++)
		count += *text == ',';
	return count;
}

/* Without a cluster slurmdbd would return the jobs of all its clusters. */
static int append_cluster(struct accounting_condition *condition, void **list,
			  struct tessera_error *err)
{
	char *name = cluster_name(err);
	int rc = name != NULL ? append_text(condition, list, name, err) : -1;

	free(name);
	return rc;
}

int accounting_condition_make(struct accounting_condition *condition,
			      const struct accounting_query *query, struct tessera_error *err)
{
	slurmdb_job_cond_t *cond = &condition->cond;
	void *users = NULL, *accounts = NULL, *partitions = NULL, *jobs = NULL, *clusters = NULL;
	int rc = -1;

	memset(condition, 0, sizeof(*condition));
	cond->db_flags = SLURMDB_JOB_FLAG_NOTSET;
	/* Each run of a requeued job; times not truncated to the query's period. */
	cond->flags = JOBCOND_FLAG_DUP | JOBCOND_FLAG_NO_STEP | JOBCOND_FLAG_NO_TRUNC;
	/* Allocated at once, because the list points into this array. */
	condition->jobs = calloc(count_commas(query->jobs) + 1, sizeof(*condition->jobs));
	if (condition->jobs == NULL)
		return tessera_error_nomem(err);
	if (append_list(condition, &users, query->users, append_user, err) < 0)
		tessera_error_prefix(err, "--user");
	else if (append_list(condition, &accounts, query->accounts, append_name, err) < 0)
		tessera_error_prefix(err, "--account");
	else if (append_list(condition, &partitions, query->partitions, append_name, err) < 0)
		tessera_error_prefix(err, "--partition");
	else if (append_list(condition, &jobs, query->jobs, append_job, err) < 0)
		tessera_error_prefix(err, "--job");
	else if (append_cluster(condition, &clusters, err) == 0)
		rc = append_ended(condition, err);
	cond->cluster_list = clusters;
	cond->userid_list = users;
	cond->acct_list = accounts;
	cond->partition_list = partitions;
	cond->step_list = jobs;
	return rc;
}

static void destroy_list(void *list)
{
	if (list != NULL)
		slurm_list_destroy(list);
}

void accounting_condition_free(struct accounting_condition *condition)
{
	destroy_list(condition->cond.cluster_list);
	destroy_list(condition->cond.userid_list);
	destroy_list(condition->cond.acct_list);
	destroy_list(condition->cond.partition_list);
	destroy_list(condition->cond.step_list);
	destroy_list(condition->ended);
	for (size_t n = 0; n < condition->text_count; n++)
		free(condition->texts[n]);
	free(condition->texts);
	free(condition->jobs);
}
