/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/submit/job_desc.h"
#include "gres/submit/spank_env.h"
#include "lib/conf/gres_list.h"
#include "lib/conf/names.h"
#include "lib/request/request.h"
#include "lib/request/request_tres.h"
#include "lib/util/strbuf.h"

/* What a job requests, from the several fields of Slurm's descriptor. */
struct requested {
	struct tessera_options opt;
	const char *per_task;
	const char *per_job;
	const char *per_socket;
	bool options; /* it has any option of tessera's */
};

/* A change has only the fields that change. */
static const char *pick_newer(const char *text, const char *old)
{
	return text != NULL ? text : old;
}

/* scontrol sends an emptied list as its first prefix alone. */
static const char *pick_newer_tres(const char *text, const char *old)
{
	const char *tres = pick_newer(text, old);

	return tres != NULL && (strcmp(tres, "gres:") == 0 || strcmp(tres, "gres/") == 0) ? ""
											  : tres;
}

static uint32_t pick_newer_number(uint32_t number, uint32_t none, uint32_t old)
{
	if (number != none)
		return number;
	return old != none ? old : 0;
}

static void read_requested(const struct tessera_conf *conf, const job_desc_msg_t *desc,
			   const job_desc_msg_t *old, struct requested *requested)
{
	job_desc_msg_t none;

	if (old == NULL) {
		slurm_init_job_desc_msg(&none);
		old = &none;
	}
	*requested = (struct requested){
		.opt.gres = pick_newer_tres(desc->tres_per_node, old->tres_per_node),
		.opt.licenses = pick_newer(desc->licenses, old->licenses),
		.opt.nodes = pick_newer_number(desc->min_nodes, NO_VAL, old->min_nodes),
		.opt.ntasks = pick_newer_number(desc->num_tasks, NO_VAL, old->num_tasks),
		.opt.ntasks_per_node =
			pick_newer_number(desc->ntasks_per_node, NO_VAL16, old->ntasks_per_node),
		.per_task = pick_newer(desc->tres_per_task, old->tres_per_task),
		.per_job = pick_newer(desc->tres_per_job, old->tres_per_job),
		.per_socket = pick_newer(desc->tres_per_socket, old->tres_per_socket),
	};
	requested->options = spank_env_read(conf, old, &requested->opt);
	requested->options = spank_env_read(conf, desc, &requested->opt) || requested->options;
}

/* The first list other than --gres that requests IPUs: "task", "job" or "socket"; or NULL. */
static const char *find_ipu_list(const struct tessera_conf *conf, const struct requested *requested)
{
	const char *const lists[] = {requested->per_task, requested->per_job,
				     requested->per_socket};
	static const char *const names[] = {"task", "job", "socket"};

	for (size_t i = 0; conf != NULL && i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct gres_sum sum;

		if (gres_sum(lists[i], GRES_LIST_GRES, tessera_conf_ipu_name(conf), "", &sum,
			     NULL) < 0 ||
		    sum.count > 0)
			return names[i];
	}
	return NULL;
}

bool job_desc_asks(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		   const job_desc_msg_t *old)
{
	struct requested requested;

	read_requested(conf, desc, old, &requested);
	return (conf == NULL && requested.options) || tessera_options_any(conf, &requested.opt) ||
	       gres_asks_tiles(requested.per_task) || gres_asks_tiles(requested.per_job) ||
	       gres_asks_tiles(requested.per_socket) || find_ipu_list(conf, &requested) != NULL;
}

bool job_desc_moves(const job_desc_msg_t *desc)
{
	return desc->tres_per_node != NULL || desc->tres_per_task != NULL ||
	       desc->tres_per_job != NULL || desc->tres_per_socket != NULL ||
	       desc->partition != NULL;
}

bool job_desc_touches(const job_desc_msg_t *desc)
{
	return desc->tres_per_node != NULL || desc->tres_per_task != NULL ||
	       desc->tres_per_job != NULL || desc->tres_per_socket != NULL ||
	       desc->licenses != NULL || desc->partition != NULL || desc->req_nodes != NULL ||
	       desc->min_nodes != NO_VAL || desc->num_tasks != NO_VAL ||
	       desc->ntasks_per_node != NO_VAL16;
}

int job_desc_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err)
{
	const struct {
		const char *option;
		const char *text;
	} texts[] = {
		{"--gres", desc->tres_per_node},      {"tres_per_task", desc->tres_per_task},
		{"tres_per_job", desc->tres_per_job}, {"tres_per_socket", desc->tres_per_socket},
		{"--licenses", desc->licenses},       {"--partition", desc->partition},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (gres_check_length(texts[i].option, texts[i].text, err) < 0)
			return -1;
	return spank_env_check_sizes(desc, err);
}

/*
 * Tiles per job or per socket cannot be translated to tiles per node, and IPUs are counted for the
 * whole job.
 */
static int check_places(const struct tessera_conf *conf, const struct requested *requested,
			struct tessera_error *err)
{
	const char *ipus = find_ipu_list(conf, requested);
	const char *place = gres_asks_tiles(requested->per_job)      ? "job"
			    : gres_asks_tiles(requested->per_socket) ? "socket"
								     : NULL;

	if (ipus != NULL)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"IPUs requested per %s, but they are counted for the whole "
			"job; use --ipus=N",
			ipus);
	if (place == NULL)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "RDUs or tiles requested per %s, but they are counted on each "
				 "node; use --gres=rdu:N",
				 place);
}

static int check_lengths(const struct tessera_options *opt, struct tessera_error *err)
{
	const char *texts[5 + TESSERA_POOLS_MAX] = {opt->tiles_per_task, opt->tile_affinity,
						    opt->tile_bind, opt->ipus, opt->ipu_gcds};

	memcpy(texts + 5, opt->pools, sizeof(opt->pools));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i] != NULL && strlen(texts[i]) > OPTION_TEXT_MAX)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"an option has %zu characters, at most %d are allowed",
				strlen(texts[i]), OPTION_TEXT_MAX);
	}
	return 0;
}

/*
 * Replace *TEXT by WITH unless ASKED, what was requested so far, means the same. slurmctld owns
 * *TEXT, so the new one is allocated by Slurm's allocator. An empty list is NULL in a new job, ""
 * in a change.
 */
static void replace_text(char **text, const char *requested, const char *with, bool change)
{
	if (!request_tres_differs(requested, with))
		return;
	slurm_xfree((void **)text);
	*text = with[0] != '\0' || change ? slurm_xstrdup(with) : NULL;
}

/*
 * Add the prefix that slurmctld expects to each item: a list made from options alone has none.
 * Returns the list, to be freed with free(), or NULL with ERR.
 */
static char *add_prefix(const char *text, struct tessera_error *err)
{
	size_t len = (strlen(TESSERA_TRES_PREFIX) + 1) * (strlen(text) + 1);
	char *out = malloc(len);
	struct gres_walk walk;
	struct gres_item item;
	struct strbuf list;

	if (out == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	list = strbuf_start(out, len);
	gres_walk_start(&walk, text, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item))
		strbuf_put(&list, "%s" TESSERA_TRES_PREFIX "%.*s", list.used > 0 ? "," : "",
			   (int)(item.len - item.prefix_len), item.text + item.prefix_len);
	return out;
}

int job_desc_unasked(const struct tessera_conf *conf, job_desc_msg_t *desc,
		     const job_desc_msg_t *old, const char *default_partition,
		     struct unasked_decision *decision, struct tessera_error *err)
{
	const char *partition = pick_newer(desc->partition, old != NULL ? old->partition : NULL);
	struct unasked unasked;
	struct requested requested;
	char *gres;

	read_requested(conf, desc, old, &requested);
	unasked = unasked_read(&requested.opt);
	unasked.tiles = unasked.tiles || gres_asks_tiles(requested.per_task) ||
			gres_asks_tiles(requested.per_job) || gres_asks_tiles(requested.per_socket);
	unasked.none = unasked.none || gres_refuses_tiles(requested.per_task) ||
		       spank_env_no_tiles(desc) || (old != NULL && spank_env_no_tiles(old));
	if (unasked_decide(conf, pick_newer(partition, default_partition), &unasked, decision,
			   err) < 0)
		return -1;
	if (decision->act != UNASKED_ADD)
		return 0;
	gres = unasked_add(requested.opt.gres, decision->gres, TESSERA_TRES_PREFIX);
	if (gres == NULL)
		return tessera_error_nomem(err);
	slurm_xfree((void **)&desc->tres_per_node);
	desc->tres_per_node = slurm_xstrdup(gres);
	free(gres);
	return 0;
}

/* A new job's nodes read the counts of IPUs and pools from its options, so add these. */
static void add_options(const struct tessera_conf *conf, job_desc_msg_t *desc,
			const struct requested *requested, const struct tessera_request *req)
{
	const struct tessera_pool *pool;

	if (requested->opt.ipus == NULL && req->ipus > 0)
		spank_env_add(desc, "ipus", req->ipus);
	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL;
	     i++)
		if (requested->opt.pools[i] == NULL && req->pools[i] > 0)
			spank_env_add(desc, pool->option, req->pools[i]);
}

/* The platform of the job's partitions, NULL if the request needs none; and their policy. */
static int find_platform(const struct tessera_conf *conf, struct requested *requested,
			 const char *partitions, const struct tessera_platform **platform,
			 struct tessera_error *err)
{
	*platform = NULL;
	if (!tessera_options_need_platform(conf, &requested->opt) &&
	    !gres_asks_tiles(requested->per_task))
		return 0;
	return tessera_conf_partition_platform(conf, partitions, platform, err) < 0
		       ? -1
		       : tessera_conf_partition_policy(conf, partitions, &requested->opt.policy,
						       err);
}

int job_desc_check(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		   const char *default_partition, char *advice, size_t advice_len,
		   struct tessera_error *err)
{
	const char *partition = pick_newer(desc->partition, old != NULL ? old->partition : NULL);
	const struct tessera_platform *platform;
	struct request_tres *all = NULL, *each = NULL;
	struct requested requested;
	char *gres = NULL;
	int rc = -1;

	read_requested(conf, desc, old, &requested);
	if (check_places(conf, &requested, err) < 0 || check_lengths(&requested.opt, err) < 0 ||
	    find_platform(conf, &requested, pick_newer(partition, default_partition), &platform,
			  err) < 0)
		return -1;
	if (gres_asks_tiles(requested.per_task)) {
		each = request_tres_per_task(conf, platform, requested.per_task,
					     requested.opt.tiles_per_task, err);
		if (each == NULL)
			goto cleanup;
		if (old == NULL && requested.opt.tiles_per_task == NULL)
			spank_env_add(desc, "tiles-per-task", each->req.tiles);
		/* slurmctld counts these tiles itself. */
		requested.opt.tiles_per_task = NULL;
	}
	all = request_tres_new(conf, platform, &requested.opt, err);
	if (all == NULL)
		goto cleanup;
	if (gres_given(requested.opt.gres) == NULL) {
		gres = add_prefix(all->gres, err);
		if (gres == NULL)
			goto cleanup;
	}
	if (each != NULL)
		replace_text(&desc->tres_per_task, requested.per_task, each->gres, old != NULL);
	replace_text(&desc->tres_per_node, requested.opt.gres, gres != NULL ? gres : all->gres,
		     old != NULL);
	replace_text(&desc->licenses, requested.opt.licenses, all->licenses, old != NULL);
	snprintf(advice, advice_len, "%s", all->req.advice);
	if (old == NULL)
		add_options(conf, desc, &requested, &all->req);
	rc = 0;
cleanup:
	free(gres);
	request_tres_free(all);
	request_tres_free(each);
	return rc;
}
