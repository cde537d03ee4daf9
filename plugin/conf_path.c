/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/conf_path.h"

const char *conf_path_argument(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "conf=", 5) == 0 && argv[i][5] != '\0')
			return argv[i] + 5;
	}
	return NULL;
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
