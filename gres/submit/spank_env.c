/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/submit/spank_env.h"
#include "lib/conf/gres_list.h"
#include "lib/conf/names.h"

/* Slurm may put this before the name of an option in a job's control environment. */
#define PROLOG_PREFIX "SPANK_"

/* Slurm writes _ for each - of an option. */
static bool is_option(const char *text, size_t len, const char *option)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != (option[i] == '-' ? '_' : option[i]) || option[i] == '\0')
			return false;
	return option[len] == '\0';
}

/* The field of OPT for the option; NULL if the option is not known. */
static const char **find_field(const struct tessera_conf *conf, struct tessera_options *opt,
			       const char *text, size_t len)
{
	const struct {
		const char *name;
		const char **field;
	} known[] = {
		{"tiles-per-task", &opt->tiles_per_task},
		{"tile-affinity", &opt->tile_affinity},
		{"tile-bind", &opt->tile_bind},
		{"ipus", &opt->ipus},
		{"ipu-gcds", &opt->ipu_gcds},
	};
	const struct tessera_pool *pool;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is_option(text, len, known[i].name))
			return known[i].field;
	for (size_t i = 0; conf != NULL && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (is_option(text, len, pool->option))
			return &opt->pools[i];
	return NULL;
}

/* NAME=VALUE of an option of tessera's, without its prefixes; NULL if TEXT is something else. */
static const char *skip_prefixes(const char *text)
{
	if (text == NULL)
		return NULL;
	if (strncmp(text, PROLOG_PREFIX, strlen(PROLOG_PREFIX)) == 0)
		text += strlen(PROLOG_PREFIX);
	return strncmp(text, VAR_OPTION, strlen(VAR_OPTION)) == 0 ? text + strlen(VAR_OPTION)
								  : NULL;
}

bool spank_env_read(const struct tessera_conf *conf, const job_desc_msg_t *desc,
		    struct tessera_options *opt)
{
	bool any = false;

	for (uint32_t i = 0; i < desc->spank_job_env_size && desc->spank_job_env != NULL; i++) {
		const char *text = skip_prefixes(desc->spank_job_env[i]);
		const char *value = text != NULL ? strchr(text, '=') : NULL;
		const char **field;

		if (value == NULL)
			continue;
		any = true;
		field = find_field(conf, opt, text, (size_t)(value - text));
		if (field != NULL)
			*field = value + 1;
	}
	return any;
}

bool spank_env_no_tiles(const job_desc_msg_t *desc)
{
	static const char wanted[] = VAR_NO_TILES "=";

	for (uint32_t i = 0; i < desc->spank_job_env_size && desc->spank_job_env != NULL; i++)
		if (desc->spank_job_env[i] != NULL &&
		    strncmp(desc->spank_job_env[i], wanted, strlen(wanted)) == 0)
			return true;
	return false;
}

int spank_env_check_sizes(const job_desc_msg_t *desc, struct tessera_error *err)
{
	if (desc->spank_job_env == NULL)
		return 0;
	if (desc->spank_job_env_size > SPANK_ENV_MAX)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"the job's control environment has %u variables; send %d or fewer",
			desc->spank_job_env_size, SPANK_ENV_MAX);
	for (uint32_t i = 0; i < desc->spank_job_env_size; i++)
		if (gres_check_length("an option in the job's control environment",
				      skip_prefixes(desc->spank_job_env[i]), err) < 0)
			return -1;
	return 0;
}

/*
 * An array of COUNT pointers, all NULL, that Slurm can free. Of Slurm's allocator only xstrdup has
 * the same signature in all releases, so this copies a text of the right size and clears it.
 */
static char **alloc_slurm_array(size_t count)
{
	size_t size = count * sizeof(char *);
	char *text = malloc(size + 1);
	char *copy = NULL;

	if (text != NULL) {
		memset(text, 'x', size);
		text[size] = '\0';
		copy = slurm_xstrdup(text);
	}
	free(text);
	if (copy != NULL)
		memset(copy, 0, size);
	return (char **)(void *)copy;
}

void spank_env_add(job_desc_msg_t *desc, const char *option, unsigned count)
{
	uint32_t have = desc->spank_job_env != NULL ? desc->spank_job_env_size : 0;
	char **array = alloc_slurm_array(have + 2);
	char text[sizeof(VAR_OPTION) + TESSERA_NAME_MAX + 16];

	if (array == NULL)
		return;
	snprintf(text, sizeof(text), VAR_OPTION "%s=%u", option, count);
	for (char *at = text + strlen(VAR_OPTION); *at != '='; at++)
		if (*at == '-')
			*at = '_';
	if (have > 0)
		memcpy(array, desc->spank_job_env, have * sizeof(*array));
	array[have] = slurm_xstrdup(text);
	slurm_xfree((void **)&desc->spank_job_env);
	desc->spank_job_env = array;
	desc->spank_job_env_size = have + 1;
}
