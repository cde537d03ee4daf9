/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/conf_path.h"

/* The value of KEY, which ends in =. */
static const char *argument(int argc, char **argv, const char *key)
{
	size_t len = strlen(key);

	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], key, len) == 0 && argv[i][len] != '\0')
			return argv[i] + len;
	return NULL;
}

const char *conf_path_argument(int argc, char **argv)
{
	return argument(argc, argv, "conf=");
}

const char *conf_path_cache(int argc, char **argv)
{
	return argument(argc, argv, "cache=");
}

const char *conf_path_beside_slurm(char *buf, size_t len)
{
	const char *slurm = getenv("SLURM_CONF");
	const char *slash = slurm != NULL ? strrchr(slurm, '/') : NULL;
	int n;

	if (slash == NULL)
		return TESSERA_CONF_PATH;
	n = snprintf(buf, len, "%.*s/tessera.conf", (int)(slash - slurm), slurm);
	if (n < 0 || (size_t)n >= len || access(buf, F_OK) != 0)
		return TESSERA_CONF_PATH;
	return buf;
}
