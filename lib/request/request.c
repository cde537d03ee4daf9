/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/conf/gres_list.h"
#include "lib/request/request.h"
#include "lib/request/request_internal.h"
#include "lib/request/sharing.h"

unsigned request_nodes(const struct tessera_options *opt)
{
	return opt->nodes > 0 ? opt->nodes : 1;
}

static unsigned count_node_tasks(const struct tessera_options *opt)
{
	unsigned tasks = sharing_tasks(opt->ntasks, opt->ntasks_per_node, opt->nodes);

	return tasks > 0 ? tasks : 1;
}

static unsigned count_job_tasks(const struct tessera_options *opt)
{
	unsigned nodes = request_nodes(opt);

	if (opt->ntasks > 0)
		return opt->ntasks;
	return opt->ntasks_per_node > UINT_MAX / nodes ? UINT_MAX : opt->ntasks_per_node * nodes;
}

static bool has_tile_options(const struct tessera_options *opt)
{
	return opt->tiles_per_task != NULL || opt->tile_affinity != NULL || opt->tile_bind != NULL;
}

/* A text that cannot be parsed counts as a request: tessera_request_read() reports the error. */
static bool list_requests(const char *text, enum gres_list list, const char *name)
{
	struct gres_sum sum;

	return gres_sum(text, list, name, "", &sum, NULL) < 0 || sum.count > 0;
}

bool tessera_options_need_platform(const struct tessera_conf *conf,
				   const struct tessera_options *opt)
{
	const char *ipu = conf != NULL ? tessera_conf_ipu_name(conf) : GRES_IPU;

	return has_tile_options(opt) || opt->ipus != NULL || opt->ipu_gcds != NULL ||
	       list_requests(opt->gres, GRES_LIST_GRES, GRES_RDU) ||
	       list_requests(opt->gres, GRES_LIST_GRES, GRES_RDU_TILE) ||
	       list_requests(opt->gres, GRES_LIST_GRES, ipu) ||
	       list_requests(opt->licenses, GRES_LIST_LICENSES, ipu);
}

bool tessera_options_any(const struct tessera_conf *conf, const struct tessera_options *opt)
{
	const struct tessera_pool *pool;

	for (size_t i = 0; i < TESSERA_POOLS_MAX; i++)
		if (opt->pools[i] != NULL)
			return true;
	for (size_t i = 0; conf != NULL && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (list_requests(opt->licenses, GRES_LIST_LICENSES, pool->license))
			return true;
	return tessera_options_need_platform(conf, opt);
}

static int read_asked(const struct tessera_conf *conf, const struct tessera_options *opt,
		      struct request_asked *asked, struct tessera_error *err)
{
	const char *ipu = tessera_conf_ipu_name(conf);
	const char *gres = gres_given(opt->gres);

	*asked = (struct request_asked){0};
	asked->none = gres != NULL && strcmp(gres, "none") == 0;
	if (gres_sum(gres, GRES_LIST_GRES, GRES_RDU, "--gres", &asked->rdu, err) < 0 ||
	    gres_sum(gres, GRES_LIST_GRES, GRES_RDU_TILE, "--gres", &asked->rdu_tile, err) < 0 ||
	    gres_sum(gres, GRES_LIST_GRES, ipu, "--gres", &asked->ipu, err) < 0)
		return -1;
	if (tessera_conf_ipu_model(conf) != TESSERA_IPU_LICENSE)
		return 0;
	return gres_sum(opt->licenses, GRES_LIST_LICENSES, ipu, "--licenses", &asked->license, err);
}

static int check_kind(const struct tessera_platform *p, bool tiles, bool ipus,
		      struct tessera_error *err)
{
	if (p == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s requested, but the partition has no platform in "
					 "tessera.conf; choose a partition that has one, or have "
					 "the administrator add: partition NAME { Platform = ... }",
					 tiles ? "tiles" : "IPUs");
	if (tessera_platform_check(p, err) < 0)
		return -1;
	if (tiles && p->kind != TESSERA_KIND_RDU)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has no RDUs and no tiles; ask for its IPUs "
					 "with --ipus=N, or for a partition with RDUs",
					 p->name);
	if (ipus && p->kind != TESSERA_KIND_IPU)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "platform %s has no IPUs; ask for its RDUs with "
					 "--gres=rdu:N, or for a partition with IPUs",
					 p->name);
	return 0;
}

int request_check_licenses(const struct tessera_options *opt, unsigned count, const char *what,
			   struct tessera_error *err)
{
	const char *licenses = gres_given(opt->licenses);

	if (licenses == NULL || strchr(licenses, '|') == NULL)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%u %s are requested as licenses, but --licenses=" SHOWN
				 " names alternatives; separate licenses with commas",
				 count, what, licenses);
}

static int read_pool(const struct tessera_pool *pool, const char *value,
		     const struct tessera_options *opt, unsigned *count, struct tessera_error *err)
{
	char option[TESSERA_NAME_MAX + 2];
	struct gres_sum licenses;
	unsigned asked = 0;

	snprintf(option, sizeof(option), "--%s", pool->option);
	if (value != NULL && gres_option_count(option, value, &asked, err) < 0)
		return -1;
	if (gres_sum(opt->licenses, GRES_LIST_LICENSES, pool->license, "--licenses", &licenses,
		     err) < 0)
		return -1;
	if (value != NULL && licenses.given && licenses.count != asked)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s=%u and --licenses=%s:%u differ; ask once, with %s=N",
					 option, asked, pool->license, licenses.count, option);
	if (value == NULL)
		asked = licenses.count;
	if (asked == 0)
		return 0;
	if (tessera_pool_allows(pool, asked, err) < 0 ||
	    request_check_licenses(opt, asked, pool->name, err) < 0)
		return -1;
	*count = asked;
	return 0;
}

/* What is requested of each pool, on any platform: req->pools. */
static int read_pools(const struct tessera_conf *conf, const struct tessera_options *opt,
		      struct tessera_request *req, struct tessera_error *err)
{
	const struct tessera_pool *pool;

	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL;
	     i++)
		if (read_pool(pool, opt->pools[i], opt, &req->pools[i], err) < 0)
			return -1;
	return 0;
}

int tessera_request_read(const struct tessera_conf *conf, const struct tessera_platform *platform,
			 const struct tessera_options *opt, struct tessera_request *req,
			 struct tessera_error *err)
{
	struct request_asked asked;
	bool tiles, ipus;

	/* The map is large, and only its first map_len entries are used. */
	memset(req, 0, offsetof(struct tessera_request, map));
	req->map_len = 0;
	req->platform = platform;
	req->tasks = count_node_tasks(opt);
	req->job_tasks = count_job_tasks(opt);
	req->bind = TESSERA_BIND_NONE;

	if (read_asked(conf, opt, &asked, err) < 0 || read_pools(conf, opt, req, err) < 0)
		return -1;
	tiles = has_tile_options(opt) || asked.rdu.count > 0 || asked.rdu_tile.count > 0;
	ipus = opt->ipus != NULL || opt->ipu_gcds != NULL || asked.ipu.count > 0 ||
	       asked.license.count > 0;
	if (!tiles && !ipus)
		return 0;
	if (check_kind(platform, tiles, ipus, err) < 0)
		return -1;
	if (tiles)
		return request_read_tiles(conf, opt, &asked, req, err);
	return request_read_ipus(conf, opt, &asked, req, err);
}
