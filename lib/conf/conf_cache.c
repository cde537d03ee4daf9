/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/conf/conf.h"
#include "lib/conf/conf_cache.h"
#include "lib/conf/conf_module.h"
#include "lib/conf/conf_pack.h"
#include "lib/util/file.h"
#include "lib/util/module.h"
#include "lib/util/statefile.h"

/* a file modified this recently may change again without a change of its timestamps */
#define SETTLED_S 2
#define LOCK      "conf-cache.lock"

/*
 * Precedes the packed configuration: the file it was parsed from, and the plugin that wrote it. The
 * cache is valid while both files are unchanged.
 */
struct cache_head {
	char path[PATH_MAX];
	struct stat conf;
	struct stat plugin;
};

static const char *cache_dir; /* NULL: no cache */

void conf_cache_use(const char *dir)
{
	cache_dir = dir;
}

/* One file for each tessera.conf: a machine may run several slurmds. */
static void format_cache_name(const char *path, char *buf, size_t len)
{
	uint32_t hash = 2166136261U; /* FNV-1a; paths with the same hash overwrite each other */

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619U;
	snprintf(buf, len, "conf-cache.%08x", hash);
}

/* The head that a valid cache of PATH has now. False if PATH must not be cached. */
static bool make_head(const char *path, struct cache_head *head)
{
	char own[PATH_MAX];

	memset(head, 0, sizeof(*head));
	if (cache_dir == NULL ||
	    snprintf(head->path, sizeof(head->path), "%s", path) >= (int)sizeof(head->path) ||
	    stat(path, &head->conf) < 0 || file_check_trust(path, &head->conf, NULL) < 0)
		return false;
	/* The cache is readable by all users, so the file must be, too. */
	return (head->conf.st_mode & S_IROTH) != 0 &&
	       module_own_path(own, sizeof(own), NULL) == 0 && stat(own, &head->plugin) == 0;
}

static struct tessera_conf *read_cache(const char *path, const struct cache_head *now)
{
	struct tessera_conf *conf = NULL;
	struct cache_head head;
	char name[64], *text = NULL;
	size_t len = 0;

	format_cache_name(path, name, sizeof(name));
	if (statefile_read_file(cache_dir, name, &text, &len, NULL) == 0 && len >= sizeof(head)) {
		memcpy(&head, text, sizeof(head));
		if (strcmp(head.path, now->path) == 0 &&
		    file_same_version(&head.conf, &now->conf) &&
		    file_same_version(&head.plugin, &now->plugin))
			conf = conf_unpack(text + sizeof(head), len - sizeof(head));
	}
	free(text);
	return conf;
}

/*
 * Errors are ignored: the next process parses the file again. HEAD was made before the file was
 * read, so a change in between makes the cache invalid.
 */
static void write_cache(const char *path, const struct cache_head *head, const char *packed,
			size_t len)
{
	time_t settled = time(NULL) - SETTLED_S;
	char name[64], *text;
	int lock;

	if (geteuid() != 0 || head->conf.st_mtime > settled || head->conf.st_ctime > settled)
		return;
	text = malloc(sizeof(*head) + len);
	lock = text != NULL ? statefile_lock(cache_dir, LOCK, NULL) : -1;
	if (lock >= 0) {
		memcpy(text, head, sizeof(*head));
		memcpy(text + sizeof(*head), packed, len);
		format_cache_name(path, name, sizeof(name));
		statefile_write_file(cache_dir, name, text, sizeof(*head) + len, NULL);
		close(lock);
	}
	free(text);
}

/* Let tessera_conf.so parse PATH into *PACKED, to be freed. Returns 0, or -1 with ERR. */
static int read_packed(const char *path, bool trusted, char **packed, size_t *len,
		       struct tessera_error *err)
{
	static conf_module_read_fn read_file;
	char why[sizeof(err->text)] = "";
	int code;

	if (read_file == NULL &&
	    module_load(CONF_MODULE, CONF_MODULE_READ, trusted, &read_file, err) < 0)
		return -1;
	code = read_file(path, trusted, packed, len, why, sizeof(why));
	return code == TESSERA_OK ? 0
				  : tessera_error_set(err, (enum tessera_errcode)code, "%s", why);
}

static struct tessera_conf *read_conf(const char *path, bool trusted, const struct cache_head *head,
				      struct tessera_error *err)
{
	struct tessera_conf *conf = NULL;
	char *packed = NULL;
	size_t len = 0;

	if (read_packed(path, trusted, &packed, &len, err) == 0) {
		conf = conf_unpack(packed, len);
		if (conf == NULL)
			tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					  CONF_MODULE
					  " and the plugin beside it come from different "
					  "builds: reinstall both");
		else if (head != NULL)
			write_cache(path, head, packed, len);
	}
	free(packed);
	return conf;
}

struct tessera_conf *tessera_conf_read(const char *path, struct tessera_error *err)
{
	return read_conf(path, false, NULL, err);
}

struct tessera_conf *tessera_conf_read_trusted(const char *path, struct tessera_error *err)
{
	struct tessera_conf *conf = NULL;
	struct cache_head head;
	bool cacheable = make_head(path, &head);

	if (cacheable)
		conf = read_cache(path, &head);
	return conf != NULL ? conf : read_conf(path, true, cacheable ? &head : NULL, err);
}
