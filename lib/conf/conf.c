/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_internal.h"
#include "lib/conf/gres_list.h"
#include "lib/tile/hostlist.h"
#include "lib/util/strbuf.h"

#define TOPOLOGY TESSERA_COMMAND " topology --write --node=%n"

_Static_assert(sizeof(TOPOLOGY) <= TESSERA_COMMAND_MAX, "the installation prefix is too long");

void conf_new_node(struct tessera_conf *conf)
{
	memcpy(conf->marks_dir, "/var/lib/tessera", sizeof("/var/lib/tessera"));
	memcpy(conf->topology, TOPOLOGY, sizeof(TOPOLOGY));
	snprintf(conf->health.snfadm, sizeof(conf->health.snfadm), "%s",
		 "/opt/sambaflow/bin/snfadm -l inventory");
	conf->health.wait = 60;
	conf->health.max = 900;
	snprintf(conf->leftover.devices, sizeof(conf->leftover.devices), "%s", "/dev/rdu*");
	conf->leftover.policy = TESSERA_LEFTOVER_WAIT;
	conf->leftover.wait = 10;
	conf->grants.enabled = 1;
}

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

int conf_unknown_platform(const struct tessera_conf *conf, const char *name,
			  struct tessera_error *err)
{
	char known[300];
	struct strbuf s = strbuf_start(known, sizeof(known));

	for (size_t i = 0; i < conf->platform_count; i++)
		strbuf_put(&s, "%s%s", i > 0 ? ", " : "", conf->platforms[i].name);
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "there is no platform \"%.64s\": use one of %s", name, known);
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

const struct tessera_platform *tessera_conf_platform(const struct tessera_conf *conf,
						     const char *name, struct tessera_error *err)
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

const struct use *conf_partition_at(const struct tessera_conf *conf, size_t n)
{
	return n < conf->partitions.count ? &conf->partitions.list[n] : NULL;
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
				 bool (*same)(const struct use *, const struct use *),
				 const struct use **first)
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
				    const struct tessera_platform **platform,
				    struct tessera_error *err)
{
	const struct use *first, *other;

	*platform = NULL;
	if (gres_check_length("--partition", partitions, err) < 0)
		return -1;
	other = conf_differing(conf, partitions, same_platform, &first);
	if (other != NULL && is_named(partitions))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "partition %s has platform %s but partition %s has %s: "
					 "name partitions of one platform only",
					 first->title, first->platform->name, other->title,
					 other->platform->name);
	if (first != NULL && other == NULL)
		*platform = first->platform;
	return 0;
}

/* Unasked and Default are compared by lib/request/unasked.c. */
static bool same_interpretation(const struct use *a, const struct use *b)
{
	return a->policy.rdu_scope == b->policy.rdu_scope &&
	       a->policy.tiles_per_task == b->policy.tiles_per_task;
}

int tessera_conf_partition_policy(const struct tessera_conf *conf, const char *partitions,
				  const struct tessera_policy **policy, struct tessera_error *err)
{
	const struct use *first, *other;

	*policy = NULL;
	if (gres_check_length("--partition", partitions, err) < 0)
		return -1;
	other = conf_differing(conf, partitions, same_interpretation, &first);
	if (other != NULL && is_named(partitions))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "partitions %s and %s differ in RduScope or TilesPerTask: "
					 "name only one of them",
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

const struct tessera_platform *tessera_conf_node_at(const struct tessera_conf *conf, size_t n,
						    const char **title)
{
	return use_at(&conf->nodes, n, title);
}

const struct tessera_platform *tessera_conf_node_platform(const struct tessera_conf *conf,
							  const char *node)
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

int tessera_conf_for_node(const char *key, const char *text, const char *node, char *buf,
			  size_t len, struct tessera_error *err)
{
	size_t node_len = strlen(node), used = 0;

	for (const char *at = text; *at != '\0';) {
		bool mark = at[0] == '%' && at[1] == 'n';
		const char *piece = mark ? node : at;
		size_t piece_len = mark ? node_len : 1 + strcspn(at + 1, "%");

		if (used + piece_len >= len)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s = %.80s is longer than %zu characters on node "
						 "%.64s: write a shorter one in tessera.conf",
						 key, text, len == 0 ? 0 : len - 1, node);
		memcpy(buf + used, piece, piece_len);
		used += piece_len;
		at += mark ? 2 : piece_len;
	}
	if (len > 0)
		buf[used] = '\0';
	return 0;
}

static int dir_for_node(const char *key, const char *text, const char *node, char *buf, size_t len,
			struct tessera_error *err)
{
	if (node[0] == '\0' || strchr(node, '/') != NULL || strcmp(node, ".") == 0 ||
	    strcmp(node, "..") == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "\"%.64s\" is not a node name that can be part of a path",
					 node);
	return tessera_conf_for_node(key, text, node, buf, len, err);
}

int tessera_conf_state_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err)
{
	return dir_for_node("StateDir", conf->state_dir, node, buf, len, err);
}

int tessera_conf_marks_dir(const struct tessera_conf *conf, const char *node, char *buf, size_t len,
			   struct tessera_error *err)
{
	return dir_for_node("MarksDir", conf->marks_dir, node, buf, len, err);
}

const struct tessera_health_conf *tessera_conf_health(const struct tessera_conf *conf)
{
	return &conf->health;
}

const struct tessera_leftover_conf *tessera_conf_leftover(const struct tessera_conf *conf)
{
	return &conf->leftover;
}

const struct tessera_grant_conf *tessera_conf_grants(const struct tessera_conf *conf)
{
	return &conf->grants;
}

const char *tessera_conf_topology(const struct tessera_conf *conf)
{
	return conf->topology;
}
