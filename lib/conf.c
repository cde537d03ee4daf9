/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/conf_parts.h"
#include "lib/file.h"
#include "lib/hostlist.h"

#define FILE_MAX_MIB 1

struct tessera_conf *tessera_conf_default(void)
{
	return conf_new(0);
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

/* TEXT has LEN bytes and a NUL after them; it is changed. */
static struct tessera_conf *read_text(const char *name, char *text, size_t len, struct tessera_error *err)
{
	struct reading r = {.name = name, .err = err};
	struct tessera_conf *conf = NULL;

	if (conf_text_read(&r, text, len) < 0)
		goto cleanup;
	conf = conf_new(r.count);
	if (conf == NULL) {
		conf_fail_memory(&r);
	} else if (conf_store(&r, conf) < 0) {
		tessera_conf_free(conf);
		conf = NULL;
	}
cleanup:
	conf_text_free(&r);
	return conf;
}

struct tessera_conf *tessera_conf_parse(const char *name, const char *text, struct tessera_error *err)
{
	struct tessera_conf *conf;
	char *copy = strdup(text);

	if (copy == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "%s: there is no memory left to read it", name);
		return NULL;
	}
	conf = read_text(name, copy, strlen(copy), err);
	free(copy);
	return conf;
}

/* TRUSTED: only a file that nobody else may write. */
static struct tessera_conf *read_path(const char *path, bool trusted, struct tessera_error *err)
{
	/* Not to wait for the writer of a pipe; files do not mind. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct tessera_conf *conf = NULL;
	size_t len = 0;
	char *text;

	if (fd < 0) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = file_read(fd, path, FILE_MAX_MIB, trusted, &len, err);
	if (text != NULL)
		conf = read_text(path, text, len, err);
	free(text);
	close(fd);
	return conf;
}

struct tessera_conf *tessera_conf_read(const char *path, struct tessera_error *err)
{
	return read_path(path, false, err);
}

struct tessera_conf *tessera_conf_read_trusted(const char *path, struct tessera_error *err)
{
	return read_path(path, true, err);
}

enum tessera_rdu_scope tessera_conf_rdu_scope(const struct tessera_conf *conf)
{
	return conf->rdu_scope;
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

/* Is NAME one of LIST's names, which have commas between? Everything is, if there is no list. */
static bool listed(const char *list, const char *name)
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

int tessera_conf_partition_platform(const struct tessera_conf *conf, const char *partitions,
				    const struct tessera_platform **platform, struct tessera_error *err)
{
	bool named = partitions != NULL && partitions[0] != '\0';
	const struct use *first = NULL;

	*platform = NULL;
	for (size_t i = 0; i < conf->partitions.count; i++) {
		const struct use *use = &conf->partitions.list[i];

		if (!listed(partitions, use->title))
			continue;
		if (first == NULL)
			first = use;
		if (use->platform == first->platform)
			continue;
		if (!named)
			return 0;
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "partition %s has platform %s but partition %s has %s: name partitions of "
					 "one platform only",
					 first->title, first->platform->name, use->title, use->platform->name);
	}
	if (first != NULL)
		*platform = first->platform;
	return 0;
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
