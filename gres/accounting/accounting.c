/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/accounting/accounting_internal.h"
#include "gres/accounting/dbd_timeout.h"
#include "lib/account/tres.h"
#include "lib/account/usage_summary.h"
#include "lib/util/array.h"

/* The period of one query is adapted to return between so many jobs. */
#define FEW_JOBS      20000
#define MANY_JOBS     50000
#define FIRST_SECONDS 86400
#define LEAST_SECONDS 60

#define TOO_LARGE (-2) /* query_jobs(): slurmdbd refuses to return so many jobs */

struct accounting {
	const struct tessera_conf *conf;
	void *connection;
	struct tessera_tres *tres;
	struct accounting_trouble trouble;
};

/* A record and what it points to. */
struct job {
	struct tessera_usage_record record;
	const slurmdb_job_rec_t *from;
	char name[64];
	char **nodes;
	size_t node_count;
};

/* REASON: errno after a failed call of libslurm; 0 if it did not set it. */
static int set_dbd_failure(int reason, struct tessera_error *err)
{
	if (reason == ESLURM_ACCESS_DENIED)
		return tessera_error_set(err, TESSERA_ERR_DENIED, "slurmdbd refuses the query: %s",
					 slurm_strerror(reason));
	if (reason == ESLURM_DB_QUERY_TOO_WIDE)
		return tessera_error_set(err, TESSERA_ERR_DENIED,
					 "slurmdbd refuses so long a period (MaxQueryTimeRange): "
					 "use a shorter one with --start and --end");
	return tessera_error_set(
		err, TESSERA_ERR_UNAVAILABLE,
		"slurmdbd did not answer (%s): is it running, and does slurm.conf name it "
		"(AccountingStorageHost)? Check with sacctmgr show cluster",
		reason != 0 ? slurm_strerror(reason) : "no reason given");
}

static int load_tres(struct accounting *acc, struct tessera_error *err)
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
	dbd_timeout_start();
	list = slurmdb_tres_get(acc->connection, &cond);
	dbd_timeout_stop();
	if (list == NULL)
		return set_dbd_failure(errno, err);
	walk = slurm_list_iterator_create(list);
	while (rc == 0 && (tres = slurm_list_next(walk)) != NULL)
		rc = tessera_tres_learn(acc->tres, tres->id, tres->type, tres->name, err);
	slurm_list_iterator_destroy(walk);
	slurm_list_destroy(list);
	return rc;
}

struct accounting *accounting_open(const struct tessera_conf *conf, struct tessera_error *err)
{
	struct accounting *acc = calloc(1, sizeof(*acc));
	uint16_t flags = 0;

	if (acc == NULL || (acc->tres = tessera_tres_new(conf)) == NULL) {
		tessera_error_nomem(err);
		goto failure;
	}
	acc->conf = conf;
	errno = 0;
	dbd_timeout_start();
	acc->connection = slurmdb_connection_get(&flags);
	dbd_timeout_stop();
	if (acc->connection == NULL) {
		set_dbd_failure(errno, err);
		goto failure;
	}
	if (load_tres(acc, err) < 0)
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
	tessera_tres_free(acc->tres);
	free(acc);
}

const struct accounting_trouble *accounting_trouble(const struct accounting *acc)
{
	return &acc->trouble;
}

/* The job ID as sacct shows it. */
static void format_job_name(const slurmdb_job_rec_t *from, char *name, size_t len)
{
	if (from->array_job_id != 0 && from->array_task_id != NO_VAL)
		snprintf(name, len, "%u_%u", from->array_job_id, from->array_task_id);
	else if (from->het_job_id != 0 && from->het_job_offset != NO_VAL)
		snprintf(name, len, "%u+%u", from->het_job_id, from->het_job_offset);
	else
		snprintf(name, len, "%u", from->jobid);
}

static void record_trouble(struct accounting *acc, size_t *count, const char *job,
			   const struct tessera_error *err)
{
	if (acc->trouble.comments + acc->trouble.tres == 0) {
		snprintf(acc->trouble.job, sizeof(acc->trouble.job), "%s", job);
		snprintf(acc->trouble.text, sizeof(acc->trouble.text), "%.250s", err->text);
	}
	(*count)++;
}

static void read_counts(struct accounting *acc, struct job *job)
{
	struct tessera_usage_held *counts = &job->record.counts;
	const struct tessera_platform *p = NULL;
	struct tessera_error err = {0};

	if (tessera_tres_read(acc->tres, job->from->tres_alloc_str, counts, &err) < 0)
		record_trouble(acc, &acc->trouble.tres, job->name, &err);
	if (counts->rdus == 0 || counts->tiles != 0)
		return;
	if (job->from->partition != NULL && *job->from->partition != '\0')
		(void)tessera_conf_partition_platform(acc->conf, job->from->partition, &p, NULL);
	tessera_tres_tiles(counts, p);
}

/* The use that samples saw. It is unknown until each of the job's nodes has delivered it. */
static void read_use(struct accounting *acc, struct job *job)
{
	struct tessera_usage_record *record = &job->record;
	struct tessera_usage_summary summary;
	struct tessera_error err = {0};
	int found;

	record->used_tiles = record->used_ipus = record->outside = record->seen = TESSERA_UNKNOWN;
	if (job->from->admin_comment == NULL || *job->from->admin_comment == '\0')
		return;
	found = tessera_usage_summary_read(job->from->admin_comment, &summary, &err);
	if (found < 0)
		record_trouble(acc, &acc->trouble.comments, job->name, &err);
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
	for (size_t n = 0; n < job->node_count; n++)
		free(job->nodes[n]);
	free(job->nodes);
	job->nodes = NULL;
	job->node_count = 0;
}

static int read_nodes(struct job *job, struct tessera_error *err)
{
	tessera_slurm_hostlist list = slurm_hostlist_create(job->from->nodes);
	char *name;
	int rc = 0;

	if (list == NULL)
		return 0;
	while (rc == 0 && (name = slurm_hostlist_shift(list)) != NULL) {
		char **grown = array_grow(job->nodes, job->node_count, sizeof(*grown));

		if (grown == NULL) {
			rc = tessera_error_nomem(err);
			free(name);
			break;
		}
		job->nodes = grown;
		job->nodes[job->node_count++] = name;
	}
	slurm_hostlist_destroy(list);
	job->record.nodes = (const char *const *)job->nodes;
	job->record.node_count = job->node_count;
	return rc;
}

/* Fill JOB from slurmdbd's record. */
static int read_job(struct accounting *acc, const slurmdb_job_rec_t *from, bool nodes,
		    struct job *job, struct tessera_error *err)
{
	job->from = from;
	format_job_name(from, job->name, sizeof(job->name));
	job->record = (struct tessera_usage_record){
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

/* Which jobs one query to slurmdbd selects. */
enum selection {
	SELECT_NAMED,   /* the jobs that the caller named: all that slurmdbd returns */
	SELECT_RUNNING, /* those that had not ended before the end of the period */
	SELECT_ENDED,   /* those that ended in a piece of it */
};

struct job_query {
	struct accounting *acc;
	const struct accounting_query *query;
	struct accounting_condition condition;
	enum selection selection;
	time_t from, to; /* of the current piece */
	accounting_each each;
	void *arg;
	uint64_t *running; /* db_index of the records passed on without an end, sorted */
	size_t running_count;
};

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Does the current selection have this record? slurmdbd may return more. */
static bool is_selected(const struct job_query *q, const slurmdb_job_rec_t *found)
{
	uint64_t number = found->db_index;

	if (found->start == 0 || found->start >= q->query->end)
		return false;
	if (q->selection == SELECT_NAMED)
		return true;
	if (q->selection == SELECT_RUNNING)
		return found->end == 0 || found->end >= q->query->end;
	if (found->end < q->from || found->end >= q->to)
		return false;
	/* A job may have ended after it was passed on as running. */
	return q->running_count == 0 || bsearch(&number, q->running, q->running_count,
						sizeof(number), compare_numbers) == NULL;
}

/* Remember which records have no end yet. */
static int record_running(struct job_query *q, void *list, struct tessera_error *err)
{
	const slurmdb_job_rec_t *found;
	void *walk;

	q->running = calloc((size_t)slurm_list_count(list) + 1, sizeof(*q->running));
	if (q->running == NULL)
		return tessera_error_nomem(err);
	walk = slurm_list_iterator_create(list);
	while ((found = slurm_list_next(walk)) != NULL) {
		if (is_selected(q, found) && found->end == 0)
			q->running[q->running_count++] = found->db_index;
	}
	slurm_list_iterator_destroy(walk);
	qsort(q->running, q->running_count, sizeof(*q->running), compare_numbers);
	return 0;
}

static int pass_records(const struct job_query *q, void *list, struct tessera_error *err)
{
	const slurmdb_job_rec_t *found;
	struct job job = {0};
	void *walk = slurm_list_iterator_create(list);
	int rc = 0;

	while (rc == 0 && (found = slurm_list_next(walk)) != NULL) {
		if (!is_selected(q, found))
			continue;
		rc = read_job(q->acc, found, q->query->nodes, &job, err);
		if (rc == 0)
			rc = q->each(&job.record, q->arg, err);
		free_nodes(&job);
	}
	slurm_list_iterator_destroy(walk);
	return rc;
}

/*
 * Query slurmdbd once, and pass the records on. Returns their number, -1 with ERR, or TOO_LARGE if
 * the period must be shorter.
 */
static int query_jobs(struct job_query *q, enum selection selection, time_t from, time_t to,
		      struct tessera_error *err)
{
	slurmdb_job_cond_t *cond = &q->condition.cond;
	void *list;
	int count, rc = 0;

	q->selection = selection;
	q->from = from;
	q->to = to;
	cond->usage_start = from;
	cond->usage_end = to;
	cond->state_list = selection == SELECT_ENDED ? q->condition.ended : NULL;
	errno = 0;
	dbd_timeout_start();
	list = slurmdb_jobs_get(q->acc->connection, cond);
	dbd_timeout_stop();
	if (list == NULL)
		return errno == ESLURM_RESULT_TOO_LARGE ? TOO_LARGE : set_dbd_failure(errno, err);
	count = slurm_list_count(list);
	if (selection == SELECT_RUNNING)
		rc = record_running(q, list, err);
	if (rc == 0)
		rc = pass_records(q, list, err);
	slurm_list_destroy(list);
	return rc < 0 ? -1 : count;
}

/*
 * Query ended jobs by their end time: slurmdbd has an index for that, and a job ends once. Without
 * it slurmdbd would scan all its jobs for each piece of the period.
 */
static int query_ended(struct job_query *q, struct tessera_error *err)
{
	const struct accounting_query *query = q->query;
	time_t from = query->start, step = FIRST_SECONDS;
	int count = 0;

	while (count >= 0 && from < query->end) {
		time_t to = query->end - from > step ? from + step : query->end;

		count = query_jobs(q, SELECT_ENDED, from, to, err);
		if (count >= 0)
			from = to;
		if ((count == TOO_LARGE || count > MANY_JOBS) && step > LEAST_SECONDS) {
			step /= 2;
			count = 0;
		} else if (count >= 0 && count < FEW_JOBS) {
			step *= 2;
		}
	}
	return count;
}

/* An account that slurmdbd does not know is a typing error, not an account without jobs. */
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
	/* A deleted account may have had jobs. */
	TESSERA_ACCOUNTS_DELETED_TOO(&cond);
	walk = slurm_list_iterator_create(condition->cond.acct_list);
	while (rc == 0 && (name = slurm_list_next(walk)) != NULL) {
		one = slurm_list_create(NULL);
		slurm_list_append(one, name);
		assoc.acct_list = one;
		errno = 0;
		dbd_timeout_start();
		list = slurmdb_accounts_get(acc->connection, &cond);
		dbd_timeout_stop();
		slurm_list_destroy(one);
		if (list == NULL) {
			rc = set_dbd_failure(errno, err);
			break;
		}
		count = slurm_list_count(list);
		slurm_list_destroy(list);
		if (count == 0)
			rc = tessera_error_set(err, TESSERA_ERR_INPUT,
					       "slurmdbd knows no account '%s', or does not show "
					       "it to you: see sacctmgr show account",
					       name);
	}
	slurm_list_iterator_destroy(walk);
	return rc;
}

int accounting_read(struct accounting *acc, const struct accounting_query *query,
		    accounting_each each, void *arg, struct tessera_error *err)
{
	struct job_query q = {.acc = acc, .query = query, .each = each, .arg = arg};
	int rc = accounting_condition_make(&q.condition, query, err);

	if (rc == 0)
		rc = check_accounts(acc, &q.condition, err);
	if (rc == 0 && query->jobs != NULL) {
		rc = query_jobs(&q, SELECT_NAMED, query->start, query->end, err);
	} else if (rc == 0) {
		rc = query_jobs(&q, SELECT_RUNNING, query->end - 1, query->end, err);
		if (rc >= 0)
			rc = query_ended(&q, err);
	}
	if (rc == TOO_LARGE)
		rc = set_dbd_failure(ESLURM_RESULT_TOO_LARGE, err);
	accounting_condition_free(&q.condition);
	free(q.running);
	return rc < 0 ? -1 : 0;
}

/* Parses PrivateData from printed text: libslurm has no other public access to it. */
static bool hides_jobs(void *connection)
{
	void *pairs;
	char title[] = "", *text = NULL, *line, *end;
	size_t len = 0;
	bool hides = false;
	FILE *out = open_memstream(&text, &len);

	dbd_timeout_start();
	pairs = tessera_dbd_conf(connection);
	dbd_timeout_stop();
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
