/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/options.h"

#define INHERITED "SLURM_SPANK_"

/* On the node a text that is too long must not fail there and then, nor become another one by being cut. */
#define TOO_LONG "(more than 4096 characters)"

static int keep(int val, const char *text, int remote);

static struct option_row {
	struct spank_option spank; /* Slurm wants its texts writable */
	const char *twin;
	const char *inherited; /* with SLURM_SPANK_ before Slurm's variable */
} rows[OPTION_COUNT] = {
	[OPTION_TILES_PER_TASK] = {{(char[]){"tiles-per-task"}, (char[]){"N"},
				    (char[]){"[tessera] give each task N tiles of its own; asks for as many as all "
					     "tasks on a node need, unless --gres says more"},
				    1, OPTION_TILES_PER_TASK, keep},
				   "TESSERA_TILES_PER_TASK",
				   INHERITED "_SLURM_SPANK_OPTION_tessera_tiles_per_task"},
	[OPTION_TILE_AFFINITY] =
		{{(char[]){"tile-affinity"}, (char[]){"SET"},
		  (char[]){"[tessera] use exactly these tiles of each node: a mask 0xff000000, RDUs "
			   "rdu6,rdu7, or tiles 6.0-3,7.0-3"},
		  1, OPTION_TILE_AFFINITY, keep},
		 "TESSERA_TILE_AFFINITY",
		 INHERITED "_SLURM_SPANK_OPTION_tessera_tile_affinity"},
	[OPTION_TILE_BIND] = {{(char[]){"tile-bind"}, (char[]){"HOW"},
			       (char[]){"[tessera] how tiles are shared out to tasks: none (all tasks share them), "
					"block, cyclic, closest, or map:SET,SET,... for task after task"},
			       1, OPTION_TILE_BIND, keep},
			      "TESSERA_TILE_BIND",
			      INHERITED "_SLURM_SPANK_OPTION_tessera_tile_bind"},
};

static struct {
	char *value;
	unsigned seen;
} kept[OPTION_COUNT];

/*
 * Slurm's callback. Slurm calls it several times for one option, with the same or another text. A refusal ends the
 * client with a message, which is where the user can read it; on the node it would end as a broken node.
 */
static int keep(int val, const char *text, int remote)
{
	size_t len = text != NULL ? strlen(text) : 0;
	char *copy;

	if (val < 0 || val >= OPTION_COUNT || text == NULL)
		return 0;
	if (len > OPTION_TEXT_MAX && !remote) {
		slurm_error("tessera: --%s has %zu characters, at most %d can be read; name RDUs (rdu0-7) "
			    "instead of tiles",
			    rows[val].spank.name, len, OPTION_TEXT_MAX);
		return -1;
	}
	copy = strdup(len > OPTION_TEXT_MAX ? TOO_LONG : text);
	if (copy == NULL) {
		slurm_error("tessera: out of memory for --%s", rows[val].spank.name);
		return remote ? 0 : -1;
	}
	free(kept[val].value);
	kept[val].value = copy;
	kept[val].seen++;
	return 0;
}

spank_err_t options_register(spank_t sp)
{
	spank_err_t rc = ESPANK_SUCCESS;

	for (int i = 0; i < OPTION_COUNT && rc == ESPANK_SUCCESS; i++)
		rc = spank_option_register(sp, &rows[i].spank);
	return rc;
}

const char *options_value(enum plugin_option option)
{
	return kept[option].value;
}

unsigned options_seen(enum plugin_option option)
{
	return kept[option].seen;
}

void options_clear(void)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		free(kept[i].value);
		kept[i].value = NULL;
		kept[i].seen = 0;
	}
}

void options_from_prolog(spank_t sp)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		char *text = NULL;

		if (spank_option_getopt(sp, &rows[i].spank, &text) == ESPANK_SUCCESS)
			keep(i, text, 1);
	}
}

const char *options_name(enum plugin_option option)
{
	return rows[option].spank.name;
}

const char *options_twin(enum plugin_option option)
{
	return rows[option].twin;
}

const char *options_variable(enum plugin_option option)
{
	return rows[option].inherited + strlen(INHERITED);
}

const char *options_inherited_variable(enum plugin_option option)
{
	return rows[option].inherited;
}
