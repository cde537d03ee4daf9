/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/sources.h"

/*
 * sbatch and salloc export a component's options before they read the next one's, so only at the beginning does
 * the environment tell what it was like outside.
 */
static struct {
	bool looked;
	bool inherited[OPTION_MAX];
} at_start;

static void look_at_start(void)
{
	if (at_start.looked)
		return;
	at_start.looked = true;
	for (int i = 0; i < options_count(); i++)
		at_start.inherited[i] = getenv(options_inherited_variable(i)) != NULL;
}

void sources_find(struct sources *sources)
{
	bool in_job = getenv("SLURM_JOB_ID") != NULL;

	*sources = (struct sources){0};
	look_at_start();
	for (int i = 0; i < options_count(); i++) {
		unsigned seen = options_seen(i);
		/* Slurm has told of the variable once, if there is one. */
		unsigned from_variable = getenv(options_inherited_variable(i)) != NULL;

		if (seen > from_variable || (seen > 0 && at_start.inherited[i] && !in_job)) {
			sources->source[i] = SOURCE_GIVEN;
			sources->value[i] = options_value(i);
		} else if (seen > 0) {
			sources->source[i] = SOURCE_INHERITED;
		}
	}
}

bool sources_any(const struct sources *sources)
{
	for (int i = 0; i < options_count(); i++)
		if (sources->source[i] != SOURCE_NONE || getenv(options_twin(i)) != NULL)
			return true;
	return false;
}

/* May the twin of OPTION speak? Those that ask come before those that say how. */
static bool twin_speaks(const struct sources *sources, const struct sources_said *said, int option)
{
	switch (option) {
	case OPTION_TILES_PER_TASK:
	case OPTION_TILE_AFFINITY:
	case OPTION_TILE_BIND:
		return said->tiles || sources->source[OPTION_TILES_PER_TASK] == SOURCE_GIVEN ||
		       sources->source[OPTION_TILE_AFFINITY] == SOURCE_GIVEN ||
		       sources->source[OPTION_TILE_BIND] == SOURCE_GIVEN;
	case OPTION_IPU_GCDS:
		return said->ipus || sources->value[OPTION_IPUS] != NULL;
	case OPTION_IPUS:
		return !said->ipus && getenv("SLURM_JOB_ID") == NULL;
	default:
		return !said->pools[option - OPTION_FIRST_POOL] && getenv("SLURM_JOB_ID") == NULL;
	}
}

int sources_add_twins(struct sources *sources, const struct sources_said *said, bool step,
		      struct tessera_error *err)
{
	for (int i = 0; i < options_count(); i++) {
		const char *twin = getenv(options_twin(i));

		if (twin == NULL || *twin == '\0' || sources->source[i] == SOURCE_GIVEN ||
		    !twin_speaks(sources, said, i) || (step && sources->source[i] == SOURCE_INHERITED))
			continue;
		if (strlen(twin) > OPTION_TEXT_MAX)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s in the environment has %zu characters, at most %d can be read",
						 options_twin(i), strlen(twin), OPTION_TEXT_MAX);
		sources->source[i] = SOURCE_TWIN;
		sources->value[i] = twin;
	}
	return 0;
}

bool sources_add_mask(struct sources *sources, const struct sources_said *said, const char *mask)
{
	if (mask == NULL || *mask == '\0' || strlen(mask) > OPTION_TEXT_MAX ||
	    sources->value[OPTION_TILE_AFFINITY] != NULL || !twin_speaks(sources, said, OPTION_TILE_AFFINITY))
		return false;
	sources->source[OPTION_TILE_AFFINITY] = SOURCE_TWIN;
	sources->value[OPTION_TILE_AFFINITY] = mask;
	return true;
}

void sources_add_count(struct sources *sources, int option, unsigned count)
{
	if (count == 0 || sources->value[option] != NULL)
		return;
	snprintf(sources->count[option], sizeof(sources->count[option]), "%u", count);
	sources->source[option] = SOURCE_COUNT;
	sources->value[option] = sources->count[option];
}

void sources_publish(const struct sources *sources, spank_t sp, bool step)
{
	for (int i = 0; i < options_count(); i++) {
		const char *variable = options_variable(i);

		if (sources->source[i] == SOURCE_TWIN || sources->source[i] == SOURCE_COUNT) {
			setenv(variable, sources->value[i], 1);
			if (!step)
				spank_job_control_setenv(sp, variable, sources->value[i], 1);
		} else if (sources->source[i] != SOURCE_GIVEN && !step && getenv(variable) != NULL) {
			unsetenv(variable);
			unsetenv(options_inherited_variable(i));
			spank_job_control_unsetenv(sp, variable);
		}
	}
}
