/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "command/observe/devices.h"

#define FILES_MAX 65536 /* files to compare; /dev has some hundreds */

static bool is_file(const FTSENT *at)
{
	return at->fts_info == FTS_DEFAULT || at->fts_info == FTS_F || at->fts_info == FTS_SL;
}

/* Does a file below TOP match PATTERN? As in device_users.h, * also matches a slash. */
static bool any_below(char *top, const char *pattern)
{
	/* Stay on this file system: a network file system may hang. */
	FTS *walk = fts_open((char *[]){top, NULL}, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	const FTSENT *at = NULL;
	unsigned left = FILES_MAX;
	bool found = false;

	while (!found && left > 0 && walk != NULL && (at = fts_read(walk)) != NULL) {
		found = is_file(at) && fnmatch(pattern, at->fts_path, 0) == 0;
		left--;
	}
	if (walk != NULL)
		fts_close(walk);
	return found || left == 0;
}

bool devices_exist(const struct tessera_conf *conf, const char *node, struct tessera_error *err)
{
	const char *devices = tessera_conf_leftover(conf)->devices;
	char pattern[2 * TESSERA_PATH_MAX], top[sizeof(pattern)];
	char *slash;

	if (devices[0] == '\0')
		return true;
	if (tessera_conf_for_node("DeviceFiles", devices, node, pattern, sizeof(pattern), err) < 0)
		return false;
	/* The longest directory without a wildcard. */
	snprintf(top, sizeof(top), "%.*s", (int)strcspn(pattern, "*?["), pattern);
	slash = strrchr(top, '/');
	if (slash == NULL || slash == top)
		return true;
	*slash = '\0';
	if (any_below(top, pattern))
		return true;
	tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
			  "DeviceFiles = %.200s matches no file on this machine: cannot determine "
			  "which processes use tiles",
			  pattern);
	return false;
}
