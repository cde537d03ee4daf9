/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/granted.h"
#include "lib/gres.h"
#include "plugin/slurm_job.h"
#include "plugin/slurm_pools.h"

struct loading {
	const char *node;
	const struct tessera_conf *conf;
	struct slurm_pools *out;
	struct tessera_error *err;
};

/*
 * Where IPUs are GRES each node has its part, and slurmctld says of each node what it granted: what was asked for is only
 * the limit, because --exclusive grants all that a node has.
 */
static int read_granted(const job_info_t *info, const struct loading *l)
{
	const char *name = tessera_conf_ipu_name(l->conf);
	struct gres_sum each;

	if (gres_sum(info->tres_per_node, GRES_LIST_GRES, name, "the job's TresPerNode", &each, l->err) < 0)
		return -1;
	if (each.count > 0 && info->gres_detail_cnt != info->num_nodes)
		return tessera_error_set(l->err, TESSERA_ERR_MISSING,
					 "slurmctld says of %u of the job's %u nodes how many %s it granted",
					 info->gres_detail_cnt, info->num_nodes, name);
	return tessera_granted_total(info->gres_detail_str, info->gres_detail_cnt, name, each.count, &l->out->ipus,
				     l->err);
}

static int read_ipus(const job_info_t *info, const struct loading *l)
{
	struct gres_sum sum;

	if (tessera_conf_ipu_model(l->conf) == TESSERA_IPU_GRES)
		return read_granted(info, l);
	if (gres_sum(info->licenses, GRES_LIST_LICENSES, tessera_conf_ipu_name(l->conf), "the job's Licenses", &sum,
		     l->err) < 0)
		return -1;
	l->out->ipus = sum.count;
	return 0;
}

static int read_pools(const job_info_t *info, const struct loading *l)
{
	const struct tessera_pool *pool;
	struct gres_sum sum;

	for (size_t i = 0; (pool = tessera_conf_pool_at(l->conf, i)) != NULL; i++) {
		if (gres_sum(info->licenses, GRES_LIST_LICENSES, pool->license, "the job's Licenses", &sum,
			     l->err) < 0)
			return -1;
		l->out->pools[i] = sum.count;
		l->out->any = l->out->any || sum.count > 0;
	}
	return 0;
}

static int look(const job_info_t *info, void *arg)
{
	const struct loading *l = arg;
	struct slurm_pools *out = l->out;
	int index = slurm_job_node_index(info->nodes, l->node);

	if (index < 0)
		return 1;
	out->found = true;
	out->uid = info->user_id;
	out->restarts = info->restart_cnt;
	out->nodes = info->num_nodes;
	out->tasks = info->num_tasks > 0 && info->num_tasks != NO_VAL ? info->num_tasks : 1;
	out->first = index == 0;
	slurm_job_first_node(info->nodes, out->first_node, sizeof(out->first_node));
	if (read_pools(info, l) < 0 || read_ipus(info, l) < 0)
		return -1;
	out->any = out->any || out->ipus > 0;
	return 0;
}

int slurm_pools_load(uint32_t job, const char *node, const struct tessera_conf *conf, struct slurm_pools *out,
		     struct tessera_error *err)
{
	struct loading loading = {.node = node, .conf = conf, .out = out, .err = err};
	int rc;

	memset(out, 0, sizeof(*out));
	rc = slurm_job_visit(job, look, &loading, err);
	if (rc != 0) {
		out->any = false;
		out->ipus = 0;
		memset(out->pools, 0, sizeof(out->pools));
	}
	return rc;
}
