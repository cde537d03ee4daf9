/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/slurm/conf_path.h"

#define NAME "tessera.conf"

/* The value of KEY, which ends with =; NULL if it is missing or empty. */
static const char *find_argument(int argc, char **argv, const char *key)
{
	size_t len = strlen(key);

	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], key, len) == 0 && argv[i][len] != '\0')
			return argv[i] + len;
	return NULL;
}

const char *conf_path_argument(int argc, char **argv)
{
	return find_argument(argc, argv, "conf=");
}

const char *conf_path_cache(int argc, char **argv)
{
	return find_argument(argc, argv, "cache=");
}

/* Format the path beside $SLURM_CONF. Returns false if that is unset, or the path is too long. */
static bool format_beside_slurm(char *buf, size_t len)
{
	const char *slurm = getenv("SLURM_CONF");
	const char *slash = slurm != NULL ? strrchr(slurm, '/') : NULL;
	int n;

	if (slash == NULL)
		return false;
	n = snprintf(buf, len, "%.*s/" NAME, (int)(slash - slurm), slurm);
	return n >= 0 && (size_t)n < len;
}

bool conf_path_received(const char *name, char *buf, size_t len)
{
	char link[128], target[128], wanted[128];
	const struct dirent *entry;
	bool found = false;
	DIR *fds = opendir("/proc/self/fd");

	snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", name);
	while (fds != NULL && !found && (entry = readdir(fds)) != NULL) {
		ssize_t n;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%.32s", entry->d_name);
		n = readlink(link, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		found = strcmp(target, wanted) == 0;
	}
	if (fds != NULL)
		closedir(fds);
	return found && (size_t)snprintf(buf, len, "%s", link) < len;
}

const char *conf_path_find(char *buf, size_t len)
{
	if (format_beside_slurm(buf, len) && access(buf, F_OK) == 0)
		return buf;
	if (access(TESSERA_CONF_PATH, F_OK) == 0)
		return TESSERA_CONF_PATH;
	if (access(CONFIGLESS_DIR "/" NAME, F_OK) == 0)
		return CONFIGLESS_DIR "/" NAME;
	if (conf_path_received(NAME, buf, len))
		return buf;
	return TESSERA_CONF_PATH;
}

int conf_path_explain(const char *path, struct tessera_error *err)
{
	struct tessera_error was;
	char beside[sizeof(was.text)];

	if (err == NULL || strcmp(path, TESSERA_CONF_PATH) != 0 || access(path, F_OK) == 0 ||
	    errno != ENOENT)
		return -1;
	was = *err;
	if (!format_beside_slurm(beside, sizeof(beside)) || strcmp(beside, path) == 0)
		beside[0] = '\0';
	return tessera_error_set(err, was.code,
				 "%.200s, nor is there %.200s%s" CONFIGLESS_DIR "/" NAME
				 ": install it, or name it with conf=PATH in plugstack.conf",
				 was.text, beside, beside[0] != '\0' ? " or " : "");
}
