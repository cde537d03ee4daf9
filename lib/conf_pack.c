/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf_pack.h"
#include "lib/conf_parts.h"

/*
 * The order: this head, the configuration, platforms, vipus, pools; of each partition and then of each node the number of
 * its platform and its policy; then their titles and the vipus' nodes, each with its NUL.
 */
struct head {
	char version[32];
	uint32_t sizes[5]; /* of the structures below */
	uint32_t partitions, nodes;
	uint64_t len; /* of everything */
};

static void make_head(struct head *head)
{
	memset(head, 0, sizeof(*head));
	strncpy(head->version, PACKAGE_VERSION, sizeof(head->version) - 1);
	head->sizes[0] = sizeof(struct tessera_conf);
	head->sizes[1] = sizeof(struct tessera_platform);
	head->sizes[2] = sizeof(struct tessera_vipu_site);
	head->sizes[3] = sizeof(struct tessera_pool);
	head->sizes[4] = sizeof(struct use);
}

/* Packing */

static size_t titles_len(const struct tessera_conf *conf)
{
	size_t len = 0;

	for (size_t i = 0; i < conf->partitions.count; i++)
		len += strlen(conf->partitions.list[i].title) + 1;
	for (size_t i = 0; i < conf->nodes.count; i++)
		len += strlen(conf->nodes.list[i].title) + 1;
	for (size_t i = 0; i < conf->vipu_count; i++)
		len += strlen(conf->vipus[i].nodes) + 1;
	return len;
}

static char *put(char *at, const void *from, size_t len)
{
	if (len > 0)
		memcpy(at, from, len);
	return at + len;
}

static char *put_title(char *at, const char *title)
{
	return put(at, title, strlen(title) + 1);
}

static char *put_platforms(char *at, const struct tessera_conf *conf, const struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++) {
		uint32_t number = (uint32_t)(uses->list[i].platform - conf->platforms);

		at = put(at, &number, sizeof(number));
		at = put(at, &uses->list[i].policy, sizeof(uses->list[i].policy));
	}
	return at;
}

char *conf_pack(const struct tessera_conf *conf, size_t *len)
{
	struct tessera_conf flat = *conf;
	struct head head;
	char *packed, *at;

	/* Addresses mean nothing elsewhere. */
	flat.platforms = NULL;
	flat.vipus = NULL;
	flat.pools = NULL;
	flat.partitions = flat.nodes = (struct uses){0};
	make_head(&head);
	head.partitions = (uint32_t)conf->partitions.count;
	head.nodes = (uint32_t)conf->nodes.count;
	head.len =
		sizeof(head) + sizeof(*conf) + conf->platform_count * sizeof(*conf->platforms) +
		conf->vipu_count * sizeof(*conf->vipus) + conf->pool_count * sizeof(*conf->pools) +
		(conf->partitions.count + conf->nodes.count) * (sizeof(uint32_t) + sizeof(struct tessera_policy)) +
		titles_len(conf);
	packed = malloc(head.len);
	if (packed == NULL)
		return NULL;
	at = put(packed, &head, sizeof(head));
	at = put(at, &flat, sizeof(flat));
	at = put(at, conf->platforms, conf->platform_count * sizeof(*conf->platforms));
	at = put(at, conf->vipus, conf->vipu_count * sizeof(*conf->vipus));
	at = put(at, conf->pools, conf->pool_count * sizeof(*conf->pools));
	at = put_platforms(at, conf, &conf->partitions);
	at = put_platforms(at, conf, &conf->nodes);
	for (size_t i = 0; i < conf->partitions.count; i++)
		at = put_title(at, conf->partitions.list[i].title);
	for (size_t i = 0; i < conf->nodes.count; i++)
		at = put_title(at, conf->nodes.list[i].title);
	for (size_t i = 0; i < conf->vipu_count; i++)
		at = put_title(at, conf->vipus[i].nodes);
	*len = head.len;
	return packed;
}

/* Unpacking */

/* What is left to read. */
struct rest {
	const char *at;
	size_t len;
	bool failed;
};

static void take(struct rest *rest, void *to, size_t len)
{
	if (rest->failed || len > rest->len) {
		rest->failed = true;
		return;
	}
	if (len > 0)
		memcpy(to, rest->at, len);
	rest->at += len;
	rest->len -= len;
}

/* COUNT structures of SIZE bytes, in memory of their own; room for one if there is none. NULL, and failed, if not. */
static void *take_list(struct rest *rest, size_t count, size_t size)
{
	void *list = count <= rest->len / size ? calloc(count > 0 ? count : 1, size) : NULL;

	if (list == NULL)
		rest->failed = true;
	else
		take(rest, list, count * size);
	return list;
}

static char *take_title(struct rest *rest)
{
	size_t len = strnlen(rest->at, rest->len);
	char *title = !rest->failed && len < rest->len ? strdup(rest->at) : NULL;

	if (title == NULL)
		rest->failed = true;
	else
		take(rest, title, len + 1);
	return title;
}

static void take_uses(struct rest *rest, const struct tessera_conf *conf, struct uses *uses, size_t count)
{
	uint32_t number = 0;

	uses->list = count <= rest->len / sizeof(number) ? calloc(count + 1, sizeof(*uses->list)) : NULL;
	rest->failed = rest->failed || uses->list == NULL;
	for (size_t i = 0; i < count && !rest->failed; i++) {
		take(rest, &number, sizeof(number));
		take(rest, &uses->list[i].policy, sizeof(uses->list[i].policy));
		if (number >= conf->platform_count)
			rest->failed = true;
		else
			uses->list[i].platform = &conf->platforms[number];
	}
	uses->count = rest->failed ? 0 : count;
}

static void take_titles(struct rest *rest, struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		uses->list[i].title = take_title(rest);
}

/* The structure itself, whose pointers were another process's. */
static bool take_conf(struct rest *rest, struct tessera_conf *conf, size_t *vipus)
{
	take(rest, conf, sizeof(*conf));
	conf->platforms = NULL;
	conf->vipus = NULL;
	conf->pools = NULL;
	conf->partitions = conf->nodes = (struct uses){0};
	*vipus = conf->vipu_count;
	conf->vipu_count = 0;
	return !rest->failed;
}

struct tessera_conf *conf_unpack(const char *packed, size_t len)
{
	struct rest rest = {.at = packed, .len = len};
	struct tessera_conf *conf = calloc(1, sizeof(*conf));
	struct head head, own;
	size_t vipus;

	make_head(&own);
	take(&rest, &head, sizeof(head));
	if (conf == NULL || rest.failed || head.len != len ||
	    memcmp(head.version, own.version, sizeof(own.version)) != 0 ||
	    memcmp(head.sizes, own.sizes, sizeof(own.sizes)) != 0 || !take_conf(&rest, conf, &vipus)) {
		free(conf);
		return NULL;
	}
	conf->platforms = take_list(&rest, conf->platform_count, sizeof(*conf->platforms));
	conf->vipus = take_list(&rest, vipus, sizeof(*conf->vipus));
	conf->pools = take_list(&rest, conf->pool_count, sizeof(*conf->pools));
	for (size_t i = 0; i < vipus && !rest.failed; i++)
		conf->vipus[i].nodes = NULL;
	conf->vipu_count = rest.failed ? 0 : vipus;
	take_uses(&rest, conf, &conf->partitions, head.partitions);
	take_uses(&rest, conf, &conf->nodes, head.nodes);
	take_titles(&rest, &conf->partitions);
	take_titles(&rest, &conf->nodes);
	for (size_t i = 0; i < conf->vipu_count; i++)
		conf->vipus[i].nodes = take_title(&rest);
	if (!rest.failed && rest.len == 0)
		return conf;
	tessera_conf_free(conf);
	return NULL;
}
