/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/view/occupancy.h"
#include "lib/conf/gres_list.h"
#include "lib/request/gres_counts.h"
#include "lib/request/gres_detail.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/license_sum.h"

struct answers {
	job_info_msg_t *jobs;
	node_info_msg_t *nodes;
	license_info_msg_t *licenses;
};

static int query_slurmctld(struct answers *a, struct tessera_error *err)
{
	if (slurm_load_jobs(0, &a->jobs, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS &&
	    slurm_load_node(0, &a->nodes, SHOW_ALL | SHOW_DETAIL) == SLURM_SUCCESS &&
	    slurm_load_licenses(0, &a->licenses, SHOW_ALL) == SLURM_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "cannot get the jobs and nodes from slurmctld: %s",
				 slurm_strerror(errno));
}

static void free_answers(struct answers *a)
{
	if (a->jobs != NULL)
		slurm_free_job_info_msg(a->jobs);
	if (a->nodes != NULL)
		slurm_free_node_info_msg(a->nodes);
	if (a->licenses != NULL)
		slurm_free_license_info_msg(a->licenses);
}

/* The state of a job that holds resources; NULL if it holds none. */
static const char *find_state(const job_info_t *job)
{
	uint32_t state = job->job_state & JOB_STATE_BASE;

	if (job->job_state & JOB_COMPLETING)
		return "completing";
	if (state == JOB_RUNNING)
		return "running";
	return state == JOB_SUSPENDED ? "suspended" : NULL;
}

static int add_job_item(struct occupancy *s, const job_info_t *job, const char *node,
			const char *resource, unsigned count, struct tessera_error *err)
{
	struct occupancy_item *item;

	if (count == 0)
		return 0;
	item = occupancy_add(s, node, resource, err);
	if (item == NULL)
		return -1;
	item->job = job->job_id;
	item->uid = job->user_id;
	item->state = find_state(job);
	item->count = count;
	return 0;
}

/* slurmctld no longer has the counts of a completing job: none are added. */
static int add_ipus_of_job(struct occupancy *s, const struct tessera_conf *conf,
			   const job_info_t *job, const char *node, char *detail,
			   struct tessera_error *err)
{
	struct tessera_error why = {0};
	unsigned ipus;

	if (tessera_gres_detail_total(&detail, 1, tessera_conf_ipu_name(conf), UINT_MAX, &ipus,
				      &why) < 0 &&
	    why.code != TESSERA_ERR_UNAVAILABLE) {
		*err = why;
		return tessera_error_prefix(err, "job %u on %s", job->job_id, node);
	}
	return add_job_item(s, job, node, OCCUPANCY_IPUS, ipus, err);
}

static int add_node_of_job(struct occupancy *s, const struct tessera_conf *conf,
			   const job_info_t *job, const char *node, char *detail,
			   struct tessera_error *err)
{
	const struct tessera_platform *p = tessera_conf_node_platform(conf, node);
	struct tessera_gres_detail granted;

	if (p == NULL)
		return 0;
	if (p->kind == TESSERA_KIND_RDU) {
		if (tessera_gres_detail_read(detail, &granted, err) < 0)
			return tessera_error_prefix(err, "job %u on %s", job->job_id, node);
		return add_job_item(s, job, node, OCCUPANCY_TILES, granted.tiles, err);
	}
	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE)
		return 0;
	return add_ipus_of_job(s, conf, job, node, detail, err);
}

/* Add the licenses of a job that count IPUs or units of a pool. */
static int add_license_of_job(struct occupancy *s, const job_info_t *job, const char *license,
			      const char *resource, struct tessera_error *err)
{
	struct gres_sum sum = {0};

	if (gres_total(job->licenses, GRES_LIST_LICENSES, license, "--licenses", &sum, err) < 0)
		return tessera_error_prefix(err, "job %u", job->job_id);
	return add_job_item(s, job, "", resource, sum.count, err);
}

static int add_job(struct occupancy *s, const struct tessera_conf *conf, const job_info_t *job,
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
		rc = add_license_of_job(s, job, tessera_conf_ipu_name(conf), OCCUPANCY_IPUS, err);
	for (size_t i = 0; rc == 0 && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		rc = add_license_of_job(s, job, pool->license, pool->name, err);
	return rc;
}

/* How much of RESOURCE the visible jobs hold on NODE. */
static unsigned count_held(const struct occupancy *s, const char *node, const char *resource)
{
	unsigned sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->items[i].node, node) == 0 &&
		    strcmp(s->items[i].resource, resource) == 0)
			sum += s->items[i].count;
	return sum;
}

/*
 * Add the free part of TOTAL, of which IN_USE is used. Jobs that Slurm hides from the caller
 * (PrivateData) become an item without a job.
 */
static int add_rest(struct occupancy *s, const char *node, const char *resource, unsigned total,
		    unsigned in_use, struct tessera_error *err)
{
	unsigned known = count_held(s, node, resource);
	struct occupancy_item *item;

	in_use = in_use > known ? in_use : known;
	if (in_use > known) {
		item = occupancy_add(s, node, resource, err);
		if (item == NULL)
			return -1;
		item->state = "held";
		item->count = in_use - known;
	}
	item = occupancy_add(s, node, resource, err);
	if (item == NULL)
		return -1;
	item->count = total > in_use ? total - in_use : 0;
	return 0;
}

static struct occupancy_item *add_out(struct occupancy *s, const node_info_t *node,
				      const char *state, unsigned count, struct tessera_error *err)
{
	struct occupancy_item *item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);

	if (item != NULL) {
		item->state = state;
		item->count = count;
	}
	return item;
}

/*
 * Add the tiles that no job gets: bad ones named in the Reason of Tessera's own drain, until
 * slurmctld's counts can be updated, and those that slurmctld no longer counts.
 */
static int add_withheld(struct occupancy *s, const struct tessera_platform *p,
			const node_info_t *node, unsigned bad, const struct tessera_tileset *named,
			unsigned counted, struct tessera_error *err)
{
	unsigned total = tessera_platform_tiles(p), missing = total > counted ? total - counted : 0;
	struct occupancy_item *item;

	if (bad > 0) {
		item = add_out(s, node, OCCUPANCY_BAD, bad, err);
		if (item == NULL)
			return -1;
		item->has_tiles = !tessera_tileset_empty(named);
		item->tiles = *named;
		snprintf(item->text, sizeof(item->text), "the node is drained: %s", node->reason);
	}
	if (missing <= bad)
		return 0;
	item = add_out(s, node, OCCUPANCY_UNCOUNTED, missing - bad, err);
	if (item == NULL)
		return -1;
	snprintf(item->text, sizeof(item->text),
		 "slurmctld counts %u of %u tiles: see tessera status on %s", counted, total,
		 node->name);
	return 0;
}

static int add_node(struct occupancy *s, const struct tessera_conf *conf, const node_info_t *node,
		    struct tessera_error *err)
{
	const struct tessera_platform *p = tessera_conf_node_platform(conf, node->name);
	struct tessera_tileset named;
	struct tessera_gres_detail used;
	struct tessera_counts told;
	unsigned total, bad, counted;

	if (p == NULL || p->kind != TESSERA_KIND_RDU)
		return 0;
	if (tessera_gres_detail_read(node->gres_used, &used, err) < 0 ||
	    tessera_gres_counts_read(node->gres, &told, err) < 0)
		return tessera_error_prefix(err, "node %s", node->name);
	total = tessera_platform_tiles(p);
	bad = tessera_gres_counts_reason_bad(p, node->reason, &named);
	bad = bad < total ? bad : total;
	counted = told.tile.count < total ? told.tile.count : total;
	if (add_rest(s, node->name, OCCUPANCY_TILES, counted < total - bad ? counted : total - bad,
		     used.tiles, err) < 0)
		return -1;
	return add_withheld(s, p, node, bad, &named, counted, err);
}

static int add_license(struct occupancy *s, const struct tessera_conf *conf, const char *name,
		       const struct license_sum *license, struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (tessera_conf_ipu_model(conf) == TESSERA_IPU_LICENSE &&
	    strcmp(name, tessera_conf_ipu_name(conf)) == 0)
		return add_rest(s, "", OCCUPANCY_IPUS, license->total, license->in_use, err);
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (strcmp(name, pool->license) == 0)
			return add_rest(s, "", pool->name, license->total, license->in_use, err);
	return 0;
}

static bool is_free(const struct occupancy_item *item)
{
	return strcmp(item->state, OCCUPANCY_FREE) == 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct occupancy_item *x = a, *y = b;
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

void occupancy_sort(struct occupancy *s)
{
	if (s->count > 0)
		qsort(s->items, s->count, sizeof(*s->items), compare_items);
}

int occupancy_cluster(struct occupancy *s, const struct tessera_conf *conf,
		      struct tessera_error *err)
{
	struct answers a = {0};
	int rc = query_slurmctld(&a, err);

	for (uint32_t i = 0; rc == 0 && i < a.jobs->record_count; i++)
		if (find_state(&a.jobs->job_array[i]) != NULL)
			rc = add_job(s, conf, &a.jobs->job_array[i], err);
	for (uint32_t i = 0; rc == 0 && i < a.nodes->record_count; i++)
		if (a.nodes->node_array[i].name != NULL)
			rc = add_node(s, conf, &a.nodes->node_array[i], err);
	for (uint32_t i = 0; rc == 0 && i < a.licenses->num_lic; i++) {
		const char *name = a.licenses->lic_array[i].name;
		struct license_sum sum = license_sum(a.licenses, name, false);

		if (license_is_first(a.licenses, i))
			rc = add_license(s, conf, name, &sum, err);
	}
	if (rc == 0)
		occupancy_sort(s);
	free_answers(&a);
	return rc;
}

/* Is it JOB, or a part of this array or heterogeneous job? */
static bool is_part_of(const job_info_t *info, uint32_t job)
{
	return info->job_id == job || info->array_job_id == job || info->het_job_id == job;
}

int occupancy_job(struct occupancy *s, const struct tessera_conf *conf, uint32_t job,
		  const char **state, struct tessera_error *err)
{
	job_info_msg_t *msg = NULL;
	int rc = 0;

	*state = NULL;
	TESSERA_ONE_SELECTOR();
	if (slurm_load_job(&msg, job, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL) != SLURM_SUCCESS) {
		if (errno == ESLURM_INVALID_JOB_ID)
			return 0;
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot get job %u from slurmctld: %s", job,
					 slurm_strerror(errno));
	}
	for (uint32_t i = 0; rc == 0 && i < msg->record_count; i++) {
		const job_info_t *info = &msg->job_array[i];
		const char *word = find_state(info);

		if (!is_part_of(info, job))
			continue;
		if (word != NULL)
			rc = add_job(s, conf, info, err);
		else if (*state == NULL && (info->job_state & JOB_STATE_BASE) == JOB_PENDING)
			word = "pending";
		*state = word != NULL ? word : *state;
	}
	if (rc == 0)
		occupancy_sort(s);
	slurm_free_job_info_msg(msg);
	return rc;
}
