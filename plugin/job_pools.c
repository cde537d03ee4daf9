/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/node/partition_fate.h"
#include "lib/node/prolog_time.h"
#include "lib/node/vipu_partition.h"
#include "lib/request/request.h"
#include "lib/slurm/cluster.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/job_info_pools.h"
#include "lib/state/job_record.h"
#include "plugin/job_pools.h"
#include "plugin/options.h"

bool job_pools_may_have(const struct node *node, uint32_t job)
{
	if (node->ipus != NULL || tessera_job_record_exists(node->dir, job))
		return true;
	for (size_t i = 0; tessera_conf_pool_at(node->conf, i) != NULL; i++)
		if (options_pool_value(i) != NULL)
			return true;
	return false;
}

static void fill_record(const struct node *node, uint32_t job, const struct job_pools *got,
			struct tessera_job_record *record)
{
	const struct tessera_pool *pool;

	*record = (struct tessera_job_record){
		.job = job,
		.uid = got->uid,
		.restarts = got->restarts,
		.state = TESSERA_JOB_RECORD_READY,
		.ipus = got->ipus,
		.gcds = got->ipus > 0,
		.owner = got->ipus > 0 && got->first,
	};
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++) {
		if (got->pools[i] == 0)
			continue;
		snprintf(record->pools[record->pool_count].name, sizeof(record->pools[0].name),
			 "%s", pool->name);
		record->pools[record->pool_count++].count = got->pools[i];
	}
}

/* All nodes of the job must have one controller: a partition lies within one pod. */
static int check_site(const struct node *node, const struct job_pools *got,
		      struct tessera_error *err)
{
	if (node->ipus == NULL || node->site == NULL)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"the job has %u IPUs, but tessera.conf has no %s for node %s; choose other "
			"nodes, or ask the administrator to add one",
			got->ipus, node->ipus == NULL ? "node block with a pool" : "vipu block",
			node->name);
	if (tessera_conf_vipu(node->conf, got->first_node) != node->site)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"nodes %s and %s belong to different V-IPU controllers, and %u IPUs must "
			"come from one; choose nodes of one pod with --nodelist or --constraint",
			got->first_node, node->name, got->ipus);
	return 0;
}

/* The rules that the client applied to the request, for what slurmctld allocated. */
static int check_request(const struct node *node, const struct job_pools *got,
			 struct tessera_request *req, struct tessera_error *err)
{
	char ipus[32];
	struct tessera_options opt = {
		.ipus = ipus,
		.ipu_gcds = options_value(OPTION_IPU_GCDS),
		.nodes = got->nodes,
		.ntasks = got->tasks,
	};

	snprintf(ipus, sizeof(ipus), "%u", got->ipus);
	if (check_site(node, got, err) < 0)
		return -1;
	return tessera_request_read(node->conf, node->ipus, &opt, req, err);
}

/*
 * Replace SEEN, the record that was read: of this run, or of one that has ended; NULL: none.
 * Returns as tessera_job_record_swap() does.
 */
static int save_record(const struct node *node, const struct tessera_job_record *seen,
		       struct tessera_job_record *record, enum tessera_job_record_state state,
		       const struct tessera_error *why, struct tessera_error *err)
{
	record->state = state;
	snprintf(record->text, sizeof(record->text), "%s", why != NULL ? why->text : "");
	return tessera_job_record_swap(node->dir, record->job, seen, record, err);
}

static int update_record(const struct node *node, struct tessera_job_record *record,
			 enum tessera_job_record_state state, const struct tessera_error *why,
			 struct tessera_error *err)
{
	return save_record(node, record, record, state, why, err);
}

static int create_partition(const struct node *node, const struct job_pools *got,
			    const struct tessera_job_record *seen,
			    struct tessera_job_record *record, struct tessera_error *err)
{
	struct tessera_error why = {0};
	struct tessera_request req;
	unsigned answer;
	int rc;

	if (check_request(node, got, &req, &why) < 0)
		return save_record(node, seen, record, TESSERA_JOB_RECORD_REFUSED, &why, err);
	record->gcds = req.gcds;
	tessera_vipu_partition_name(node->site, record->job, record->partition,
				    sizeof(record->partition));
	snprintf(record->host, sizeof(record->host), "%s", node->site->host);
	record->port = node->site->port;
	record->timeout = node->site->task_timeout;
	/* Slurm drains a node whose prolog exceeds its time limit. */
	if (cluster_prolog_limit(&record->limit, &answer, &why) < 0)
		return save_record(node, seen, record, TESSERA_JOB_RECORD_FAILED, &why, err);
	/* Before the partition: if this prolog is killed, the record says what to remove. */
	rc = save_record(node, seen, record, TESSERA_JOB_RECORD_MAKING, NULL, err);
	if (rc != 0)
		return rc;
	if (partition_make(node, record, req.domains, answer, &why) == 0)
		return update_record(node, record, TESSERA_JOB_RECORD_READY, NULL, err);
	return update_record(node, record, TESSERA_JOB_RECORD_FAILED, &why, err);
}

/*
 * Did slurmctld allocate IPUs to the job, which has no record? Returns 1 or 0, or -1 with ERR if
 * slurmctld does not answer.
 */
static int has_unrecorded_ipus(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct job_pools got = {0};
	struct job_alloc alloc;
	int rc;

	/*
	 * A lost record is rare, and tessera reap finds the partition: an epilog must not exceed
	 * its time limit for it.
	 */
	if (node->ipus == NULL || !prolog_time_to_ask(node))
		return 0;
	rc = job_info_load_with_pools(job, node->name, node->conf, &alloc, &got, err);
	if (rc == 0) {
		rc = got.loaded;
		if (rc < 0)
			*err = got.err;
	}
	/* It asked for IPUs; when a job ends slurmctld no longer says how many it has. */
	if (rc < 0 && got.found)
		return 1;
	return rc < 0 ? -1 : rc == 0 && got.ipus > 0;
}

/*
 * Find the job's partition. The first node of a job that grew may have run no prolog for it, and a
 * record can be lost or damaged: then *RECORD says where this node would have created the
 * partition, and *READ is false. Returns 0 with *RECORD; 1 if the job has no partition; or -1 with
 * ERR.
 */
static int find_partition(const struct node *node, uint32_t job, struct tessera_job_record *record,
			  bool *read, struct tessera_error *err)
{
	struct tessera_error damaged = {0};
	int rc = tessera_job_record_read(node->dir, job, record, &damaged), has = 1;

	*read = rc == 0;
	/* The record of a refused job names no partition. */
	if (rc == 0)
		return record->ipus > 0 && record->partition[0] != '\0' ? 0 : 1;
	if (node->site == NULL)
		return 1;
	if (rc > 0)
		has = has_unrecorded_ipus(node, job, err);
	if (has <= 0)
		return has < 0 ? -1 : 1;
	partition_assume(node, job, record);
	return 0;
}

static int remove_partition(const struct node *node, const struct tessera_job_record *record,
			    bool active_too, struct tessera_error *err)
{
	struct partition_terms terms = {.active_too = active_too};

	if (partition_findable(node, record, err) < 0)
		return -1;
	/* If slurmctld does not answer, use the limit that the prolog recorded. */
	if (cluster_prolog_limit(&terms.limit, &terms.answer, NULL) < 0)
		terms.limit = record->limit;
	return partition_remove(node, record->job, &terms, err);
}

/* Drop RECORD as it was read; NULL: a damaged one, or none. Another run's record stays. */
static int drop_record(const struct node *node, uint32_t job,
		       const struct tessera_job_record *record, struct tessera_error *err)
{
	return tessera_job_record_swap(node->dir, job, record, NULL, err) < 0 ? -1 : 0;
}

/* Is RECORD, which names no partition, of a later run, which started before this epilog? */
static bool is_later_run(const struct node *node, const struct tessera_job_record *record)
{
	return record->restarts > 0 && prolog_time_to_ask(node) &&
	       job_info_runs(record->job, node->name, record->uid, record->restarts, NULL) > 0;
}

int job_pools_epilog(const struct node *node, uint32_t job, struct tessera_error *err)
{
	enum job_record_fate fate = JOB_RECORD_FORGET;
	struct tessera_error why = {0};
	struct job_record_job seen;
	struct tessera_job_record record;
	bool read;
	int rc;

	if (node->site == NULL && !tessera_job_record_exists(node->dir, job))
		return 0;
	rc = find_partition(node, job, &record, &read, err);
	if (rc < 0)
		return tessera_error_prefix(
			err, "tessera reap will remove its V-IPU partition, if it has one");
	if (rc == 0)
		fate = partition_fate(node, job, &record, JOB_RECORD_EPILOG, &seen, &why);
	else if (read && is_later_run(node, &record))
		fate = JOB_RECORD_STAY;
	if (fate == JOB_RECORD_STAY)
		return 0;
	if (fate == JOB_RECORD_FORGET ||
	    (fate == JOB_RECORD_REMOVE && remove_partition(node, &record, false, &why) == 0))
		return drop_record(node, job, read ? &record : NULL, err);
	tessera_error_prefix(&why, "its V-IPU partition is left for tessera reap");
	save_record(node, read ? &record : NULL, &record, TESSERA_JOB_RECORD_LEAVING, &why, NULL);
	*err = why;
	return -1;
}

/*
 * The job has no IPUs and no part of a pool. A record with its ID is of an earlier job: drop it, or
 * the steps would use it.
 */
static int drop_other(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_job_record record;
	bool read;
	int rc = 0;

	if (!tessera_job_record_exists(node->dir, job))
		return 0;
	if (find_partition(node, job, &record, &read, err) == 0)
		rc = remove_partition(node, &record, true, err);
	if (rc == 0)
		return drop_record(node, job, read ? &record : NULL, err);
	tessera_job_record_drop(node->dir, job, NULL);
	return tessera_error_prefix(
		err, "the V-IPU partition of an earlier job with this ID is left for tessera reap");
}

/*
 * What the job has cannot be read: record WHY for its first task. A record of an earlier run keeps
 * the name of its partition.
 */
static int record_refusal(const struct node *node, uint32_t job, const struct job_pools *got,
			  const struct tessera_job_record *seen, const struct tessera_error *why,
			  struct tessera_error *err)
{
	struct tessera_job_record record;

	if (seen != NULL)
		record = *seen;
	else
		fill_record(node, job, got, &record);
	record.uid = got->uid;
	record.restarts = got->restarts;
	return save_record(node, seen, &record,
			   why->code == TESSERA_ERR_INPUT ? TESSERA_JOB_RECORD_REFUSED
							  : TESSERA_JOB_RECORD_FAILED,
			   why, err);
}

/* Have slurmd and the run of RECORD ended? Then no epilog would remove what is written now. */
static bool is_abandoned(const struct node *node, const struct tessera_job_record *record)
{
	return node_orphaned(node) &&
	       job_info_runs(record->job, node->name, record->uid, record->restarts, NULL) == 0;
}

/*
 * The epilog removed the record while the partition was being made: without a record only this
 * prolog removes it.
 */
static void remove_unrecorded(const struct node *node, const struct tessera_job_record *record)
{
	struct tessera_error err = {0};
	struct job_alloc job;
	int rc = job_info_load(record->job, node->name, &job, &err);

	if (record->owner && record->partition[0] != '\0' && rc >= 0 && (rc > 0 || !job.active) &&
	    remove_partition(node, record, false, &err) < 0)
		slurm_error("tessera: job %u: cannot remove V-IPU partition %s: %s", record->job,
			    record->partition, err.text);
}

void job_pools_read_record(const struct node *node, uint32_t job, struct job_pools_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->has_record = tessera_job_record_read(node->dir, job, &facts->record, NULL) == 0;
}

int job_pools_prolog(const struct node *node, uint32_t job, const struct job_pools_facts *facts,
		     struct tessera_error *err)
{
	const struct tessera_job_record *seen = facts->has_record ? &facts->record : NULL;
	const struct tessera_error why = facts->alloc.err;
	const struct job_pools got = facts->alloc;
	struct tessera_job_record record;
	int rc = got.loaded;

	/* A second prolog of this run leaves what the first one made. */
	if (rc < 0 && got.found && seen != NULL && seen->state == TESSERA_JOB_RECORD_READY &&
	    seen->uid == got.uid && seen->restarts == got.restarts)
		return 0;
	if (rc < 0 && got.found)
		return record_refusal(node, job, &got, seen, &why, err);
	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (rc > 0)
		return 0;
	if (!got.any)
		return drop_other(node, job, err);
	fill_record(node, job, &got, &record);
	if (is_abandoned(node, &record))
		return 1;
	if (seen != NULL && tessera_job_record_covers(seen, &record))
		return 0;
	rc = record.ipus > 0
		     ? create_partition(node, &got, seen, &record, err)
		     : save_record(node, seen, &record, TESSERA_JOB_RECORD_READY, NULL, err);
	if (rc > 0)
		remove_unrecorded(node, &record);
	if (is_abandoned(node, &record)) {
		if (job_pools_epilog(node, job, err) < 0)
			slurm_error("tessera: job %u: %s", job, err->text);
		return 1;
	}
	/* Another process, such as tessera reap, dropped an earlier run's record meanwhile. */
	if (rc > 0 && job_info_runs(job, node->name, record.uid, record.restarts, NULL) > 0)
		return tessera_error_set(
			err, TESSERA_ERR_UNAVAILABLE,
			"the record of job %u changed while this run's was being written", job);
	return rc;
}
