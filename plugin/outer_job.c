/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grant.h"
#include "plugin/client.h"
#include "plugin/outer_job.h"
#include "plugin/step_pools.h"

/* Is VARIABLE what we set it to? */
static bool is_ours(const char *variable, const char *copy)
{
	const char *value = getenv(variable), *ours = getenv(copy);

	return value != NULL && ours != NULL && strcmp(value, ours) == 0;
}

/* A partition comes with the whole set. */
static void forget_partition(void)
{
	static const char *const variables[] = {"IPUOF_VIPU_API_HOST", "IPUOF_VIPU_API_PORT", CLIENT_PARTITION,
						"IPUOF_VIPU_API_GCD_ID", "IPUOF_VIPU_API_TIMEOUT"};

	if (is_ours(CLIENT_PARTITION, CLIENT_PARTITION_COPY)) {
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
			unsetenv(variables[i]);
	}
	unsetenv(CLIENT_PARTITION_COPY);
	unsetenv(STEP_GCDS);
}

/* Outside a job such a variable may be a request: the twin of the pool's option. */
static void forget_pools(const struct tessera_conf *conf)
{
	char name[TESSERA_VARIABLES_MAX], value[TESSERA_VARIABLES_MAX];
	const struct tessera_pool *pool;

	if (conf == NULL || getenv("SLURM_JOB_ID") == NULL)
		return;
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		for (size_t n = 0; tessera_pool_variable(pool, n, 0, 0, name, sizeof(name), value, sizeof(value));
		     n++)
			unsetenv(name);
}

void outer_job_forget(const struct tessera_conf *conf)
{
	static bool done;

	if (done)
		return;
	done = true;
	unsetenv(CLIENT_ASKED);
	unsetenv(TESSERA_GRANT_VARIABLE);
	if (is_ours(CLIENT_MASK, CLIENT_MASK_COPY))
		unsetenv(CLIENT_MASK);
	unsetenv(CLIENT_MASK_COPY);
	if (is_ours(CLIENT_HYDRA_ENV, CLIENT_HYDRA_ENV_COPY))
		unsetenv(CLIENT_HYDRA_ENV);
	unsetenv(CLIENT_HYDRA_ENV_COPY);
	forget_partition();
	forget_pools(conf);
}
