/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf_parts.h"
#include "lib/hostlist.h"

#define NUMBER_MAX 65536
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@"

const char *const conf_block_names[BLOCK_KINDS] = {"root", "platform", "partition", "node"};

static const struct word kinds[] = {{"rdu", TESSERA_KIND_RDU}, {"ipu", TESSERA_KIND_IPU}, {NULL, 0}};
static const struct word scopes[] = {{"node", TESSERA_SCOPE_NODE}, {"task", TESSERA_SCOPE_TASK}, {NULL, 0}};
static const struct word models[] = {{"license", TESSERA_IPU_LICENSE}, {"gres", TESSERA_IPU_GRES}, {NULL, 0}};

#define CONF(field) offsetof(struct tessera_conf, field)
#define ROW(field)  offsetof(struct tessera_platform, field)

/* A new key is a line here and a field. */
const struct key conf_keys[] = {
	{ROOT, "RduScope", WORD, CONF(rdu_scope), scopes, 0},
	{ROOT, "IpuModel", WORD, CONF(ipu_model), models, 0},
	{ROOT, "IpuName", NAME, CONF(ipu_name), NULL, 0},
	{PLATFORM, "Like", REFERENCE, 0, NULL, 0},
	{PLATFORM, "Title", TEXT, ROW(title), NULL, 0},
	{PLATFORM, "Kind", WORD, ROW(kind), kinds, 0},
	{PLATFORM, "Xrdus", NUMBER, ROW(xrdus), NULL, TESSERA_KIND_RDU},
	{PLATFORM, "RdusPerXrdu", NUMBER, ROW(rdus_per_xrdu), NULL, TESSERA_KIND_RDU},
	{PLATFORM, "TilesPerRdu", NUMBER, ROW(tiles_per_rdu), NULL, TESSERA_KIND_RDU},
	{PLATFORM, "TilesPerGres", NUMBER, ROW(tiles_per_gres), NULL, TESSERA_KIND_RDU},
	{PLATFORM, "MaskBits", NUMBER, ROW(mask_bits), NULL, TESSERA_KIND_RDU},
	{PLATFORM, "Ipus", NUMBER, ROW(ipus), NULL, TESSERA_KIND_IPU},
	{PLATFORM, "IpusPerMachine", NUMBER, ROW(ipus_per_machine), NULL, TESSERA_KIND_IPU},
	{PLATFORM, "IpusPerDomain", NUMBER, ROW(ipus_per_domain), NULL, TESSERA_KIND_IPU},
	{PARTITION, "Platform", REFERENCE, 0, NULL, 0},
	{NODE, "Platform", REFERENCE, 0, NULL, 0},
};

const size_t conf_key_count = sizeof(conf_keys) / sizeof(conf_keys[0]);

_Static_assert(sizeof(conf_keys) / sizeof(conf_keys[0]) <= CONF_KEYS_MAX, "CONF_KEYS_MAX is too small");

/* A word is stored into its enum as a number is. */
_Static_assert(sizeof(enum tessera_kind) == sizeof(unsigned), "enums are as large as unsigned");

static int store_number(struct reading *r, const struct key *key, const struct value *v, unsigned *number)
{
	size_t digits = strspn(v->text, "0123456789");
	unsigned long n = 0;

	if (digits == 0 || v->text[digits] != '\0')
		return conf_fail_at(r, v->line, "%s = %s is not a number: write one from 0 to %d", key->name,
				    v->text, NUMBER_MAX);
	for (size_t i = 0; i < digits && n <= NUMBER_MAX; i++)
		n = n * 10 + (unsigned long)(v->text[i] - '0');
	if (n > NUMBER_MAX)
		return conf_fail_at(r, v->line, "%s = %s is too large: write a number from 0 to %d", key->name,
				    v->text, NUMBER_MAX);
	*number = (unsigned)n;
	return 0;
}

static int store_word(struct reading *r, const struct key *key, const struct value *v, unsigned *number)
{
	const struct word *w = key->words;

	while (w->name != NULL && strcmp(w->name, v->text) != 0)
		w++;
	if (w->name == NULL)
		return conf_fail_at(r, v->line, "%s = %s is unknown: write %s or %s", key->name, v->text,
				    key->words[0].name, key->words[1].name);
	*number = w->value;
	return 0;
}

static int check_name(struct reading *r, int line, const char *what, const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len >= TESSERA_NAME_MAX || name[strspn(name, NAME_CHARS)] != '\0')
		return conf_fail_at(r, line, "%s \"%s\" is no name: it must have 1 to %d letters, digits or -_.@",
				    what, name, TESSERA_NAME_MAX - 1);
	return 0;
}

/* Puts what a block says into BASE, the structure that its keys' fields are in. */
static int store(struct reading *r, const struct block *b, void *base)
{
	for (size_t k = 0; k < conf_key_count; k++) {
		const struct value *v = &b->value[k];
		void *field = (char *)base + conf_keys[k].offset;
		int rc = 0;

		if (v->text == NULL)
			continue;
		switch (conf_keys[k].type) {
		case NUMBER:
			rc = store_number(r, &conf_keys[k], v, field);
			break;
		case WORD:
			rc = store_word(r, &conf_keys[k], v, field);
			break;
		case NAME:
			rc = check_name(r, v->line, conf_keys[k].name, v->text);
			if (rc == 0)
				snprintf(field, TESSERA_NAME_MAX, "%s", v->text);
			break;
		case TEXT:
			if (snprintf(field, TESSERA_NAME_MAX, "%s", v->text) >= TESSERA_NAME_MAX)
				rc = conf_fail_at(r, v->line, "%s has %zu characters, but at most %d are allowed",
						  conf_keys[k].name, strlen(v->text), TESSERA_NAME_MAX - 1);
			break;
		case REFERENCE:
			break;
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

static const struct value *find_value(const struct block *b, const char *name)
{
	for (size_t k = 0; k < conf_key_count; k++)
		if (b->value[k].text != NULL && strcmp(conf_keys[k].name, name) == 0)
			return &b->value[k];
	return NULL;
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

/* ERR says what is wrong, but not yet where. */
static int wrong_at(struct reading *r, int line)
{
	r->failed = true;
	return tessera_error_prefix(r->err, "%s:%d", r->name, line);
}

/* The platform that V names, or NULL. */
static struct tessera_platform *refer(struct reading *r, const struct tessera_conf *conf, const struct value *v)
{
	struct tessera_platform *p = conf_find_platform(conf, v->text);

	if (p == NULL) {
		conf_unknown_platform(conf, v->text, r->err);
		wrong_at(r, v->line);
	}
	return p;
}

/* A number of XRDUs means nothing to a pool, so its author meant something else. */
static int check_kind(struct reading *r, const struct block *b, enum tessera_kind kind)
{
	for (size_t k = 0; k < conf_key_count; k++)
		if (b->value[k].text != NULL && conf_keys[k].kind != 0 && kind != 0 && conf_keys[k].kind != kind)
			return conf_fail_at(r, b->value[k].line, "platform %s cannot have %s: it is of Kind = %s",
					    b->title, conf_keys[k].name, kind == TESSERA_KIND_RDU ? "rdu" : "ipu");
	return 0;
}

static int add_platform(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	const struct value *like = find_value(b, "Like");
	struct tessera_platform *row = conf_find_platform(conf, b->title);
	const struct tessera_platform *base = like != NULL ? refer(r, conf, like) : row;
	struct tessera_platform new = {.name = ""};

	if (r->failed || check_name(r, b->line, "platform", b->title) < 0)
		return -1;
	if (base != NULL)
		new = *base;
	/* Who counts whole RDUs shall still do so when an RDU gets more tiles. */
	if (new.tiles_per_gres == new.tiles_per_rdu)
		new.tiles_per_gres = 0;
	if (store(r, b, &new) < 0 || check_kind(r, b, new.kind) < 0)
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

/* Where a row that cannot be used is to be mended: where it is written, or else where it is named. */
static int line_of_platform(const struct reading *r, const char *name, int otherwise)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].kind == PLATFORM && strcmp(r->blocks[i].title, name) == 0)
			return r->blocks[i].line;
	return otherwise;
}

static int add_use(struct reading *r, struct tessera_conf *conf, const struct block *b, struct uses *uses)
{
	const struct value *v = find_value(b, "Platform");
	struct use *use = &uses->list[uses->count];

	if (v == NULL)
		return conf_fail_at(r, b->line, "%s %s has no platform: write Platform = NAME between its braces",
				    conf_block_names[b->kind], b->title);
	use->platform = refer(r, conf, v);
	if (use->platform == NULL)
		return -1;
	if (tessera_platform_check(use->platform, r->err) < 0)
		return wrong_at(r, line_of_platform(r, v->text, v->line));
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
		return wrong_at(r, b->line);
	if (add_use(r, conf, b, &conf->nodes) < 0)
		return -1;
	for (size_t i = 0; i + 1 < conf->nodes.count; i++) {
		const struct use *other = &conf->nodes.list[i];
		const struct use *this = &conf->nodes.list[conf->nodes.count - 1];

		if (other->platform != this->platform &&
		    tessera_hostlist_common(this->title, other->title, host, sizeof(host)))
			return conf_fail_at(r, b->line,
					    "node %s has platform %s here, but node \"%.64s\" above gives it %s",
					    host, this->platform->name, other->title, other->platform->name);
	}
	return 0;
}

static int add_partition(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	if (check_name(r, b->line, "partition", b->title) < 0)
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
	if (conf->platforms == NULL || conf->partitions.list == NULL || conf->nodes.list == NULL) {
		tessera_conf_free(conf);
		return NULL;
	}
	memcpy(conf->platforms, rows, count * sizeof(*rows));
	conf->platform_count = count;
	conf->rdu_scope = TESSERA_SCOPE_NODE;
	conf->ipu_model = TESSERA_IPU_LICENSE;
	memcpy(conf->ipu_name, "ipu", sizeof("ipu"));
	return conf;
}

/* All of one kind, before the next kind: partitions and nodes need to know the platforms. */
static int add_blocks(struct reading *r, struct tessera_conf *conf, enum block_kind kind,
		      int (*add)(struct reading *, struct tessera_conf *, const struct block *))
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].kind == kind && add(r, conf, &r->blocks[i]) < 0)
			return -1;
	return 0;
}

int conf_store(struct reading *r, struct tessera_conf *conf)
{
	if (store(r, &r->settings, conf) < 0 || add_blocks(r, conf, PLATFORM, add_platform) < 0)
		return -1;
	if (add_blocks(r, conf, PARTITION, add_partition) < 0)
		return -1;
	return add_blocks(r, conf, NODE, add_node);
}
