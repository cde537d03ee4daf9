/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf_parts.h"
#include "lib/gres.h"
#include "lib/hostlist.h"

void tessera_conf_free(struct tessera_conf *conf)
{
	if (conf == NULL)
		return;
	for (size_t i = 0; i < conf->partitions.count; i++)
		free(conf->partitions.list[i].title);
	for (size_t i = 0; i < conf->nodes.count; i++)
		free(conf->nodes.list[i].title);
	for (size_t i = 0; i < conf->vipu_count; i++)
		free(conf->vipus[i].nodes);
	free(conf->vipus);
	free(conf->pools);
	free(conf->partitions.list);
	free(conf->nodes.list);
	free(conf->platforms);
	free(conf);
}

struct tessera_platform *conf_find_platform(const struct tessera_conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->platform_count; i++)
		if (strcmp(conf->platforms[i].name, name) == 0)
			return &conf->platforms[i];
	return NULL;
}

int conf_unknown_platform(const struct tessera_conf *conf, const char *name, struct tessera_error *err)
{
	char known[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < conf->platform_count && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i > 0 ? ", " : "",
					 conf->platforms[i].name);
	return tessera_error_set(err, TESSERA_ERR_INPUT, "there is no platform \"%.64s\": known are %s", name,
				 known);
}

const struct tessera_policy *tessera_conf_policy(const struct tessera_conf *conf)
{
	return &conf->policy;
}

enum tessera_ipu_model tessera_conf_ipu_model(const struct tessera_conf *conf)
{
	return conf->ipu_model;
}

const char *tessera_conf_ipu_name(const struct tessera_conf *conf)
{
	return conf->ipu_name;
}

enum tessera_user_mask tessera_conf_user_mask(const struct tessera_conf *conf)
{
	return conf->user_mask;
}

unsigned tessera_conf_place_wait(const struct tessera_conf *conf)
{
	return conf->place_wait;
}

unsigned tessera_conf_max_requeue(const struct tessera_conf *conf)
{
	return conf->max_requeue;
}

const struct tessera_platform *tessera_conf_platform(const struct tessera_conf *conf, const char *name,
						     struct tessera_error *err)
{
	const struct tessera_platform *p = conf_find_platform(conf, name);

	if (p == NULL)
		conf_unknown_platform(conf, name, err);
	else if (tessera_platform_check(p, err) < 0)
		p = NULL;
	return p;
}

const struct tessera_platform *tessera_conf_platform_at(const struct tessera_conf *conf, size_t n)
{
	return n < conf->platform_count ? &conf->platforms[n] : NULL;
}

bool conf_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	if (list == NULL || list[0] == '\0')
		return true;
	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}

const struct use *conf_differing(const struct tessera_conf *conf, const char *partitions,
				 bool (*same)(const struct use *, const struct use *), const struct use **first)
{
	*first = NULL;
	for (size_t i = 0; i < conf->partitions.count; i++) {
		const struct use *use = &conf->partitions.list[i];

		if (!conf_listed(partitions, use->title))
			continue;
		if (*first == NULL)
			*first = use;
		else if (!same(*first, use))
			return use;
	}
	return NULL;
}

static bool is_named(const char *partitions)
{
	return partitions != NULL && partitions[0] != '\0';
}

static bool same_platform(const struct use *a, const struct use *b)
{
	return a->platform == b->platform;
}

int tessera_conf_partition_platform(const struct tessera_conf *conf, const char *partitions,
				    const struct tessera_platform **platform, struct tessera_error *err)
{
	const struct use *first, *other;

	*platform = NULL;
	if (gres_check_length("--partition", partitions, err) < 0)
		return -1;
	other = conf_differing(conf, partitions, same_platform, &first);
	if (other != NULL && is_named(partitions))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "partition %s has platform %s but partition %s has %s: name partitions of "
					 "one platform only",
					 first->title, first->platform->name, other->title, other->platform->name);
	if (first != NULL && other == NULL)
		*platform = first->platform;
	return 0;
}

/* What becomes of a request that asks for nothing is another matter (unasked.h). */
static bool same_reading(const struct use *a, const struct use *b)
{
	return a->policy.rdu_scope == b->policy.rdu_scope && a->policy.tiles_per_task == b->policy.tiles_per_task;
}

int tessera_conf_partition_policy(const struct tessera_conf *conf, const char *partitions,
				  const struct tessera_policy **policy, struct tessera_error *err)
{
	const struct use *first, *other;

	*policy = NULL;
	if (gres_check_length("--partition", partitions, err) < 0)
		return -1;
	other = conf_differing(conf, partitions, same_reading, &first);
	if (other != NULL && is_named(partitions))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "partitions %s and %s read requests differently (RduScope, TilesPerTask): "
					 "name one of them",
					 first->title, other->title);
	if (other == NULL)
		*policy = first != NULL ? &first->policy : &conf->policy;
	return 0;
}

const struct tessera_policy *tessera_conf_policy_at(const struct tessera_conf *conf, size_t n)
{
	return n < conf->partitions.count ? &conf->partitions.list[n].policy : NULL;
}

static const struct tessera_platform *use_at(const struct uses *uses, size_t n, const char **title)
{
	if (n >= uses->count)
		return NULL;
	*title = uses->list[n].title;
	return uses->list[n].platform;
}

const struct tessera_platform *tessera_conf_partition_at(const struct tessera_conf *conf, size_t n,
							 const char **title)
{
	return use_at(&conf->partitions, n, title);
}

const struct tessera_platform *tessera_conf_node_at(const struct tessera_conf *conf, size_t n, const char **title)
{
	return use_at(&conf->nodes, n, title);
}

const struct tessera_platform *tessera_conf_node_platform(const struct tessera_conf *conf, const char *node)
{
	for (size_t i = 0; i < conf->nodes.count; i++)
		if (tessera_hostlist_has(conf->nodes.list[i].title, node))
			return conf->nodes.list[i].platform;
	return NULL;
}

const struct tessera_vipu_site *tessera_conf_vipu(const struct tessera_conf *conf, const char *node)
{
	for (size_t i = 0; i < conf->vipu_count; i++)
		if (tessera_hostlist_has(conf->vipus[i].nodes, node))
			return &conf->vipus[i];
	return NULL;
}

const struct tessera_vipu_site *tessera_conf_vipu_at(const struct tessera_conf *conf, size_t n)
{
	return n < conf->vipu_count ? &conf->vipus[n] : NULL;
}

const struct tessera_pool *tessera_conf_pool_at(const struct tessera_conf *conf, size_t n)
{
	return n < conf->pool_count ? &conf->pools[n] : NULL;
}

const char *tessera_conf_vipu_helper(const struct tessera_conf *conf)
{
	return conf->vipu_helper;
}

const char *tessera_conf_sntilestat(const struct tessera_conf *conf)
{
	return conf->sntilestat;
}

const char *tessera_conf_gc_monitor(const struct tessera_conf *conf)
{
	return conf->gc_monitor;
}

unsigned tessera_conf_sample_max(const struct tessera_conf *conf)
{
	return conf->sample_max;
}

unsigned tessera_conf_sample_wait(const struct tessera_conf *conf)
{
	return conf->sample_wait;
}
