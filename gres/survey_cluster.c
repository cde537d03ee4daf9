/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/survey.h"
#include "lib/counts.h"
#include "lib/granted.h"
#include "lib/gres.h"
#include "plugin/slurm_compat.h"

/* What slurmctld was asked for. */
struct answers {
	job_info_msg_t *jobs;
	node_info_msg_t *nodes;
	license_info_msg_t *licenses;
};

static int ask(struct answers *a, struct tessera_error *err)
{
	if (slurm_load_jobs(0, &a->jobs, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS &&
	    slurm_load_node(0, &a->nodes, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS &&
	    slurm_load_licenses(0, &a->licenses, SHOW_ALL) == SLURM_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmctld did not say what its jobs hold: %s",
				 slurm_strerror(errno));
}

static void forget(struct answers *a)
{
	if (a->jobs != NULL)
		slurm_free_job_info_msg(a->jobs);
	if (a->nodes != NULL)
		slurm_free_node_info_msg(a->nodes);
	if (a->licenses != NULL)
		slurm_free_license_info_msg(a->licenses);
}

/* Its word for a job that holds something; NULL for one that does not. */
static const char *state_of(const job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;

	if (job->job_state & JOB_COMPLETING)
		return "completing";
	if (state == JOB_RUNNING)
		return "running";
	return state == JOB_SUSPENDED ? "suspended" : NULL;
}

static int add(struct survey *s, const job_info_t *job, const char *node, const char *resource, unsigned count,
	       struct tessera_error *err)
{
	struct survey_item *item;

	if (count == 0)
		return 0;
	item = survey_add(s, node, resource, err);
	if (item == NULL)
		return -1;
	item->job = job->job_id;
	item->uid = job->user_id;
	item->state = state_of(job);
	item->count = count;
	return 0;
}

/* IPUs of the node, as slurmctld counts them; none where it says nothing of them any more, because the job is ending. */
static int add_ipus_of_job(struct survey *s, const struct tessera_conf *conf, const job_info_t *job,
			   const char *node, char *detail, struct tessera_error *err)
{
	struct tessera_error why = {0};
	unsigned ipus;

	if (tessera_granted_total(&detail, 1, tessera_conf_ipu_name(conf), UINT_MAX, &ipus, &why) < 0 &&
	    why.code != TESSERA_ERR_MISSING) {
		*err = why;
		return tessera_error_prefix(err, "job %u on %s", job->job_id, node);
	}
	return add(s, job, node, SURVEY_IPUS, ipus, err);
}

static int add_node_of_job(struct survey *s, const struct tessera_conf *conf, const job_info_t *job,
			   const char *node, char *detail, struct tessera_error *err)
{
	const struct tessera_platform *p = tessera_conf_node_platform(conf, node);
	struct tessera_granted granted;

	if (p == NULL)
		return 0;
	if (p->kind == TESSERA_KIND_RDU) {
		if (tessera_granted_read(detail, &granted, err) < 0)
			return tessera_error_prefix(err, "job %u on %s", job->job_id, node);
		return add(s, job, node, SURVEY_TILES, granted.tiles, err);
	}
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE)
		return 0;
	return add_ipus_of_job(s, conf, job, node, detail, err);
}

/* The licence that counts the IPUs, or a pool. */
static int add_license_of_job(struct survey *s, const job_info_t *job, const char *license, const char *resource,
			      struct tessera_error *err)
{
	struct gres_sum sum = {0};

	if (gres_total(job->licenses, GRES_LIST_LICENSES, license, "--licenses", &sum, err) < 0)
		return tessera_error_prefix(err, "job %u", job->job_id);
	return add(s, job, "", resource, sum.count, err);
}

static int add_job(struct survey *s, const struct tessera_conf *conf, const job_info_t *job,
		   struct tessera_error *err)
{
	tessera_slurm_hostlist nodes = slurm_hostlist_create(job->nodes);
	const struct tessera_pool *pool;
	uint32_t index = 0;
	char *node;
	int rc = 0;

	while (rc == 0 && nodes != NULL && (node = slurm_hostlist_shift(nodes)) != NULL) {
		char *detail = index < job->gres_detail_cnt ? job->gres_detail_str[index] : NULL;

		rc = add_node_of_job(s, conf, job, node, detail, err);
		free(node);
		index++;
	}
	if (nodes != NULL)
		slurm_hostlist_destroy(nodes);
	if (rc == 0 && tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE)
		rc = add_license_of_job(s, job, tessera_conf_ipu_name(conf), SURVEY_IPUS, err);
	for (size_t i = 0; rc == 0 && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		rc = add_license_of_job(s, job, pool->license, pool->name, err);
	return rc;
}

/* How much of RESOURCE the jobs that we were told of hold on NODE. */
static unsigned held(const struct survey *s, const char *node, const char *resource)
{
	unsigned sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->items[i].node, node) == 0 && strcmp(s->items[i].resource, resource) == 0)
			sum += s->items[i].count;
	return sum;
}

/*
 * What is free of TOTAL, of which IN_USE is used. Slurm may not tell everyone of everyone's jobs: what they have is
 * nobody's that we know, but it is not free.
 */
static int add_rest(struct survey *s, const char *node, const char *resource, unsigned total, unsigned in_use,
		    struct tessera_error *err)
{
	unsigned known = held(s, node, resource);
	struct survey_item *item;

	in_use = in_use > known ? in_use : known;
	if (in_use > known) {
		item = survey_add(s, node, resource, err);
		if (item == NULL)
			return -1;
		item->state = "held";
		item->count = in_use - known;
	}
	item = survey_add(s, node, resource, err);
	if (item == NULL)
		return -1;
	item->count = total > in_use ? total - in_use : 0;
	return 0;
}

static struct survey_item *add_out(struct survey *s, const node_info_t *node, const char *state, unsigned count,
				   struct tessera_error *err)
{
	struct survey_item *item = survey_add(s, node->name, SURVEY_TILES, err);

	if (item != NULL) {
		item->state = state;
		item->count = count;
	}
	return item;
}

/*
 * Tiles that no job gets: the bad ones that our drain's reason names, until slurmctld can be told, and those that it does
 * not count any more.
 */
static int add_withheld(struct survey *s, const struct tessera_platform *p, const node_info_t *node, unsigned bad,
			const struct tessera_tileset *named, unsigned counted, struct tessera_error *err)
{
	unsigned total = tessera_platform_tiles(p), missing = total > counted ? total - counted : 0;
	struct survey_item *item;

	if (bad > 0) {
		item = add_out(s, node, SURVEY_BAD, bad, err);
		if (item == NULL)
			return -1;
		item->has_tiles = !tessera_tileset_empty(named);
		item->tiles = *named;
		snprintf(item->text, sizeof(item->text), "the node is drained: %s", node->reason);
	}
	if (missing <= bad)
		return 0;
	item = add_out(s, node, SURVEY_WITHHELD, missing - bad, err);
	if (item == NULL)
		return -1;
	snprintf(item->text, sizeof(item->text), "slurmctld counts %u of %u tiles: tessera status on %s says why",
		 counted, total, node->name);
	return 0;
}

static int add_node(struct survey *s, const struct tessera_conf *conf, const node_info_t *node,
		    struct tessera_error *err)
{
	const struct tessera_platform *p = tessera_conf_node_platform(conf, node->name);
	struct tessera_tileset named;
	struct tessera_granted used;
	struct tessera_counts told;
	unsigned total, bad, counted;

	if (p == NULL || p->kind != TESSERA_KIND_RDU)
		return 0;
	if (tessera_granted_read(node->gres_used, &used, err) < 0 ||
	    tessera_counts_read(node->gres, &told, err) < 0)
		return tessera_error_prefix(err, "node %s", node->name);
	total = tessera_platform_tiles(p);
	bad = tessera_counts_reason_bad(p, node->reason, &named);
	bad = bad < total ? bad : total;
	counted = told.tile.count < total ? told.tile.count : total;
	if (add_rest(s, node->name, SURVEY_TILES, counted < total - bad ? counted : total - bad, used.tiles, err) <
	    0)
		return -1;
	return add_withheld(s, p, node, bad, &named, counted, err);
}

static int add_license(struct survey *s, const struct tessera_conf *conf, const slurm_license_info_t *license,
		       struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	    strcmp(license->name, tessera_conf_ipu_name(conf)) == 0)
		return add_rest(s, "", SURVEY_IPUS, license->total, license->in_use, err);
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (strcmp(license->name, pool->license) == 0)
			return add_rest(s, "", pool->name, license->total, license->in_use, err);
	return 0;
}

static bool is_free(const struct survey_item *item)
{
	return strcmp(item->state, SURVEY_FREE) == 0;
}

static int by_place(const void *a, const void *b)
{
	const struct survey_item *x = a, *y = b;
	int rc;

	if ((x->node[0] == '\0') != (y->node[0] == '\0'))
		return x->node[0] == '\0' ? 1 : -1;
	rc = strcmp(x->node, y->node);
	if (rc == 0)
		rc = strcmp(x->resource, y->resource);
	if (rc != 0)
		return rc;
	if (x->job != y->job)
		return x->job - 1 < y->job - 1 ? -1 : 1; /* 0 is the largest */
	if (is_free(x) != is_free(y))
		return is_free(x) ? 1 : -1;
	return strcmp(y->state, x->state);
}

void survey_sort(struct survey *s)
{
	if (s->count > 0)
		qsort(s->items, s->count, sizeof(*s->items), by_place);
}

int survey_cluster(struct survey *s, const struct tessera_conf *conf, struct tessera_error *err)
{
	struct answers a = {0};
	int rc = ask(&a, err);

	for (uint32_t i = 0; rc == 0 && i < a.jobs->record_count; i++)
		if (state_of(&a.jobs->job_array[i]) != NULL)
			rc = add_job(s, conf, &a.jobs->job_array[i], err);
	for (uint32_t i = 0; rc == 0 && i < a.nodes->record_count; i++)
		if (a.nodes->node_array[i].name != NULL)
			rc = add_node(s, conf, &a.nodes->node_array[i], err);
	for (uint32_t i = 0; rc == 0 && i < a.licenses->num_lic; i++)
		rc = add_license(s, conf, &a.licenses->lic_array[i], err);
	if (rc == 0)
		survey_sort(s);
	forget(&a);
	return rc;
}

/* Is it JOB, or a part of it? */
static bool is_of(const job_info_t *info, uint32_t job)
{
	return info->job_id == job || info->array_job_id == job || info->het_job_id == job;
}

int survey_job(struct survey *s, const struct tessera_conf *conf, uint32_t job, const char **state,
	       struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;
	int rc = 0;

	*state = NULL;
	TESSERA_ONE_SELECTOR();
	if (slurm_load_job(&msg, job, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return 0;
		return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmctld did not say what job %u holds: %s",
					 job, slurm_strerror(errno));
	}
	for (uint32_t i = 0; rc == 0 && i < msg->record_count; i++) {
		const job_info_t *info = &msg->job_array[i];
		const char *word = state_of(info);

		if (!is_of(info, job))
			continue;
		if (word != NULL)
			rc = add_job(s, conf, info, err);
		else if (*state == NULL && (info->job_state & JOB_STATE_BASE) == JOB_PENDING)
			word = "pending";
		*state = word != NULL ? word : *state;
	}
	if (rc == 0)
		survey_sort(s);
	slurm_free_job_info_msg(msg);
	return rc;
}
