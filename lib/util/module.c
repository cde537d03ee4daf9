/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util/file.h"
#include "lib/util/module.h"

int module_own_path(char *buf, size_t len, struct tessera_error *err)
{
	int (*function)(char *, size_t, struct tessera_error *) = module_own_path;
	Dl_info info;
	void *here;

	/* ISO C does not convert function pointers to void *, which POSIX's dladdr() needs. */
	memcpy(&here, &function, sizeof(here));
	if (dladdr(here, &info) == 0 || info.dli_fname == NULL ||
	    strchr(info.dli_fname, '/') == NULL ||
	    snprintf(buf, len, "%s", info.dli_fname) >= (int)len)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot determine where the plugin was loaded from");
	return 0;
}

static int module_path(const char *name, char *buf, size_t len, struct tessera_error *err)
{
	size_t dir;

	if (module_own_path(buf, len, err) < 0)
		return -1;
	dir = (size_t)(strrchr(buf, '/') - buf) + 1;
	if (dir + strlen(name) >= len)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "the path of %s is too long",
					 name);
	memcpy(buf + dir, name, strlen(name) + 1);
	return 0;
}

int module_load(const char *name, const char *symbol, bool trusted, void *function,
		struct tessera_error *err)
{
	char path[PATH_MAX];
	struct stat st;
	void *module, *found;

	if (module_path(name, path, sizeof(path), err) < 0)
		return -1;
	if (stat(path, &st) < 0)
		return tessera_error_set(err, TESSERA_ERR_IO, "%s: %s", path, strerror(errno));
	/* A user who can write the file would run code as root. */
	if (trusted && file_check_trust(path, &st, err) < 0)
		return -1;
	module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	found = module != NULL ? dlsym(module, symbol) : NULL;
	if (found == NULL)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "%s", dlerror());
	memcpy(function, &found, sizeof(found));
	return 0;
}
