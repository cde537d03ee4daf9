/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

#include "gres/devices.h"

#define FILES_MAX 65536 /* that are looked at; /dev has some hundreds */
#define OPEN_MAX  8     /* directories at the same time */

/* nftw() has no pointer for its caller. */
static const char *wanted;
static unsigned left;

static int look_at(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	/* As holders.h compares: a * stands for a / too. */
	if (type != FTW_D && type != FTW_DNR && fnmatch(wanted, path, 0) == 0)
		return 1;
	return --left == 0;
}

bool devices_exist(const struct tessera_conf *conf, const char *node, struct tessera_error *err)
{
	const char *devices = tessera_conf_stale(conf)->devices;
	char pattern[2 * TESSERA_PATH_MAX], top[sizeof(pattern)];
	char *slash;

	if (devices[0] == '\0')
		return true;
	if (tessera_conf_for_node("DeviceFiles", devices, node, pattern, sizeof(pattern), err) < 0)
		return false;
	/* The directory below which all must be that it matches. */
	snprintf(top, sizeof(top), "%.*s", (int)strcspn(pattern, "*?[\\"), pattern);
	slash = strrchr(top, '/');
	if (slash == NULL || slash == top)
		return true;
	*slash = '\0';
	wanted = pattern;
	left = FILES_MAX;
	/* Not into other file systems: one of a server may not answer. */
	if (nftw(top, look_at, OPEN_MAX, FTW_PHYS | FTW_MOUNT) > 0)
		return true;
	tessera_error_set(err, TESSERA_ERR_MISSING,
			  "DeviceFiles = %.200s matches no file on this machine: who has a tile open is not known",
			  pattern);
	return false;
}
