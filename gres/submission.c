/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/spank_env.h"
#include "gres/submission.h"
#include "lib/gres.h"
#include "lib/request.h"
#include "plugin/normalise.h"
#include "plugin/options.h"

/* What a job asks for, in Slurm's several places. */
struct asked {
	struct tessera_options opt;
	const char *per_task;
	const char *per_job;
	const char *per_socket;
	bool options; /* any option of ours came along */
};

/* A change says only what changes. */
static const char *newer(const char *text, const char *old)
{
	return text != NULL ? text : old;
}

/* scontrol writes a list that was emptied as its first prefix alone. */
static const char *newer_tres(const char *text, const char *old)
{
	const char *tres = newer(text, old);

	return tres != NULL && (strcmp(tres, "gres:") == 0 || strcmp(tres, "gres/") == 0) ? "" : tres;
}

static uint32_t newer_number(uint32_t number, uint32_t none, uint32_t old)
{
	if (number != none)
		return number;
	return old != none ? old : 0;
}

static void read_asked(const struct tessera_conf *conf, const job_desc_msg_t *desc, const job_desc_msg_t *old,
		       struct asked *asked)
{
	job_desc_msg_t none;

	if (old == NULL) {
		slurm_init_job_desc_msg(&none);
		old = &none;
	}
	*asked = (struct asked){
		.opt.gres = newer_tres(desc->tres_per_node, old->tres_per_node),
		.opt.licenses = newer(desc->licenses, old->licenses),
		.opt.nodes = newer_number(desc->min_nodes, NO_VAL, old->min_nodes),
		.opt.ntasks = newer_number(desc->num_tasks, NO_VAL, old->num_tasks),
		.opt.ntasks_per_node = newer_number(desc->ntasks_per_node, NO_VAL16, old->ntasks_per_node),
		.per_task = newer(desc->tres_per_task, old->tres_per_task),
		.per_job = newer(desc->tres_per_job, old->tres_per_job),
		.per_socket = newer(desc->tres_per_socket, old->tres_per_socket),
	};
	asked->options = spank_env_read(conf, old, &asked->opt);
	asked->options = spank_env_read(conf, desc, &asked->opt) || asked->options;
}

/* A list that is no node's asks for IPUs: "task", "job", "socket"; NULL: none does. */
static const char *asks_ipus_by(const struct tessera_conf *conf, const struct asked *asked)
{
	const char *const lists[] = {asked->per_task, asked->per_job, asked->per_socket};
	static const char *const names[] = {"task", "job", "socket"};

	for (size_t i = 0; conf != NULL && i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct gres_sum sum;

		if (gres_sum(lists[i], GRES_LIST_GRES, tessera_conf_ipu_name(conf), "", &sum, NULL) < 0 ||
		    sum.count > 0)
			return names[i];
	}
	return NULL;
}

bool submission_asks(const struct tessera_conf *conf, const job_desc_msg_t *desc, const job_desc_msg_t *old)
{
	struct asked asked;

	read_asked(conf, desc, old, &asked);
	return (conf == NULL && asked.options) || tessera_options_any(conf, &asked.opt) ||
	       gres_asks_tiles(asked.per_task) || gres_asks_tiles(asked.per_job) ||
	       gres_asks_tiles(asked.per_socket) || asks_ipus_by(conf, &asked) != NULL;
}

bool submission_moves(const job_desc_msg_t *desc)
{
	return desc->tres_per_node != NULL || desc->tres_per_task != NULL || desc->tres_per_job != NULL ||
	       desc->tres_per_socket != NULL || desc->partition != NULL;
}

bool submission_touches(const job_desc_msg_t *desc)
{
	return desc->tres_per_node != NULL || desc->tres_per_task != NULL || desc->tres_per_job != NULL ||
	       desc->tres_per_socket != NULL || desc->licenses != NULL || desc->partition != NULL ||
	       desc->req_nodes != NULL || desc->min_nodes != NO_VAL || desc->num_tasks != NO_VAL ||
	       desc->ntasks_per_node != NO_VAL16;
}

int submission_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err)
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
 * What is said of a whole job or of a socket cannot be turned into tiles of a node, and IPUs are counted for the job by
 * their own option.
 */
static int check_places(const struct tessera_conf *conf, const struct asked *asked, struct tessera_error *err)
{
	const char *ipus = asks_ipus_by(conf, asked);
	const char *place = gres_asks_tiles(asked->per_job)      ? "job"
			    : gres_asks_tiles(asked->per_socket) ? "socket"
								 : NULL;

	if (ipus != NULL)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"IPUs are asked for by %s, but they are counted for the whole job; ask for them "
			"with --ipus=N",
			ipus);
	if (place == NULL)
		return 0;
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"RDUs and tiles are asked for by %s, but they are counted on each node; ask for them "
		"with --gres=rdu:N",
		place);
}

static int check_lengths(const struct tessera_options *opt, struct tessera_error *err)
{
	const char *texts[5 + TESSERA_POOLS_MAX] = {opt->tiles_per_task, opt->tile_affinity, opt->tile_bind,
						    opt->ipus, opt->ipu_gcds};

	memcpy(texts + 5, opt->pools, sizeof(opt->pools));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i] != NULL && strlen(texts[i]) > OPTION_TEXT_MAX)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "an option has %zu characters, at most %d can be read",
						 strlen(texts[i]), OPTION_TEXT_MAX);
	}
	return 0;
}

/*
 * *TEXT belongs to slurmctld, and so must what takes its place. ASKED is what held before. A new job that asks for
 * nothing says so by NULL, a change by "".
 */
static void replace(char **text, const char *asked, const char *with, bool change)
{
	if (!normalised_differs(asked, with))
		return;
	slurm_xfree((void **)text);
	*text = with[0] != '\0' || change ? slurm_xstrdup(with) : NULL;
}

/*
 * What options alone ask for comes without the prefix that slurmctld wants to see, because there was nothing to take
 * it from. Returns what is to be freed with free(), or NULL with ERR.
 */
static char *with_prefix(const char *text, struct tessera_error *err)
{
	size_t len = (strlen(TESSERA_TRES_PREFIX) + 1) * (strlen(text) + 1);
	char *out = malloc(len);
	struct gres_walk walk;
	struct gres_item item;
	size_t used = 0;

	if (out == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	out[0] = '\0';
	gres_walk_start(&walk, text, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item))
		used += (size_t)snprintf(out + used, len - used, "%s" TESSERA_TRES_PREFIX "%.*s",
					 used > 0 ? "," : "", (int)(item.len - item.prefix_len),
					 item.text + item.prefix_len);
	return out;
}

int submission_unasked(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		       const char *default_partition, struct unasked_decision *decision, struct tessera_error *err)
{
	const char *partition = newer(desc->partition, old != NULL ? old->partition : NULL);
	struct unasked unasked;
	struct asked asked;
	char *gres;

	read_asked(conf, desc, old, &asked);
	unasked = unasked_read(&asked.opt);
	unasked.tiles = unasked.tiles || gres_asks_tiles(asked.per_task) || gres_asks_tiles(asked.per_job) ||
			gres_asks_tiles(asked.per_socket);
	unasked.none = unasked.none || gres_refuses_tiles(asked.per_task) || spank_env_no_tiles(desc) ||
		       (old != NULL && spank_env_no_tiles(old));
	if (unasked_decide(conf, newer(partition, default_partition), &unasked, decision, err) < 0)
		return -1;
	if (decision->act != UNASKED_ADD)
		return 0;
	gres = unasked_add(asked.opt.gres, decision->gres, TESSERA_TRES_PREFIX);
	if (gres == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	slurm_xfree((void **)&desc->tres_per_node);
	desc->tres_per_node = slurm_xstrdup(gres);
	free(gres);
	return 0;
}

/* A new job's node finds what it got among its options, however it was asked for. */
static void publish(const struct tessera_conf *conf, job_desc_msg_t *desc, const struct asked *asked,
		    const struct tessera_request *req)
{
	const struct tessera_pool *pool;

	if (asked->opt.ipus == NULL && req->ipus > 0)
		spank_env_add(desc, "ipus", req->ipus);
	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (asked->opt.pools[i] == NULL && req->pools[i] > 0)
			spank_env_add(desc, pool->option, req->pools[i]);
}

/* The platform of the job's partitions, NULL if nothing is asked for that needs one; and their policy. */
static int find_platform(const struct tessera_conf *conf, struct asked *asked, const char *partitions,
			 const struct tessera_platform **platform, struct tessera_error *err)
{
	*platform = NULL;
	if (!tessera_options_need_platform(conf, &asked->opt) && !gres_asks_tiles(asked->per_task))
		return 0;
	return tessera_conf_partition_platform(conf, partitions, platform, err) < 0
		       ? -1
		       : tessera_conf_partition_policy(conf, partitions, &asked->opt.policy, err);
}

int submission_check(const struct tessera_conf *conf, job_desc_msg_t *desc, const job_desc_msg_t *old,
		     const char *default_partition, char *advice, size_t advice_len, struct tessera_error *err)
{
	const char *partition = newer(desc->partition, old != NULL ? old->partition : NULL);
	const struct tessera_platform *platform;
	struct normalised *all = NULL, *each = NULL;
	struct asked asked;
	char *gres = NULL;
	int rc = -1;

	read_asked(conf, desc, old, &asked);
	if (check_places(conf, &asked, err) < 0 || check_lengths(&asked.opt, err) < 0 ||
	    find_platform(conf, &asked, newer(partition, default_partition), &platform, err) < 0)
		return -1;
	all = normalise(conf, platform, &asked.opt, err);
	if (all == NULL)
		goto cleanup;
	if (gres_asks_tiles(asked.per_task)) {
		each = normalise(conf, platform, &(struct tessera_options){.gres = asked.per_task}, err);
		if (each == NULL)
			goto cleanup;
	}
	if (gres_given(asked.opt.gres) == NULL) {
		gres = with_prefix(all->gres, err);
		if (gres == NULL)
			goto cleanup;
	}
	if (each != NULL)
		replace(&desc->tres_per_task, asked.per_task, each->gres, old != NULL);
	replace(&desc->tres_per_node, asked.opt.gres, gres != NULL ? gres : all->gres, old != NULL);
	replace(&desc->licenses, asked.opt.licenses, all->licenses, old != NULL);
	snprintf(advice, advice_len, "%s", all->req.advice);
	if (old == NULL)
		publish(conf, desc, &asked, &all->req);
	rc = 0;
cleanup:
	free(gres);
	normalised_free(all);
	normalised_free(each);
	return rc;
}
