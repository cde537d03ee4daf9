/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/request/request_internal.h"

#define SIZES_MAX 128

/* The maximum of tiles for each of TASKS tasks on an empty node; 0: not even one. */
static unsigned find_best_per_task(const struct tessera_platform *p, unsigned tasks)
{
	unsigned k = tessera_platform_tiles(p) / tasks;

	while (k > 0 && !tessera_platform_block_ok(p, k))
		k--;
	return k;
}

/* A map names individual tiles, as --tile-affinity does. */
static bool has_map(const struct tessera_options *opt)
{
	return opt->tile_bind != NULL && strncmp(opt->tile_bind, "map:", 4) == 0;
}

static int refuse_rdus(const struct tessera_request *req, unsigned typed, unsigned long long rdus,
		       struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;
	unsigned have = tessera_platform_gres(p);
	unsigned best = find_best_per_task(p, req->tasks);

	if (rdus == typed || typed > have)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--gres=rdu:%u asks for more RDUs than a node of %s has"
					 ", which is %u; ask for rdu:%u or fewer on each node",
					 typed, p->name, have, have);
	if (best == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--gres=rdu:%u for each of %u tasks is %llu RDUs, a node of %s has %u; "
			"start %u tasks or fewer on a node, even with one tile each",
			typed, req->tasks, rdus, p->name, have, tessera_platform_tiles(p));
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"--gres=rdu:%u for each of %u tasks is %llu RDUs, a node of %s has %u; for %u "
		"tiles a task replace --gres by --tiles-per-task=%u",
		typed, req->tasks, rdus, p->name, have, best, best);
}

/* How many RDUs rdu:N requests on a node; may be more than the node has. */
static unsigned long long read_scope(const struct tessera_policy *policy,
				     const struct tessera_options *opt,
				     const struct request_asked *asked,
				     const struct tessera_request *req)
{
	unsigned long long each = 1ULL * asked->rdu.count * req->tasks, rdus = asked->rdu.count,
			   need;
	unsigned have = tessera_platform_gres(req->platform),
		 per_gres = req->platform->tiles_per_gres;
	unsigned per_task = req->tiles_per_task > 0 ? req->tiles_per_task : policy->tiles_per_task;

	/* With rdu_tile, an earlier tessera_request_scheduler() has already multiplied the RDUs. */
	if (rdus == 0 || asked->rdu_tile.given || policy->rdu_scope == TESSERA_SCOPE_NODE)
		return rdus;
	if (policy->rdu_scope == TESSERA_SCOPE_TASK ||
	    (each <= have && opt->tile_affinity == NULL && !has_map(opt)))
		rdus = each;
	/* A step cannot have more than its job. */
	need = (1ULL * per_task * req->tasks + per_gres - 1) / per_gres;
	return need > rdus && need <= have && !opt->step && opt->tile_affinity == NULL &&
			       !has_map(opt)
		       ? need
		       : rdus;
}

/* Set req->rdus and req->tiles from --gres. */
static int read_gres(const struct tessera_policy *policy, const struct tessera_options *opt,
		     const struct request_asked *asked, struct tessera_request *req,
		     struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;
	unsigned long long rdus = read_scope(policy, opt, asked, req);
	unsigned tiles = tessera_platform_tiles(p);

	if (rdus > tessera_platform_gres(p))
		return refuse_rdus(req, asked->rdu.count, rdus, err);
	if (asked->rdu_tile.count > tiles)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--gres=rdu_tile:%u asks for more tiles than a node of %s "
			"has, which is %u; ask for rdu_tile:%u or fewer on each node",
			asked->rdu_tile.count, p->name, tiles, tiles);
	req->rdus = (unsigned)rdus;
	req->tiles = rdus > 0 ? req->rdus * p->tiles_per_gres : asked->rdu_tile.count;
	if (rdus > 0 && asked->rdu_tile.given && asked->rdu_tile.count != req->tiles)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"rdu:%u is %u tiles on %s, rdu_tile:%u says %u; ask for one of them",
			req->rdus, req->tiles, p->name, asked->rdu_tile.count,
			asked->rdu_tile.count);
	return 0;
}

/* The wish must have as many tiles as --gres requests; without --gres, the wish is the request. */
static int apply_wish(const struct tessera_options *opt, struct tessera_request *req,
		      struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;
	unsigned count = tessera_tileset_count(&req->wish);
	bool whole = p->tiles_per_gres == p->tiles_per_rdu;

	if (req->tiles != 0 && req->tiles != count)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--%s names %u tile%s, --gres asks for %u; name as many, or omit --gres",
			opt->tile_affinity != NULL ? "tile-affinity" : "tile-bind=map:", count,
			count == 1 ? "" : "s", req->tiles);
	if (req->tiles != 0 || opt->step)
		return 0;
	req->tiles = count;
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p) && whole; rdu++) {
		unsigned named = tessera_tileset_count_range(&req->wish, rdu * p->tiles_per_rdu,
							     p->tiles_per_rdu);

		whole = named == 0 || named == p->tiles_per_rdu;
	}
	if (whole)
		req->rdus = count / p->tiles_per_rdu;
	return 0;
}

static int apply_tasks(const struct tessera_options *opt, struct tessera_request *req,
		       struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;
	unsigned long long need = 1ULL * req->tasks * req->tiles_per_task;
	unsigned have = tessera_platform_tiles(p);
	unsigned best;

	/* A map may give one tile to several tasks. */
	if (req->tiles_per_task == 0 || req->bind == TESSERA_BIND_MAP)
		return 0;
	if (need > have) {
		best = find_best_per_task(p, req->tasks);
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--tiles-per-task=%u for %u tasks on a node is %llu tiles, a node of %s "
			"has %u; %s%u",
			req->tiles_per_task, req->tasks, need, p->name, have,
			best > 0 ? "with so many tasks the most is --tiles-per-task="
				 : "the most tasks, with one tile each, are --ntasks-per-node=",
			best > 0 ? best : have);
	}
	if (req->tiles == 0 && !opt->step)
		req->tiles = (unsigned)need;
	if (req->tiles != 0 && need > req->tiles)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--tiles-per-task=%u for %u task%s on a node is %llu tiles, but %u %s %s",
			req->tiles_per_task, req->tasks, req->tasks == 1 ? "" : "s", need,
			req->tiles, req->tiles == 1 ? "is" : "are",
			req->has_wish ? "named; name as many in --tile-affinity"
				      : "requested; ask for as many with rdu_tile:N, or omit "
					"--gres");
	return 0;
}

/* Can the tiles be divided evenly among the tasks? Checked only if both are known. */
static int check_even_parts(const struct tessera_options *opt, const struct tessera_request *req,
			    struct tessera_error *err)
{
	char sizes[SIZES_MAX];
	bool known = (opt->ntasks > 0 || opt->ntasks_per_node > 0) && req->tiles > 0;

	if (!known || req->tiles_per_task > 0 || req->bind == TESSERA_BIND_NONE ||
	    req->bind == TESSERA_BIND_MAP)
		return 0;
	if (req->tiles % req->tasks == 0 &&
	    tessera_platform_block_ok(req->platform, req->tiles / req->tasks))
		return 0;
	tessera_platform_block_sizes(req->platform, sizes, sizeof(sizes));
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"--tile-bind=" SHOWN ": %u tile%s cannot be divided evenly among %u tasks on a "
		"node; a task can have %s tiles; set --tiles-per-task=N",
		opt->tile_bind, req->tiles, req->tiles == 1 ? "" : "s", req->tasks, sizes);
}

/*
 * Write req->advice if the tasks get fewer tiles than the site's TilesPerTask. Not for a step,
 * which has its job's tiles, nor if the user divides the tiles by an option.
 */
static void write_advice(const struct tessera_policy *policy, const struct tessera_options *opt,
			 struct tessera_request *req)
{
	unsigned each = policy->tiles_per_task, have = tessera_platform_tiles(req->platform);
	unsigned long long need = 1ULL * each * req->tasks;

	if (need <= req->tiles || opt->step || opt->tiles_per_task != NULL ||
	    opt->tile_bind != NULL)
		return;
	if (need <= have)
		snprintf(req->advice, sizeof(req->advice),
			 "%u task%s on a node need%s %u tiles each, %llu in all, but %u are "
			 "requested; to request %llu, replace --gres by --tiles-per-task=%u",
			 req->tasks, req->tasks == 1 ? "" : "s", req->tasks == 1 ? "s" : "", each,
			 need, req->tiles, need, each);
	else
		snprintf(req->advice, sizeof(req->advice),
			 "%u tasks on a node need %u tiles each, %llu in all, but a node of %s has "
			 "%u; start %u tasks or fewer on a node",
			 req->tasks, each, need, req->platform->name, have, have / each);
}

/* --gres requests no tiles, but another option does. A step may have inherited that option. */
static int check_zero(const struct tessera_options *opt, const struct request_asked *asked,
		      const struct tessera_request *req, struct tessera_error *err)
{
	const char *option = opt->tiles_per_task != NULL  ? "tiles-per-task"
			     : opt->tile_affinity != NULL ? "tile-affinity"
							  : "tile-bind";

	if (req->tiles > 0 || opt->step ||
	    !(asked->none || asked->rdu.given || asked->rdu_tile.given))
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "--gres=" SHOWN
				 " asks for no tiles, but --%s for some; omit one of them",
				 opt->gres, option);
}

static int read_shape(struct tessera_request *req, struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;

	if (req->tiles == 0 || req->has_wish)
		return 0;
	if (req->rdus > 0 && p->tiles_per_gres == p->tiles_per_rdu) {
		req->shape.whole = req->rdus;
		return 0;
	}
	/* If a GRES `rdu` is part of an RDU, each is a block, unless a task needs larger ones. */
	if (req->rdus > 0 && req->tiles_per_task <= p->tiles_per_gres) {
		req->shape.blocks = req->rdus;
		req->shape.block = p->tiles_per_gres;
		return 0;
	}
	return tessera_request_shape(p, req->tiles, req->tiles_per_task, &req->shape, err);
}

static int read_per_task(const struct tessera_options *opt, struct tessera_request *req,
			 struct tessera_error *err)
{
	const struct tessera_platform *p = req->platform;
	char sizes[SIZES_MAX];
	unsigned k = 0;

	if (gres_option_count("--tiles-per-task", opt->tiles_per_task, &k, err) < 0)
		return -1;
	req->tiles_per_task = k;
	if (tessera_platform_block_ok(p, k))
		return 0;
	tessera_platform_block_sizes(p, sizes, sizeof(sizes));
	if (k > tessera_platform_tiles(p))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--tiles-per-task=%u is more tiles than a node of %s has, "
					 "which is %u; ask for %s",
					 k, p->name, tessera_platform_tiles(p), sizes);
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "--tiles-per-task=%u is not a valid size on %s: use %s", k,
				 p->name, sizes);
}

int request_read_tiles(const struct tessera_conf *conf, const struct tessera_options *opt,
		       const struct request_asked *asked, struct tessera_request *req,
		       struct tessera_error *err)
{
	const struct tessera_policy *policy =
		opt->policy != NULL ? opt->policy : tessera_conf_policy(conf);

	if (opt->tiles_per_task != NULL && read_per_task(opt, req, err) < 0)
		return -1;
	if (read_gres(policy, opt, asked, req, err) < 0 || check_zero(opt, asked, req, err) < 0 ||
	    request_read_bind(opt, req, err) < 0)
		return -1;
	if (req->has_wish && apply_wish(opt, req, err) < 0)
		return -1;
	if (apply_tasks(opt, req, err) < 0)
		return -1;
	if (req->tiles == 0 && !opt->step)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"--tile-bind=" SHOWN
			" needs tiles to divide: add --gres=rdu:N or --tiles-per-task=N",
			opt->tile_bind);
	if (req->bind == 0)
		req->bind = req->tiles_per_task > 0 ? TESSERA_BIND_BLOCK : TESSERA_BIND_NONE;
	if (check_even_parts(opt, req, err) < 0)
		return -1;
	write_advice(policy, opt, req);
	return read_shape(req, err);
}

/* The next number above TILES that is a valid size: whole RDUs and at most one block. */
static unsigned find_next_size(const struct tessera_platform *p, unsigned tiles)
{
	unsigned left;

	do {
		tiles++;
		left = tiles % p->tiles_per_rdu;
	} while (left != 0 && p->tiles_per_rdu % left != 0);
	return tiles;
}

int tessera_request_shape(const struct tessera_platform *p, unsigned tiles, unsigned tiles_per_task,
			  struct tessera_shape *shape, struct tessera_error *err)
{
	unsigned have = tessera_platform_tiles(p);
	unsigned per_rdu = p->tiles_per_rdu;
	char sizes[SIZES_MAX];
	unsigned left;

	if (tiles == 0 || tiles > have)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%u tiles requested, but a node of %s has %u; ask for 1 to %u", tiles,
			p->name, have, have);
	left = tiles % per_rdu;
	if (tiles_per_task > 0 && tiles_per_task < per_rdu && per_rdu % tiles_per_task == 0 &&
	    tiles % tiles_per_task == 0) {
		*shape = (struct tessera_shape){.blocks = tiles / tiles_per_task,
						.block = tiles_per_task};
		return 0;
	}
	if (left != 0 && per_rdu % left != 0) {
		tessera_platform_block_sizes(p, sizes, sizeof(sizes));
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"rdu_tile:%u is not a valid size on %s: %u tiles remain after whole RDUs, "
			"and tiles are allocated in blocks of %s; ask for rdu_tile:%u",
			tiles, p->name, left, sizes, find_next_size(p, tiles));
	}
	*shape = (struct tessera_shape){
		.whole = tiles / per_rdu, .blocks = left != 0, .block = left};
	return 0;
}
