/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
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

/* MPICH's own is hydra_pmi_proxy, others have names of their own after the first word. */
bool step_mpi_is_proxy(spank_t sp)
{
	char **argv = NULL, script[8];
	const char *name;
	int argc = 0;

	/* sbatch's variable. Whoever typed mpirun in salloc's shell sees the messages, and keeps the steps. */
	if (spank_getenv(sp, "ENVIRONMENT", script, sizeof(script)) != ESPANK_SUCCESS ||
	    strcmp(script, "BATCH") != 0)
		return false;
	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc < 1 || argv[0] == NULL)
		return false;
	name = strrchr(argv[0], '/');
	name = name != NULL ? name + 1 : argv[0];
	return strncmp(name, "hydra_", strlen("hydra_")) == 0;
}

void step_mpi_tell(uint32_t job, const char *why)
{
	char text[sizeof(((struct tessera_error *)0)->text) + 128];

	snprintf(text, sizeof(text), "tessera: %s; the job is ended, because its mpirun would wait for ever", why);
	slurm_notify_job(job, text);
}

void step_mpi_end_job(uint32_t job)
{
	slurm_info("tessera: job %u is ended: its mpirun would wait for a step that was refused", job);
	slurm_kill_job(job, SIGTERM, KILL_FULL_JOB);
}
