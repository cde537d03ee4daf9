/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/gres.h"
#include "plugin/slurm_job.h"
#include "plugin/slurm_pools.h"

struct loading {
	const char *node;
	const struct tessera_conf *conf;
	struct slurm_pools *out;
	struct tessera_error *err;
};

/* Where IPUs are GRES each node has its part; --exclusive grants a node's all, but what was asked for is what is meant. */
static int read_ipus(const job_info_t *info, const struct loading *l)
{
	const char *name = tessera_conf_ipu_name(l->conf);
	bool gres = tessera_conf_ipu_model(l->conf) == TESSERA_IPU_GRES;
	struct gres_sum sum;

	if (gres_sum(gres ? info->tres_per_node : info->licenses, gres ? GRES_LIST_GRES : GRES_LIST_LICENSES, name,
		     "slurmctld", &sum, l->err) < 0)
		return -1;
	l->out->ipus = gres ? sum.count * info->num_nodes : sum.count;
	return 0;
}

static int read_pools(const job_info_t *info, const struct loading *l)
{
	const struct tessera_pool *pool;
	struct gres_sum sum;

	for (size_t i = 0; (pool = tessera_conf_pool_at(l->conf, i)) != NULL; i++) {
		if (gres_sum(info->licenses, GRES_LIST_LICENSES, pool->license, "slurmctld", &sum, l->err) < 0)
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
	if (rc != 0)
		memset(out, 0, sizeof(*out));
	return rc;
}
