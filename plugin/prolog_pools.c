/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/holding.h"
#include "lib/request.h"
#include "plugin/cluster.h"
#include "plugin/job_fate.h"
#include "plugin/options.h"
#include "plugin/partition.h"
#include "plugin/prolog_pools.h"
#include "plugin/slurm_job.h"
#include "plugin/slurm_pools.h"
#include "plugin/time_left.h"

bool prolog_pools_concern(const struct node *node, uint32_t job)
{
	if (node->ipus != NULL || tessera_holding_exists(node->dir, job))
		return true;
	for (size_t i = 0; tessera_conf_pool_at(node->conf, i) != NULL; i++)
		if (options_pool_value(i) != NULL)
			return true;
	return false;
}

static void fill(const struct node *node, uint32_t job, const struct slurm_pools *got, struct tessera_holding *h)
{
	const struct tessera_pool *pool;

	*h = (struct tessera_holding){
		.job = job,
		.uid = got->uid,
		.restarts = got->restarts,
		.state = TESSERA_HOLDING_READY,
		.ipus = got->ipus,
		.gcds = got->ipus > 0,
		.owner = got->ipus > 0 && got->first,
	};
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++) {
		if (got->pools[i] == 0)
			continue;
		snprintf(h->pools[h->pool_count].name, sizeof(h->pools[0].name), "%s", pool->name);
		h->pools[h->pool_count++].count = got->pools[i];
	}
}

/* The controller that the job's first node has must be ours too: a partition lies in one pod. */
static int check_site(const struct node *node, const struct slurm_pools *got, struct tessera_error *err)
{
	if (node->ipus == NULL || node->site == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the job has %u IPUs, but tessera.conf has no %s for node %s; let the "
					 "administrator add one, or choose other nodes",
					 got->ipus, node->ipus == NULL ? "node block with a pool" : "vipu block",
					 node->name);
	if (tessera_conf_vipu(node->conf, got->first_node) != node->site)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"nodes %s and %s belong to different V-IPU controllers, and %u IPUs must come "
			"from one; choose nodes of one pod with --nodelist or --constraint",
			got->first_node, node->name, got->ipus);
	return 0;
}

/* The same rules as when it was typed, for what slurmctld says the job has. */
static int check_request(const struct node *node, const struct slurm_pools *got, struct tessera_request *req,
			 struct tessera_error *err)
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

/* SEEN: what was written before of this run, or of another one that is known to have ended; NULL: nothing. */
static int save(const struct node *node, const struct tessera_holding *seen, struct tessera_holding *h,
		enum tessera_holding_state state, const struct tessera_error *why, struct tessera_error *err)
{
	h->state = state;
	snprintf(h->text, sizeof(h->text), "%s", why != NULL ? why->text : "");
	return tessera_holding_swap(node->dir, h->job, seen, h, err);
}

static int keep(const struct node *node, struct tessera_holding *h, enum tessera_holding_state state,
		const struct tessera_error *why, struct tessera_error *err)
{
	return save(node, h, h, state, why, err);
}

static int make(const struct node *node, const struct slurm_pools *got, const struct tessera_holding *seen,
		struct tessera_holding *h, struct tessera_error *err)
{
	struct tessera_error why = {0};
	struct tessera_request req;
	unsigned answer;
	int rc;

	if (check_request(node, got, &req, &why) < 0)
		return save(node, seen, h, TESSERA_HOLDING_REFUSED, &why, err);
	h->gcds = req.gcds;
	tessera_vipu_partition_name(node->site, h->job, h->partition, sizeof(h->partition));
	snprintf(h->host, sizeof(h->host), "%s", node->site->host);
	h->port = node->site->port;
	h->timeout = node->site->task_timeout;
	/* Slurm takes away a node whose prolog it had to end. */
	if (cluster_prolog_limit(&h->limit, &answer, &why) < 0)
		return save(node, seen, h, TESSERA_HOLDING_FAILED, &why, err);
	/* Before anything is made: who ends us in the middle finds the note. */
	rc = save(node, seen, h, TESSERA_HOLDING_MAKING, NULL, err);
	if (rc != 0)
		return rc;
	if (partition_make(node, h, req.domains, answer, &why) == 0)
		return keep(node, h, TESSERA_HOLDING_READY, NULL, err);
	return keep(node, h, TESSERA_HOLDING_FAILED, &why, err);
}

/* Has the job IPUs by what slurmctld says, though nothing is written of it? -1 with ERR if slurmctld does not say. */
static int unnoted(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct slurm_pools got = {0};
	int rc;

	/* A lost note is rare, and tessera reap finds the partition: it is not worth an epilog that Slurm has to end. */
	if (node->ipus == NULL || !time_left_to_ask(node))
		return 0;
	rc = slurm_pools_load(job, node->name, node->conf, &got, err);
	/* It asked for some; at its end slurmctld no longer says what it granted. */
	if (rc < 0 && got.found)
		return 1;
	return rc < 0 ? -1 : rc == 0 && got.ipus > 0;
}

/*
 * What is known of the job's partition. The first node of a job that grew may have run no prolog for it, and a note can be
 * lost or damaged: then it is where this node would have made it, and *READ is false. Returns 0; 1 if there is none; or -1
 * with ERR.
 */
static int find(const struct node *node, uint32_t job, struct tessera_holding *h, bool *read,
		struct tessera_error *err)
{
	struct tessera_error damaged = {0};
	int rc = tessera_holding_read(node->dir, job, h, &damaged), has = 1;

	*read = rc == 0;
	/* Who was refused has no partition to its name. */
	if (rc == 0)
		return h->ipus > 0 && h->partition[0] != '\0' ? 0 : 1;
	if (node->site == NULL)
		return 1;
	if (rc > 0)
		has = unnoted(node, job, err);
	if (has <= 0)
		return has < 0 ? -1 : 1;
	partition_assume(node, job, h);
	return 0;
}

static int remove_found(const struct node *node, const struct tessera_holding *h, bool active_too,
			struct tessera_error *err)
{
	struct partition_terms terms = {.active_too = active_too};

	if (partition_findable(node, h, err) < 0)
		return -1;
	/* Without an answer about the limits: those that the prolog found. */
	if (cluster_prolog_limit(&terms.limit, &terms.answer, NULL) < 0)
		terms.limit = h->limit;
	return partition_remove(node, h->job, &terms, err);
}

/* H: what was read; NULL: it is damaged, or there is nothing. What another run wrote since stays. */
static int drop(const struct node *node, uint32_t job, const struct tessera_holding *h, struct tessera_error *err)
{
	return tessera_holding_swap(node->dir, job, h, NULL, err) < 0 ? -1 : 0;
}

/* Did the run that wrote H, which has no partition, come before this epilog of an earlier one? */
static bool is_later_run(const struct node *node, const struct tessera_holding *h)
{
	return h->restarts > 0 && time_left_to_ask(node) &&
	       slurm_job_runs(h->job, node->name, h->uid, h->restarts, NULL) > 0;
}

int epilog_pools(const struct node *node, uint32_t job, struct tessera_error *err)
{
	enum holding_fate fate = HOLDING_FORGET;
	struct tessera_error why = {0};
	struct holding_job seen;
	struct tessera_holding h;
	bool read;
	int rc;

	/* Most jobs have nothing of the kind, and most nodes no controller. */
	if (node->site == NULL && !tessera_holding_exists(node->dir, job))
		return 0;
	rc = find(node, job, &h, &read, err);
	if (rc < 0)
		return tessera_error_prefix(err, "if it has a partition, that is left for tessera reap");
	if (rc == 0)
		fate = job_fate(node, job, &h, HOLDING_EPILOG, &seen, &why);
	else if (read && is_later_run(node, &h))
		fate = HOLDING_STAY;
	if (fate == HOLDING_STAY)
		return 0;
	if (fate == HOLDING_FORGET || (fate == HOLDING_REMOVE && remove_found(node, &h, false, &why) == 0))
		return drop(node, job, read ? &h : NULL, err);
	tessera_error_prefix(&why, "its partition is left for tessera reap");
	save(node, read ? &h : NULL, &h, TESSERA_HOLDING_LEAVING, &why, NULL);
	*err = why;
	return -1;
}

/* The job has nothing of ours: what is written under its number goes, or its steps would have that. */
static int forget_other(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_holding h;
	bool read;
	int rc = 0;

	if (!tessera_holding_exists(node->dir, job))
		return 0;
	if (find(node, job, &h, &read, err) == 0)
		rc = remove_found(node, &h, true, err);
	if (rc == 0)
		return drop(node, job, read ? &h : NULL, err);
	tessera_holding_drop(node->dir, job, NULL);
	return tessera_error_prefix(err, "the partition of an earlier job of this number is left for tessera reap");
}

/* What the job has is unknown: its first task hears why. A note of an earlier run keeps the name of its partition. */
static int refuse(const struct node *node, uint32_t job, const struct slurm_pools *got,
		  const struct tessera_holding *seen, const struct tessera_error *why, struct tessera_error *err)
{
	struct tessera_holding h;

	if (seen != NULL)
		h = *seen;
	else
		fill(node, job, got, &h);
	h.uid = got->uid;
	h.restarts = got->restarts;
	return save(node, seen, &h,
		    why->code == TESSERA_ERR_INPUT ? TESSERA_HOLDING_REFUSED : TESSERA_HOLDING_FAILED, why, err);
}

/* Is slurmd gone, and the run of H with it? No epilog would come for what is written then. */
static bool is_abandoned(const struct node *node, const struct tessera_holding *h)
{
	return node_orphaned(node) && slurm_job_runs(h->job, node->name, h->uid, h->restarts, NULL) == 0;
}

/* The epilog removed the record while the partition was being made: without a record only this prolog removes it. */
static void remove_unrecorded(const struct node *node, const struct tessera_holding *h)
{
	struct tessera_error err = {0};
	struct slurm_job job;
	int rc = slurm_job_load(h->job, node->name, &job, &err);

	if (h->owner && h->partition[0] != '\0' && rc >= 0 && (rc > 0 || !job.active) &&
	    remove_found(node, h, false, &err) < 0)
		slurm_error("tessera: job %u: partition %s stays: %s", h->job, h->partition, err.text);
}

int prolog_pools(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_holding old, h;
	const struct tessera_holding *seen = tessera_holding_read(node->dir, job, &old, NULL) == 0 ? &old : NULL;
	struct tessera_error why = {0};
	struct slurm_pools got = {0};
	/* After what is there was read: of which run that is, slurmctld's answer tells. */
	int rc = slurm_pools_load(job, node->name, node->conf, &got, &why);

	/* What this run has already stays. */
	if (rc < 0 && got.found && seen != NULL && seen->state == TESSERA_HOLDING_READY && seen->uid == got.uid &&
	    seen->restarts == got.restarts)
		return 0;
	if (rc < 0 && got.found)
		return refuse(node, job, &got, seen, &why, err);
	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (rc > 0)
		return 0;
	if (!got.any)
		return forget_other(node, job, err);
	fill(node, job, &got, &h);
	if (is_abandoned(node, &h))
		return 1;
	if (seen != NULL && tessera_holding_covers(seen, &h))
		return 0;
	rc = h.ipus > 0 ? make(node, &got, seen, &h, err) : save(node, seen, &h, TESSERA_HOLDING_READY, NULL, err);
	if (rc > 0)
		remove_unrecorded(node, &h);
	if (is_abandoned(node, &h)) {
		if (epilog_pools(node, job, err) < 0)
			slurm_error("tessera: job %u: %s", job, err->text);
		return 1;
	}
	/* Reap, say, dropped an earlier run's record between our reading and writing. */
	if (rc > 0 && slurm_job_runs(job, node->name, h.uid, h.restarts, NULL) > 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING,
					 "the record of job %u changed while this run's was being written", job);
	return rc;
}
