/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_internal.h"
#include "lib/conf/gres_list.h"
#include "lib/tile/hostlist.h"

static const struct value *find_value(const struct block *b, const char *name)
{
	for (size_t k = 0; k < conf_key_count; k++)
		if (b->value[k].text != NULL && strcmp(conf_keys[k].name, name) == 0)
			return &b->value[k];
	return NULL;
}

int conf_wrong_at(struct reading *r, int line)
{
	r->failed = true;
	return tessera_error_prefix(r->err, "%s:%d", r->name, line);
}

/* The platform that V names, or NULL with r->err. */
static struct tessera_platform *find_reference(struct reading *r, const struct tessera_conf *conf,
					       const struct value *v)
{
	struct tessera_platform *p = conf_find_platform(conf, v->text);

	if (p == NULL) {
		conf_unknown_platform(conf, v->text, r->err);
		conf_wrong_at(r, v->line);
	}
	return p;
}

/* Keys of the other kind, such as Xrdus for a pool, are mistakes. */
static int check_kind(struct reading *r, const struct block *b, enum tessera_kind kind)
{
	for (size_t k = 0; k < conf_key_count; k++)
		if (b->value[k].text != NULL && conf_keys[k].kind != 0 && kind != 0 &&
		    conf_keys[k].kind != kind)
			return conf_fail_at(r, b->value[k].line,
					    "platform %s cannot have %s: it is of Kind = %s",
					    b->title, conf_keys[k].name,
					    kind == TESSERA_KIND_RDU ? "rdu" : "ipu");
	return 0;
}

static int add_platform(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	const struct value *like = find_value(b, "Like");
	struct tessera_platform *row = conf_find_platform(conf, b->title);
	const struct tessera_platform *base = like != NULL ? find_reference(r, conf, like) : row;
	struct tessera_platform new = {.name = ""};

	if (r->failed || conf_check_name(r, b->line, "platform", b->title) < 0)
		return -1;
	if (base != NULL)
		new = *base;
	/* A base that counts whole RDUs still does so if TilesPerRdu changes. */
	if (new.tiles_per_gres == new.tiles_per_rdu)
		new.tiles_per_gres = 0;
	if (conf_store_values(r, b, &new) < 0 || check_kind(r, b, new.kind) < 0)
		return -1;
	if (new.tiles_per_gres == 0)
		new.tiles_per_gres = new.tiles_per_rdu;
	snprintf(new.name, sizeof(new.name), "%s", b->title);
	if (new.title[0] == '\0')
		snprintf(new.title, sizeof(new.title), "%s", b->title);
	if (row == NULL)
		row = &conf->platforms[conf->platform_count++];
	*row = new;
	return 0;
}

int conf_line_of(const struct reading *r, enum block_kind kind, const char *title)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].kind == kind && strcmp(r->blocks[i].title, title) == 0)
			return r->blocks[i].line;
	return 0;
}

/* The line to correct for an unusable platform: that of its block, or else that of its use. */
static int find_platform_line(const struct reading *r, const char *name, int otherwise)
{
	int line = conf_line_of(r, PLATFORM, name);

	return line > 0 ? line : otherwise;
}

static int add_use(struct reading *r, struct tessera_conf *conf, const struct block *b,
		   struct uses *uses)
{
	const struct value *v = find_value(b, "Platform");
	struct use *use = &uses->list[uses->count];

	if (v == NULL)
		return conf_fail_at(
			r, b->line,
			"%s %s has no platform: write Platform = NAME between its braces",
			conf_block_names[b->kind], b->title);
	use->platform = find_reference(r, conf, v);
	if (use->platform == NULL)
		return -1;
	if (tessera_platform_check(use->platform, r->err) < 0)
		return conf_wrong_at(r, find_platform_line(r, v->text, v->line));
	use->title = strdup(b->title);
	if (use->title == NULL)
		return conf_fail_memory(r);
	uses->count++;
	return 0;
}

static int add_node(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	char host[256];

	if (tessera_hostlist_check(b->title, r->err) < 0)
		return conf_wrong_at(r, b->line);
	if (add_use(r, conf, b, &conf->nodes) < 0)
		return -1;
	for (size_t i = 0; i + 1 < conf->nodes.count; i++) {
		const struct use *other = &conf->nodes.list[i];
		const struct use *this = &conf->nodes.list[conf->nodes.count - 1];

		if (other->platform != this->platform &&
		    tessera_hostlist_common(this->title, other->title, host, sizeof(host)))
			return conf_fail_at(r, b->line,
					    "node %s has platform %s here, but node \"%.64s\" on "
					    "line %d gives it %s",
					    host, this->platform->name, other->title,
					    conf_line_of(r, NODE, other->title),
					    other->platform->name);
	}
	return 0;
}

/* Default must request tiles, or Unasked = default would have no effect. */
static int check_default(struct reading *r, const struct block *b,
			 const struct tessera_policy *policy)
{
	const struct value *v = find_value(b, "Default");

	if (v == NULL || gres_asks_tiles(policy->default_gres))
		return 0;
	return conf_fail_at(r, v->line,
			    "Default = \"%s\" asks for no tiles: write \"rdu:1\" or \"rdu_tile:4\"",
			    policy->default_gres);
}

static int add_partition(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	struct tessera_policy *policy = &conf->partitions.list[conf->partitions.count].policy;

	*policy = conf->policy;
	policy->unasked_said = policy->unasked_said || find_value(b, "Unasked") != NULL;
	if (conf_check_name(r, b->line, "partition", b->title) < 0 ||
	    conf_store_values(r, b, policy) < 0 || check_default(r, b, policy) < 0)
		return -1;
	return add_use(r, conf, b, &conf->partitions);
}

struct tessera_conf *conf_new(size_t blocks)
{
	struct tessera_conf *conf = calloc(1, sizeof(*conf));
	const struct tessera_platform *rows;
	size_t count;

	if (conf == NULL)
		return NULL;
	rows = tessera_platform_builtin(&count);
	conf->platforms = calloc(count + blocks, sizeof(*conf->platforms));
	conf->partitions.list = calloc(blocks + 1, sizeof(struct use));
	conf->nodes.list = calloc(blocks + 1, sizeof(struct use));
	conf->vipus = calloc(blocks + 1, sizeof(*conf->vipus));
	conf->pools = calloc(blocks + 1, sizeof(*conf->pools));
	if (conf->platforms == NULL || conf->partitions.list == NULL || conf->nodes.list == NULL ||
	    conf->vipus == NULL || conf->pools == NULL) {
		tessera_conf_free(conf);
		return NULL;
	}
	memcpy(conf->platforms, rows, count * sizeof(*rows));
	conf->platform_count = count;
	conf->policy = (struct tessera_policy){.rdu_scope = TESSERA_SCOPE_NODE,
					       .unasked = TESSERA_UNASKED_LEAVE,
					       .default_gres = "rdu:1"};
	conf->ipu_model = TESSERA_IPU_LICENSE;
	memcpy(conf->ipu_name, "ipu", sizeof("ipu"));
	memcpy(conf->state_dir, "/run/tessera", sizeof("/run/tessera"));
	snprintf(conf->vipu_helper, sizeof(conf->vipu_helper), "%s", TESSERA_VIPU_HELPER);
	conf->user_mask = TESSERA_MASK_NARROW;
	conf->place_wait = 30;
	conf->max_requeue = TESSERA_MAX_REQUEUE;
	snprintf(conf->sntilestat, sizeof(conf->sntilestat), "%s", "/opt/sambaflow/bin/sntilestat");
	conf->sample_max = 300;
	conf->sample_wait = 60;
	conf_new_node(conf);
	return conf;
}

/* One kind after another, because partitions and nodes refer to platforms. */
static int add_blocks(struct reading *r, struct tessera_conf *conf, enum block_kind kind,
		      int (*add)(struct reading *, struct tessera_conf *, const struct block *))
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].kind == kind && add(r, conf, &r->blocks[i]) < 0)
			return -1;
	return 0;
}

/* The output of snconfig cannot be interpreted without SnconfigBad or SnconfigGood. */
static int check_snconfig(struct reading *r, const struct tessera_conf *conf)
{
	const struct tessera_health_conf *health = &conf->health;
	const struct value *v = find_value(&r->settings, "SnconfigCommand");

	if (v == NULL || health->snconfig[0] == '\0' || health->snconfig_bad[0] != '\0' ||
	    health->snconfig_good[0] != '\0')
		return 0;
	return conf_fail_at(r, v->line,
			    "SnconfigCommand needs a text that marks bad or good tiles: "
			    "write SnconfigBad or SnconfigGood");
}

int conf_store(struct reading *r, struct tessera_conf *conf)
{
	if (conf_store_values(r, &r->settings, conf) < 0 || check_snconfig(r, conf) < 0 ||
	    check_default(r, &r->settings, &conf->policy) < 0 ||
	    add_blocks(r, conf, PLATFORM, add_platform) < 0)
		return -1;
	conf->policy.unasked_said = find_value(&r->settings, "Unasked") != NULL;
	if (add_blocks(r, conf, PARTITION, add_partition) < 0)
		return -1;
	if (add_blocks(r, conf, NODE, add_node) < 0 || add_blocks(r, conf, VIPU, conf_add_vipu) < 0)
		return -1;
	return add_blocks(r, conf, POOL, conf_add_pool);
}
