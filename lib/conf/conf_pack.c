/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_internal.h"
#include "lib/conf/conf_pack.h"

/*
 * The layout: this head, struct tessera_conf, platforms, vipus, pools; for each partition and then
 * for each node the index of its platform, and its policy; then their titles and the nodes of the
 * vipus, each with a NUL.
 */
struct head {
	char version[32];
	uint32_t sizes[5]; /* of the structures below */
	uint32_t partitions, nodes;
	uint64_t len; /* of all bytes */
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

static size_t measure_titles(const struct tessera_conf *conf)
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

static char *put_bytes(char *at, const void *from, size_t len)
{
	if (len > 0)
		memcpy(at, from, len);
	return at + len;
}

static char *put_title(char *at, const char *title)
{
	return put_bytes(at, title, strlen(title) + 1);
}

static char *put_uses(char *at, const struct tessera_conf *conf, const struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++) {
		uint32_t number = (uint32_t)(uses->list[i].platform - conf->platforms);

		at = put_bytes(at, &number, sizeof(number));
		at = put_bytes(at, &uses->list[i].policy, sizeof(uses->list[i].policy));
	}
	return at;
}

char *conf_pack(const struct tessera_conf *conf, size_t *len)
{
	struct tessera_conf flat = *conf;
	struct head head;
	char *packed, *at;

	/* Pointers are not valid in another process. */
	flat.platforms = NULL;
	flat.vipus = NULL;
	flat.pools = NULL;
	flat.partitions = flat.nodes = (struct uses){0};
	make_head(&head);
	head.partitions = (uint32_t)conf->partitions.count;
	head.nodes = (uint32_t)conf->nodes.count;
	head.len = sizeof(head) + sizeof(*conf) + conf->platform_count * sizeof(*conf->platforms) +
		   conf->vipu_count * sizeof(*conf->vipus) +
		   conf->pool_count * sizeof(*conf->pools) +
		   (conf->partitions.count + conf->nodes.count) *
			   (sizeof(uint32_t) + sizeof(struct tessera_policy)) +
		   measure_titles(conf);
	packed = malloc(head.len);
	if (packed == NULL)
		return NULL;
	at = put_bytes(packed, &head, sizeof(head));
	at = put_bytes(at, &flat, sizeof(flat));
	at = put_bytes(at, conf->platforms, conf->platform_count * sizeof(*conf->platforms));
	at = put_bytes(at, conf->vipus, conf->vipu_count * sizeof(*conf->vipus));
	at = put_bytes(at, conf->pools, conf->pool_count * sizeof(*conf->pools));
	at = put_uses(at, conf, &conf->partitions);
	at = put_uses(at, conf, &conf->nodes);
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

/* The bytes still to be read. */
struct rest {
	const char *at;
	size_t len;
	bool failed;
};

static void read_bytes(struct rest *rest, void *to, size_t len)
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

/*
 * Read COUNT structures of SIZE bytes into allocated memory, which has room for at least one. NULL
 * on failure.
 */
static void *read_list(struct rest *rest, size_t count, size_t size)
{
	void *list = count <= rest->len / size ? calloc(count > 0 ? count : 1, size) : NULL;

	if (list == NULL)
		rest->failed = true;
	else
		read_bytes(rest, list, count * size);
	return list;
}

static char *read_title(struct rest *rest)
{
	size_t len = strnlen(rest->at, rest->len);
	char *title = !rest->failed && len < rest->len ? strdup(rest->at) : NULL;

	if (title == NULL)
		rest->failed = true;
	else
		read_bytes(rest, title, len + 1);
	return title;
}

static void read_uses(struct rest *rest, const struct tessera_conf *conf, struct uses *uses,
		      size_t count)
{
	uint32_t number = 0;

	uses->list =
		count <= rest->len / sizeof(number) ? calloc(count + 1, sizeof(*uses->list)) : NULL;
	rest->failed = rest->failed || uses->list == NULL;
	for (size_t i = 0; i < count && !rest->failed; i++) {
		read_bytes(rest, &number, sizeof(number));
		read_bytes(rest, &uses->list[i].policy, sizeof(uses->list[i].policy));
		if (number >= conf->platform_count)
			rest->failed = true;
		else
			uses->list[i].platform = &conf->platforms[number];
	}
	uses->count = rest->failed ? 0 : count;
}

static void read_titles(struct rest *rest, struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++)
		uses->list[i].title = read_title(rest);
}

/* Read the structure itself, and reset its pointers. *VIPUS is set to its vipu_count. */
static bool read_conf(struct rest *rest, struct tessera_conf *conf, size_t *vipus)
{
	read_bytes(rest, conf, sizeof(*conf));
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
	read_bytes(&rest, &head, sizeof(head));
	if (conf == NULL || rest.failed || head.len != len ||
	    memcmp(head.version, own.version, sizeof(own.version)) != 0 ||
	    memcmp(head.sizes, own.sizes, sizeof(own.sizes)) != 0 ||
	    !read_conf(&rest, conf, &vipus)) {
		free(conf);
		return NULL;
	}
	conf->platforms = read_list(&rest, conf->platform_count, sizeof(*conf->platforms));
	conf->vipus = read_list(&rest, vipus, sizeof(*conf->vipus));
	conf->pools = read_list(&rest, conf->pool_count, sizeof(*conf->pools));
	for (size_t i = 0; i < vipus && !rest.failed; i++)
		conf->vipus[i].nodes = NULL;
	conf->vipu_count = rest.failed ? 0 : vipus;
	read_uses(&rest, conf, &conf->partitions, head.partitions);
	read_uses(&rest, conf, &conf->nodes, head.nodes);
	read_titles(&rest, &conf->partitions);
	read_titles(&rest, &conf->nodes);
	for (size_t i = 0; i < conf->vipu_count; i++)
		conf->vipus[i].nodes = read_title(&rest);
	if (!rest.failed && rest.len == 0)
		return conf;
	tessera_conf_free(conf);
	return NULL;
}
