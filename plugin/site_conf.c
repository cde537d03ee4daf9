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

#include "lib/conf.h"
#include "lib/conf_pack.h"
#include "lib/file.h"
#include "lib/record.h"
#include "plugin/conf_module.h"
#include "plugin/conf_path.h"
#include "plugin/module.h"
#include "plugin/node.h"
#include "plugin/site_conf.h"

#define SETTLED_S 2 /* a file that changed less than this ago may change again without its times showing it */
#define LOCK      "conf-cache.lock"

/* Before the packed configuration: what it was made from, and by whom. It holds as long as both files are the same. */
struct cache_head {
	char path[PATH_MAX];
	struct stat conf;
	struct stat plugin;
};

static const char *cache_dir;

void site_conf_keep(int argc, char **argv)
{
	const char *dir = conf_path_cache(argc, argv);

	cache_dir = dir != NULL ? dir : SITE_CONF_CACHE;
	node_use_spare_dir(cache_dir);
}

/* One file for each tessera.conf: a machine may have several slurmds. */
static void cache_name(const char *path, char *buf, size_t len)
{
	uint32_t hash = 2166136261U; /* FNV-1a; two paths of one hash take turns */

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619U;
	snprintf(buf, len, "conf-cache.%08x", hash);
}

/* What a cache of PATH must begin with to hold now. False if it is not to be kept at all. */
static bool make_head(const char *path, struct cache_head *head)
{
	char own[PATH_MAX];

	memset(head, 0, sizeof(*head));
	if (cache_dir == NULL || snprintf(head->path, sizeof(head->path), "%s", path) >= (int)sizeof(head->path) ||
	    stat(path, &head->conf) < 0 || file_check_trust(path, &head->conf, NULL) < 0)
		return false;
	/* What users may not read is not copied to where they may. */
	return (head->conf.st_mode & S_IROTH) != 0 && module_own_path(own, sizeof(own), NULL) == 0 &&
	       stat(own, &head->plugin) == 0;
}

static struct tessera_conf *read_cache(const char *path, const struct cache_head *now)
{
	struct tessera_conf *conf = NULL;
	struct cache_head head;
	char name[64], *text = NULL;
	size_t len = 0;

	cache_name(path, name, sizeof(name));
	if (record_read_file(cache_dir, name, &text, &len, NULL) == 0 && len >= sizeof(head)) {
		memcpy(&head, text, sizeof(head));
		if (strcmp(head.path, now->path) == 0 && file_same_version(&head.conf, &now->conf) &&
		    file_same_version(&head.plugin, &now->plugin))
			conf = conf_unpack(text + sizeof(head), len - sizeof(head));
	}
	free(text);
	return conf;
}

/* If it cannot be kept, the next process parses the file again. HEAD was made before the file was read. */
static void write_cache(const char *path, const struct cache_head *head, const char *packed, size_t len)
{
	time_t settled = time(NULL) - SETTLED_S;
	char name[64], *text;
	int lock;

	if (geteuid() != 0 || head->conf.st_mtime > settled || head->conf.st_ctime > settled)
		return;
	text = malloc(sizeof(*head) + len);
	lock = text != NULL ? record_lock(cache_dir, LOCK, NULL) : -1;
	if (lock >= 0) {
		memcpy(text, head, sizeof(*head));
		memcpy(text + sizeof(*head), packed, len);
		cache_name(path, name, sizeof(name));
		record_write_file(cache_dir, name, text, sizeof(*head) + len, NULL);
		close(lock);
	}
	free(text);
}

/* As tessera_conf.so reads it, into *PACKED, to be freed. Returns 0, or -1 with ERR. */
static int read_packed(const char *path, bool trusted, char **packed, size_t *len, struct tessera_error *err)
{
	static conf_module_read_fn read_file;
	char why[sizeof(err->text)] = "";
	int code;

	if (read_file == NULL && module_load(CONF_MODULE, CONF_MODULE_READ, trusted, &read_file, err) < 0)
		return -1;
	code = read_file(path, trusted, packed, len, why, sizeof(why));
	return code == TESSERA_OK ? 0 : tessera_error_set(err, (enum tessera_errcode)code, "%s", why);
}

static struct tessera_conf *read_conf(const char *path, bool trusted, const struct cache_head *keep,
				      struct tessera_error *err)
{
	struct tessera_conf *conf = NULL;
	char *packed = NULL;
	size_t len = 0;

	if (read_packed(path, trusted, &packed, &len, err) == 0) {
		conf = conf_unpack(packed, len);
		if (conf == NULL)
			tessera_error_set(err, TESSERA_ERR_MISSING,
					  CONF_MODULE
					  " and the plugin beside it are of different builds: install both again");
		else if (keep != NULL)
			write_cache(path, keep, packed, len);
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
	bool keep = make_head(path, &head);

	if (keep)
		conf = read_cache(path, &head);
	return conf != NULL ? conf : read_conf(path, true, keep ? &head : NULL, err);
}
