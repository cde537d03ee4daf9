/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/names.h"
#include "lib/grant/grant.h"
#include "plugin/client_env.h"

/*
 * The environment that the program was started with. sbatch and salloc export a component's options
 * before they read the next one's, so it is read once, for the first component.
 */
static struct {
	bool is_read;
	bool inherited[OPTION_MAX];
} at_start;

static void read_at_start(void)
{
	if (at_start.is_read)
		return;
	at_start.is_read = true;
	for (int i = 0; i < options_count(); i++)
		at_start.inherited[i] = getenv(options_inherited_variable(i)) != NULL;
}

void client_env_find(struct sources *sources)
{
	bool in_job = getenv("SLURM_JOB_ID") != NULL;

	*sources = (struct sources){0};
	read_at_start();
	for (int i = 0; i < options_count(); i++) {
		unsigned seen = options_seen(i);
		/* If the variable is set, Slurm called back once for it. */
		unsigned from_variable = getenv(options_inherited_variable(i)) != NULL;

		if (seen > from_variable || (seen > 0 && at_start.inherited[i] && !in_job)) {
			sources->source[i] = SOURCE_GIVEN;
			sources->value[i] = options_value(i);
		} else if (seen > 0) {
			sources->source[i] = SOURCE_INHERITED;
		}
	}
}

bool client_env_any(const struct sources *sources)
{
	for (int i = 0; i < options_count(); i++)
		if (sources->source[i] != SOURCE_NONE || getenv(options_environment(i)) != NULL)
			return true;
	return false;
}

/* Does the environment variable of OPTION count? Called for --ipus before --ipu-gcds. */
static bool variable_counts(const struct sources *sources, const struct client_env_asked *asked,
			    int option)
{
	switch (option) {
	case OPTION_TILES_PER_TASK:
	case OPTION_TILE_AFFINITY:
	case OPTION_TILE_BIND:
		return asked->tiles || sources->source[OPTION_TILES_PER_TASK] == SOURCE_GIVEN ||
		       sources->source[OPTION_TILE_AFFINITY] == SOURCE_GIVEN ||
		       sources->source[OPTION_TILE_BIND] == SOURCE_GIVEN;
	case OPTION_IPU_GCDS:
		return asked->ipus || sources->value[OPTION_IPUS] != NULL;
	case OPTION_IPUS:
		return !asked->ipus && getenv("SLURM_JOB_ID") == NULL;
	default:
		return !asked->pools[option - OPTION_FIRST_POOL] && getenv("SLURM_JOB_ID") == NULL;
	}
}

int client_env_add_variables(struct sources *sources, const struct client_env_asked *asked,
			     bool step, struct tessera_error *err)
{
	for (int i = 0; i < options_count(); i++) {
		const char *value = getenv(options_environment(i));

		if (value == NULL || *value == '\0' || sources->source[i] == SOURCE_GIVEN ||
		    !variable_counts(sources, asked, i) ||
		    (step && sources->source[i] == SOURCE_INHERITED))
			continue;
		if (strlen(value) > OPTION_TEXT_MAX)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"%s in the environment has %zu characters, the limit is %d",
				options_environment(i), strlen(value), OPTION_TEXT_MAX);
		sources->source[i] = SOURCE_VARIABLE;
		sources->value[i] = value;
	}
	return 0;
}

bool client_env_add_mask(struct sources *sources, const struct client_env_asked *asked,
			 const char *mask)
{
	if (mask == NULL || *mask == '\0' || strlen(mask) > OPTION_TEXT_MAX ||
	    sources->value[OPTION_TILE_AFFINITY] != NULL ||
	    !variable_counts(sources, asked, OPTION_TILE_AFFINITY))
		return false;
	sources->source[OPTION_TILE_AFFINITY] = SOURCE_VARIABLE;
	sources->value[OPTION_TILE_AFFINITY] = mask;
	return true;
}

void client_env_add_count(struct sources *sources, int option, unsigned count)
{
	if (count == 0 || sources->value[option] != NULL)
		return;
	snprintf(sources->count[option], sizeof(sources->count[option]), "%u", count);
	sources->source[option] = SOURCE_COUNT;
	sources->value[option] = sources->count[option];
}

void client_env_publish(const struct sources *sources, spank_t sp, bool step)
{
	for (int i = 0; i < options_count(); i++) {
		const char *variable = options_variable(i);

		if (sources->source[i] == SOURCE_VARIABLE || sources->source[i] == SOURCE_COUNT) {
			setenv(variable, sources->value[i], 1);
			if (!step)
				spank_job_control_setenv(sp, variable, sources->value[i], 1);
		} else if (sources->source[i] != SOURCE_GIVEN && !step &&
			   getenv(variable) != NULL) {
			unsetenv(variable);
			unsetenv(options_inherited_variable(i));
			spank_job_control_unsetenv(sp, variable);
		}
	}
}

/* Does VARIABLE still have the value that we set, of which COPY has a copy? */
static bool is_unchanged(const char *variable, const char *copy)
{
	const char *value = getenv(variable), *ours = getenv(copy);

	return value != NULL && ours != NULL && strcmp(value, ours) == 0;
}

/* These variables are set together (plugin/step_env.c). */
static void unset_partition(void)
{
	static const char *const variables[] = {VAR_VIPU_HOST, VAR_VIPU_PORT, VAR_PARTITION,
						VAR_VIPU_GCD, VAR_VIPU_TIMEOUT};

	if (is_unchanged(VAR_PARTITION, VAR_PARTITION_COPY)) {
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
			unsetenv(variables[i]);
	}
	unsetenv(VAR_PARTITION_COPY);
	unsetenv(VAR_PARTITION_GCDS);
}

/* Outside a job such a variable may be a request, as the variable of a pool's option. */
static void unset_pools(const struct tessera_conf *conf)
{
	char name[TESSERA_VARIABLES_MAX], value[TESSERA_VARIABLES_MAX];
	const struct tessera_pool *pool;

	if (conf == NULL || getenv("SLURM_JOB_ID") == NULL)
		return;
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		for (size_t n = 0;
		     tessera_pool_variable(pool, n, 0, 0, name, sizeof(name), value, sizeof(value));
		     n++)
			unsetenv(name);
}

void client_env_unset_outer(const struct tessera_conf *conf)
{
	static bool done;

	if (done)
		return;
	done = true;
	unsetenv(VAR_ASKED);
	unsetenv(TESSERA_GRANT_VARIABLE);
	if (is_unchanged(VAR_MASK, VAR_MASK_COPY))
		unsetenv(VAR_MASK);
	unsetenv(VAR_MASK_COPY);
	if (is_unchanged(VAR_HYDRA_ENV, VAR_HYDRA_ENV_COPY))
		unsetenv(VAR_HYDRA_ENV);
	unsetenv(VAR_HYDRA_ENV_COPY);
	unset_partition();
	unset_pools(conf);
}
