/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/accounting_parts.h"
#include "lib/summary.h"
#include "lib/usage_tres.h"

/* How much is asked for at once: what brings between so many jobs, and so long at least. */
#define FEW_JOBS      10000
#define MANY_JOBS     40000
#define FIRST_SECONDS 86400
#define LEAST_SECONDS 60

struct accounting {
	const struct tessera_conf *conf;
	void *connection;
	struct usage_tres *tres;
	struct accounting_trouble trouble;
};

/* A record with what else is needed of its job while it is handed on. */
struct job {
	struct usage_record record;
	const slurmdb_job_rec_t *from;
	char name[64];
	char **nodes;
	size_t named; /* of them */
	size_t room;
};

/* What a call that came back empty-handed has left in errno. */
static int failed(int reason, struct tessera_error *err)
{
	if (reason == ESLURM_ACCESS_DENIED)
		return tessera_error_set(err, TESSERA_ERR_DENIED, "slurmdbd refuses: %s", slurm_strerror(reason));
	if (reason == ESLURM_DB_QUERY_TOO_WIDE)
		return tessera_error_set(
			err, TESSERA_ERR_DENIED,
			"slurmdbd refuses so long a time (MaxQueryTimeRange): ask for less with --start and "
			"--end");
	return tessera_error_set(err, TESSERA_ERR_MISSING,
				 "slurmdbd did not answer (%s): is it running, and does slurm.conf name it "
				 "(AccountingStorageHost)? sacctmgr show cluster tells",
				 reason != 0 ? slurm_strerror(reason) : "no reason given");
}

static int learn_tres(struct accounting *acc, struct tessera_error *err)
{
	slurmdb_tres_cond_t cond;
	slurmdb_tres_rec_t *tres;
	void *list, *walk;
	int rc = 0;

	memset(&cond, 0, sizeof(cond));
	cond.count = NO_VAL;
	/* A TRES that slurm.conf no longer lists is still in the records of old jobs. */
	cond.with_deleted = 1;
	errno = 0;
	list = slurmdb_tres_get(acc->connection, &cond);
	if (list == NULL)
		return failed(errno, err);
	walk = slurm_list_iterator_create(list);
	while (rc == 0 && (tres = slurm_list_next(walk)) != NULL)
		rc = usage_tres_learn(acc->tres, tres->id, tres->type, tres->name, err);
	slurm_list_iterator_destroy(walk);
	slurm_list_destroy(list);
	return rc;
}

struct accounting *accounting_open(const struct tessera_conf *conf, struct tessera_error *err)
{
	struct accounting *acc = calloc(1, sizeof(*acc));
	uint16_t flags = 0;

	if (acc == NULL || (acc->tres = usage_tres_new(conf)) == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		goto failure;
	}
	acc->conf = conf;
	errno = 0;
	acc->connection = slurmdb_connection_get(&flags);
	if (acc->connection == NULL) {
		failed(errno, err);
		goto failure;
	}
	if (learn_tres(acc, err) < 0)
		goto failure;
	return acc;
failure:
	accounting_close(acc);
	return NULL;
}

void accounting_close(struct accounting *acc)
{
	if (acc == NULL)
		return;
	if (acc->connection != NULL)
		slurmdb_connection_close(&acc->connection);
	usage_tres_free(acc->tres);
	free(acc);
}

const struct accounting_trouble *accounting_trouble(const struct accounting *acc)
{
	return &acc->trouble;
}

/* The job's number as sacct shows it. */
static void name_job(const slurmdb_job_rec_t *from, char *name, size_t len)
{
	if (from->array_job_id != 0 && from->array_task_id != NO_VAL)
		snprintf(name, len, "%u_%u", from->array_job_id, from->array_task_id);
	else if (from->het_job_id != 0 && from->het_job_offset != NO_VAL)
		snprintf(name, len, "%u+%u", from->het_job_id, from->het_job_offset);
	else
		snprintf(name, len, "%u", from->jobid);
}

static void note_trouble(struct accounting *acc, size_t *count, const char *job, const struct tessera_error *err)
{
	if (acc->trouble.comments + acc->trouble.tres == 0) {
		snprintf(acc->trouble.job, sizeof(acc->trouble.job), "%s", job);
		snprintf(acc->trouble.text, sizeof(acc->trouble.text), "%.250s", err->text);
	}
	(*count)++;
}

static void read_counts(struct accounting *acc, struct job *job)
{
	struct usage_held *counts = &job->record.counts;
	const struct tessera_platform *p = NULL;
	struct tessera_error err = {0};

	if (usage_tres_read(acc->tres, job->from->tres_alloc_str, counts, &err) < 0)
		note_trouble(acc, &acc->trouble.tres, job->name, &err);
	if (counts->rdus == 0 || counts->tiles != 0)
		return;
	if (job->from->partition != NULL && *job->from->partition != '\0')
		(void)tessera_conf_partition_platform(acc->conf, job->from->partition, &p, NULL);
	usage_tres_tiles(counts, p);
}

/* What samples saw. It is known when each of the job's nodes has said something. */
static void read_use(struct accounting *acc, struct job *job)
{
	struct usage_record *record = &job->record;
	struct tessera_summary summary;
	struct tessera_error err = {0};
	int found;

	record->used_tiles = record->used_ipus = record->outside = record->seen = TESSERA_UNKNOWN;
	if (job->from->admin_comment == NULL || *job->from->admin_comment == '\0')
		return;
	found = tessera_summary_read(job->from->admin_comment, &summary, &err);
	if (found < 0)
		note_trouble(acc, &acc->trouble.comments, job->name, &err);
	if (found != 0)
		return;
	record->outside = summary.outside_seconds;
	if (summary.nodes < job->from->alloc_nodes)
		return;
	record->used_tiles = summary.tile_seconds;
	record->used_ipus = summary.ipu_seconds;
	record->seen = summary.seen_seconds;
}

static void free_nodes(struct job *job)
{
	for (size_t n = 0; n < job->named; n++)
		free(job->nodes[n]);
	job->named = 0;
}

static int read_nodes(struct job *job, struct tessera_error *err)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(job->from->nodes);
	char *name;
	int rc = 0;

	if (list == NULL)
		return 0;
	while (rc == 0 && (name = slurm_hostlist_shift(list)) != NULL) {
		if (job->named == job->room) {
			size_t room = job->room * 2 + 16;
			char **grown = reallocarray(job->nodes, room, sizeof(*grown));

			if (grown == NULL) {
				rc = tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
				free(name);
				break;
			}
			job->nodes = grown;
			job->room = room;
		}
		job->nodes[job->named++] = name;
	}
	slurm_hostlist_destroy(list);
	job->record.nodes = (const char *const *)job->nodes;
	job->record.node_count = job->named;
	return rc;
}

/* Fill JOB from what slurmdbd said. */
static int read_job(struct accounting *acc, const slurmdb_job_rec_t *from, bool nodes, struct job *job,
		    struct tessera_error *err)
{
	job->from = from;
	name_job(from, job->name, sizeof(job->name));
	job->record = (struct usage_record){
		.user = from->user,
		.account = from->account,
		.job = job->name,
		.node_count = from->alloc_nodes,
		.eligible = from->eligible != 0 ? from->eligible : from->submit,
		.start = from->start,
		.end = from->end,
	};
	read_counts(acc, job);
	read_use(acc, job);
	return nodes ? read_nodes(job, err) : 0;
}

/*
 * Hand on what a piece of the time brought. A job that lasts is in several pieces: the one in which it starts has it, or
 * the first, if it started before.
 */
static int hand_on(struct accounting *acc, const struct accounting_query *query, void *list, time_t from, time_t to,
		   accounting_each each, void *arg, struct tessera_error *err)
{
	const slurmdb_job_rec_t *found;
	struct job job = {0};
	void *walk = slurm_list_iterator_create(list);
	int rc = 0;

	while (rc == 0 && (found = slurm_list_next(walk)) != NULL) {
		if (found->start == 0 || found->start >= to || (found->start < from && from != query->start))
			continue;
		rc = read_job(acc, found, query->nodes, &job, err);
		if (rc == 0)
			rc = each(&job.record, arg, err);
		free_nodes(&job);
	}
	slurm_list_iterator_destroy(walk);
	free(job.nodes);
	return rc;
}

/* An account that slurmdbd does not know is a slip of the pen, not an account without jobs. */
static int check_accounts(struct accounting *acc, const struct accounting_condition *condition,
			  struct tessera_error *err)
{
	slurmdb_account_cond_t cond;
	slurmdb_assoc_cond_t assoc;
	void *list, *walk, *one;
	char *name;
	int count, rc = 0;

	if (condition->cond.acct_list == NULL)
		return 0;
	memset(&cond, 0, sizeof(cond));
	memset(&assoc, 0, sizeof(assoc));
	cond.assoc_cond = &assoc;
	/* One that is no longer there may have had jobs. */
	cond.with_deleted = 1;
	walk = slurm_list_iterator_create(condition->cond.acct_list);
	while (rc == 0 && (name = slurm_list_next(walk)) != NULL) {
		one = slurm_list_create(NULL);
		slurm_list_append(one, name);
		assoc.acct_list = one;
		errno = 0;
		list = slurmdb_accounts_get(acc->connection, &cond);
		slurm_list_destroy(one);
		if (list == NULL) {
			rc = failed(errno, err);
			break;
		}
		count = slurm_list_count(list);
		slurm_list_destroy(list);
		if (count == 0)
			rc = tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"slurmdbd knows no account '%s', or does not show it to you: sacctmgr show account "
				"lists them",
				name);
	}
	slurm_list_iterator_destroy(walk);
	return rc;
}

int accounting_read(struct accounting *acc, const struct accounting_query *query, accounting_each each, void *arg,
		    struct tessera_error *err)
{
	struct accounting_condition condition;
	time_t from = query->start, to, step = query->jobs != NULL ? query->end - query->start : FIRST_SECONDS;
	int rc = accounting_condition_make(&condition, query, err);

	if (rc == 0)
		rc = check_accounts(acc, &condition, err);
	while (rc == 0 && from < query->end) {
		void *list;
		int count;

		to = query->end - from > step ? from + step : query->end;
		condition.cond.usage_start = from;
		condition.cond.usage_end = to;
		errno = 0;
		list = slurmdb_jobs_get(acc->connection, &condition.cond);
		if (list == NULL && errno == ESLURM_RESULT_TOO_LARGE && step > LEAST_SECONDS) {
			step /= 2;
			continue;
		}
		if (list == NULL) {
			rc = failed(errno, err);
			break;
		}
		count = slurm_list_count(list);
		rc = hand_on(acc, query, list, from, to, each, arg, err);
		slurm_list_destroy(list);
		if (count > MANY_JOBS && step > LEAST_SECONDS)
			step /= 2;
		else if (count < FEW_JOBS)
			step *= 2;
		from = to;
	}
	accounting_condition_free(&condition);
	return rc;
}

/* What slurmdbd's configuration has for PrivateData: Slurm prints it, and gives it in no other public way. */
static bool hides_jobs(void *connection)
{
	void *pairs = slurmdb_config_get(connection);
	char title[] = "", *text = NULL, *line, *end;
	size_t len = 0;
	bool hides = false;
	FILE *out = open_memstream(&text, &len);

	if (pairs != NULL && out != NULL)
		slurm_print_key_pairs(out, pairs, title);
	if (out != NULL)
		fclose(out);
	line = text != NULL ? strstr(text, "PrivateData") : NULL;
	if (line != NULL) {
		end = strchr(line, '\n');
		if (end != NULL)
			*end = '\0';
		hides = strstr(line, "jobs") != NULL;
	}
	free(text);
	if (pairs != NULL)
		slurm_list_destroy(pairs);
	return hides;
}

bool accounting_is_private(struct accounting *acc)
{
	return getuid() != 0 && hides_jobs(acc->connection);
}
