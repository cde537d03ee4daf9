/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "plugin/client.h"
#include "plugin/step_mpi.h"

#define NODES "SLURM_JOB_NUM_NODES"

static bool is_set(spank_t sp, const char *name)
{
	char text[8];

	/* A longer value is set as well. */
	return spank_getenv(sp, name, text, sizeof(text)) != ESPANK_ENV_NOEXIST;
}

static bool over_several_nodes(spank_t sp)
{
	char text[16];

	return spank_getenv(sp, NODES, text, sizeof(text)) == ESPANK_SUCCESS && strtoul(text, NULL, 10) > 1;
}

void step_mpi_environment(spank_t sp, bool always)
{
	if (is_set(sp, CLIENT_HYDRA_ENV) || !(always || over_several_nodes(sp)))
		return;
	spank_setenv(sp, CLIENT_HYDRA_ENV, "none", 1);
	spank_setenv(sp, CLIENT_HYDRA_ENV_COPY, "none", 1);
}
