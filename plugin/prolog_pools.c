/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/holding.h"
#include "lib/request.h"
#include "plugin/cluster.h"
#include "plugin/options.h"
#include "plugin/partition.h"
#include "plugin/prolog_pools.h"
#include "plugin/slurm_job.h"
#include "plugin/slurm_pools.h"

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

static int keep(const struct node *node, struct tessera_holding *h, enum tessera_holding_state state,
		const struct tessera_error *why, struct tessera_error *err)
{
	h->state = state;
	snprintf(h->text, sizeof(h->text), "%s", why != NULL ? why->text : "");
	return tessera_holding_write(node->dir, h, err);
}

static int make(const struct node *node, const struct slurm_pools *got, struct tessera_holding *h,
		struct tessera_error *err)
{
	struct tessera_error why = {0};
	struct tessera_request req;
	unsigned answer;

	if (check_request(node, got, &req, &why) < 0)
		return keep(node, h, TESSERA_HOLDING_REFUSED, &why, err);
	h->gcds = req.gcds;
	tessera_vipu_partition_name(node->site, h->job, h->partition, sizeof(h->partition));
	snprintf(h->host, sizeof(h->host), "%s", node->site->host);
	h->port = node->site->port;
	h->timeout = node->site->task_timeout;
	/* Slurm takes away a node whose prolog it had to end. */
	if (cluster_prolog_limit(&h->limit, &answer, &why) < 0)
		return keep(node, h, TESSERA_HOLDING_FAILED, &why, err);
	/* Before anything is made: who ends us in the middle finds the note. */
	if (keep(node, h, TESSERA_HOLDING_MAKING, NULL, err) < 0)
		return -1;
	if (partition_make(node, h, req.domains, answer, &why) == 0)
		return keep(node, h, TESSERA_HOLDING_READY, NULL, err);
	return keep(node, h, TESSERA_HOLDING_FAILED, &why, err);
}

/*
 * A note that is there before the job is an earlier run's, or that of another job which had the number before slurmctld
 * lost its memory. No step shall take it for this run's. A damaged one no step takes.
 */
static int outdate(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_holding h;

	if (tessera_holding_read(node->dir, job, &h, NULL) != 0)
		return 0;
	return keep(node, &h, TESSERA_HOLDING_MAKING, NULL, err);
}

/*
 * Does another run of the job have the partition? This node may have been given up for dead, and the job runs elsewhere
 * meanwhile, with a partition of the same name. -1 if slurmctld does not say.
 */
static int runs_elsewhere(const struct node *node, uint32_t id, struct tessera_error *err)
{
	struct slurm_job job;
	int rc = slurm_job_load(id, node->name, &job, err);

	return rc < 0 ? -1 : rc == 0 && job.active && !job.here;
}

int epilog_pools(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_error why = {0};
	struct tessera_holding h;
	int rc = tessera_holding_read(node->dir, job, &h, &why), elsewhere;
	unsigned answer;

	if (rc > 0)
		return 0;
	/* A note that cannot be read may be about a partition. */
	if (rc < 0 && node->site != NULL) {
		h = (struct tessera_holding){.job = job, .ipus = 1, .gcds = 1, .owner = true};
		cluster_prolog_limit(&h.limit, &answer, NULL);
	}
	/* Who was refused has no partition to its name. */
	if (h.ipus == 0 || !h.owner || (rc == 0 && h.partition[0] == '\0'))
		return tessera_holding_drop(node->dir, job, err);
	elsewhere = runs_elsewhere(node, job, &why);
	if (elsewhere > 0 || (elsewhere == 0 && (rc < 0 || partition_findable(node, &h, &why) == 0) &&
			      partition_remove(node, job, h.limit, &why) == 0))
		return tessera_holding_drop(node->dir, job, err);
	tessera_error_prefix(&why, "its partition is left for tessera reap");
	keep(node, &h, TESSERA_HOLDING_LEAVING, &why, NULL);
	*err = why;
	return -1;
}

/* The job has nothing of ours: what is written under its number goes, or its steps would have that. */
static int forget_other(const struct node *node, uint32_t job, struct tessera_error *err)
{
	int rc = epilog_pools(node, job, err);

	if (rc < 0)
		tessera_holding_drop(node->dir, job, NULL);
	return rc;
}

int prolog_pools(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct slurm_pools got;
	struct tessera_holding h;
	int rc = outdate(node, job, err);

	if (rc == 0)
		rc = slurm_pools_load(job, node->name, node->conf, &got, err);
	if (rc < 0)
		return -1;
	if (rc > 0)
		return 0;
	if (!got.any)
		return forget_other(node, job, err);
	fill(node, job, &got, &h);
	return h.ipus > 0 ? make(node, &got, &h, err) : tessera_holding_write(node->dir, &h, err);
}
