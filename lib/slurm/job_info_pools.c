/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/conf/gres_list.h"
#include "lib/request/gres_detail.h"
#include "lib/slurm/job_info.h"
#include "lib/slurm/job_info_pools.h"

struct loading {
	const struct tessera_conf *conf;
	struct job_pools *out;
	struct tessera_error *err;
};

/*
 * If IPUs are GRES, slurmctld reports what it allocated on each node. The request limits it,
 * because --exclusive allocates all that a node has.
 */
static int read_ipu_gres(const job_info_t *info, const struct loading *l)
{
	const char *name = tessera_conf_ipu_name(l->conf);
	struct gres_sum each;

	if (gres_sum(info->tres_per_node, GRES_LIST_GRES, name, "the job's TresPerNode", &each,
		     l->err) < 0)
		return -1;
	if (each.count > 0 && info->gres_detail_cnt != info->num_nodes)
		return tessera_error_set(
			l->err, TESSERA_ERR_UNAVAILABLE,
			"slurmctld reports the allocated %s on only %u of the job's %u nodes", name,
			info->gres_detail_cnt, info->num_nodes);
	return tessera_gres_detail_total(info->gres_detail_str, info->gres_detail_cnt, name,
					 each.count, &l->out->ipus, l->err);
}

static int read_ipus(const job_info_t *info, const struct loading *l)
{
	struct gres_sum sum;

	if (tessera_conf_ipu_model(l->conf) == TESSERA_IPU_GRES)
		return read_ipu_gres(info, l);
	if (gres_sum(info->licenses, GRES_LIST_LICENSES, tessera_conf_ipu_name(l->conf),
		     "the job's Licenses", &sum, l->err) < 0)
		return -1;
	l->out->ipus = sum.count;
	return 0;
}

static int read_pools(const job_info_t *info, const struct loading *l)
{
	const struct tessera_pool *pool;
	struct gres_sum sum;

	for (size_t i = 0; (pool = tessera_conf_pool_at(l->conf, i)) != NULL; i++) {
		if (gres_sum(info->licenses, GRES_LIST_LICENSES, pool->license,
			     "the job's Licenses", &sum, l->err) < 0)
			return -1;
		l->out->pools[i] = sum.count;
		l->out->any = l->out->any || sum.count > 0;
	}
	return 0;
}

static int read_counts(const job_info_t *info, const struct loading *l, int index)
{
	struct job_pools *out = l->out;

	out->found = true;
	out->uid = info->user_id;
	out->restarts = info->restart_cnt;
	out->nodes = info->num_nodes;
	out->tasks = info->num_tasks > 0 && info->num_tasks != NO_VAL ? info->num_tasks : 1;
	out->first = index == 0;
	job_info_first_node(info->nodes, out->first_node, sizeof(out->first_node));
	if (read_pools(info, l) < 0 || read_ipus(info, l) < 0)
		return -1;
	out->any = out->any || out->ipus > 0;
	return 0;
}

int job_info_read_pools(const job_info_t *info, const char *node, const struct tessera_conf *conf,
			struct job_pools *out, struct tessera_error *err)
{
	const struct loading loading = {.conf = conf, .out = out, .err = err};
	int index = job_info_node_index(info->nodes, node);
	int rc = index < 0 ? 1 : read_counts(info, &loading, index);

	if (rc != 0) {
		out->any = false;
		out->ipus = 0;
		memset(out->pools, 0, sizeof(out->pools));
	}
	return rc;
}
