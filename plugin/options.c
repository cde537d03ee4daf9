/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/options.h"

#define INHERITED "SLURM_SPANK_" /* with the next one OPTIONS_INHERITED */
#define VARIABLE  "_SLURM_SPANK_OPTION_tessera_"
#define TWIN      "TESSERA_"

/* On the node a text that is too long must not fail there and then, nor become another one by being cut. */
#define TOO_LONG "(more than 4096 characters)"

static int keep(int val, const char *text, int remote);

static struct option_row {
	struct spank_option spank; /* Slurm wants its texts writable */
	const char *twin;
	const char *inherited; /* with SLURM_SPANK_ before Slurm's variable */
} rows[OPTION_MAX] = {
	[OPTION_TILES_PER_TASK] = {{(char[]){"tiles-per-task"}, (char[]){"N"},
				    (char[]){"[tessera] give each task N tiles of its own; asks for as many as all "
					     "tasks on a node need, unless --gres says more"},
				    1, OPTION_TILES_PER_TASK, keep},
				   "TESSERA_TILES_PER_TASK",
				   INHERITED VARIABLE "tiles_per_task"},
	[OPTION_TILE_AFFINITY] =
		{{(char[]){"tile-affinity"}, (char[]){"SET"},
		  (char[]){"[tessera] use exactly these tiles of each node: a mask 0xff000000, RDUs "
			   "rdu6,rdu7, or tiles 6.0-3,7.0-3"},
		  1, OPTION_TILE_AFFINITY, keep},
		 "TESSERA_TILE_AFFINITY",
		 INHERITED VARIABLE "tile_affinity"},
	[OPTION_TILE_BIND] = {{(char[]){"tile-bind"}, (char[]){"HOW"},
			       (char[]){"[tessera] how tiles are shared out to tasks: none (all tasks share them), "
					"block, cyclic, closest, or map:SET,SET,... for task after task"},
			       1, OPTION_TILE_BIND, keep},
			      "TESSERA_TILE_BIND",
			      INHERITED VARIABLE "tile_bind"},
	[OPTION_IPUS] = {{(char[]){"ipus"}, (char[]){"N"},
			  (char[]){"[tessera] give the job a partition of N IPUs of the pool, a power of two; its "
				   "steps use it"},
			  1, OPTION_IPUS, keep},
			 "TESSERA_IPUS",
			 INHERITED VARIABLE "ipus"},
	[OPTION_IPU_GCDS] =
		{{(char[]){"ipu-gcds"}, (char[]){"N"},
		  (char[]){"[tessera] divide the IPUs into N graph compilation domains, which are shared "
			   "out to tasks; a power of two, at most one for each task"},
		  1, OPTION_IPU_GCDS, keep},
		 "TESSERA_IPU_GCDS",
		 INHERITED VARIABLE "ipu_gcds"},
};

/* The texts of the pools' rows. */
static struct pool_texts {
	char name[TESSERA_NAME_MAX];
	char usage[TESSERA_NAME_MAX + 64];
	char twin[sizeof(TWIN) + TESSERA_NAME_MAX];
	char inherited[sizeof(INHERITED VARIABLE) + TESSERA_NAME_MAX];
} pool_texts[TESSERA_POOLS_MAX];

static size_t pool_count;

static struct kept {
	char *value;
	unsigned seen;
} kept[OPTION_MAX];

/*
 * Slurm's callback. Slurm calls it several times for one option, with the same or another text. A refusal ends the
 * client with a message, which is where the user can read it; on the node it would end as a broken node.
 */
static int keep(int val, const char *text, int remote)
{
	size_t len = text != NULL ? strlen(text) : 0;
	char *copy;

	if (val < 0 || val >= options_count() || text == NULL)
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

/* NAME, of LEN characters: lower-case letters, digits and -, as tessera_pool_check() has seen to. */
static void add_pool(const char *name, size_t len)
{
	static char argument[] = "N";
	int option = OPTION_FIRST_POOL + (int)pool_count;
	struct pool_texts *texts;
	size_t prefix = strlen(INHERITED VARIABLE);

	if (pool_count >= TESSERA_POOLS_MAX || len == 0 || len >= TESSERA_NAME_MAX)
		return;
	texts = &pool_texts[pool_count++];
	snprintf(texts->name, sizeof(texts->name), "%.*s", (int)len, name);
	snprintf(texts->usage, sizeof(texts->usage), "[tessera] give the job N of the cluster's %.*s", (int)len,
		 name);
	snprintf(texts->twin, sizeof(texts->twin), TWIN "%.*s", (int)len, name);
	snprintf(texts->inherited, sizeof(texts->inherited), INHERITED VARIABLE "%.*s", (int)len, name);
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '-')
			texts->twin[strlen(TWIN) + i] = texts->inherited[prefix + i] = '_';
		else
			texts->twin[strlen(TWIN) + i] = (char)toupper((unsigned char)name[i]);
	}
	rows[option] = (struct option_row){
		{texts->name, argument, texts->usage, 1, option, keep}, texts->twin, texts->inherited};
}

static void pools_of_conf(const struct tessera_conf *conf)
{
	const struct tessera_pool *pool;

	pool_count = 0;
	for (size_t i = 0; conf != NULL && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		add_pool(pool->option, strlen(pool->option));
}

/* slurmd's environment, which no user has touched. */
static void pools_of_slurmd(void)
{
	const char *names = getenv(OPTIONS_REMEMBERED);

	pool_count = 0;
	while (names != NULL && *names != '\0') {
		size_t len = strcspn(names, ",");

		add_pool(names, len);
		names += len + (names[len] == ',');
	}
}

static spank_err_t register_all(spank_t sp)
{
	spank_err_t rc = ESPANK_SUCCESS;

	for (int i = 0; i < options_count() && rc == ESPANK_SUCCESS; i++)
		rc = spank_option_register(sp, &rows[i].spank);
	return rc;
}

spank_err_t options_register(spank_t sp, const struct tessera_conf *conf)
{
	if (spank_context() == S_CTX_REMOTE)
		pools_of_slurmd();
	else
		pools_of_conf(conf);
	return register_all(sp);
}

spank_err_t options_register_pools(spank_t sp, char names[][TESSERA_NAME_MAX], size_t count)
{
	pool_count = 0;
	for (size_t i = 0; i < count; i++)
		add_pool(names[i], strlen(names[i]));
	return register_all(sp);
}

void options_match(const struct tessera_conf *conf)
{
	struct pool_texts old_texts[TESSERA_POOLS_MAX];
	struct kept old[TESSERA_POOLS_MAX];
	size_t old_count = pool_count;

	memcpy(old_texts, pool_texts, sizeof(old_texts));
	memcpy(old, &kept[OPTION_FIRST_POOL], sizeof(old));
	memset(&kept[OPTION_FIRST_POOL], 0, sizeof(old));
	pools_of_conf(conf);
	for (size_t was = 0; was < old_count; was++) {
		size_t is = 0;

		while (is < pool_count && strcmp(pool_texts[is].name, old_texts[was].name) != 0)
			is++;
		if (is < pool_count)
			kept[OPTION_FIRST_POOL + is] = old[was];
		else
			free(old[was].value);
	}
}

int options_count(void)
{
	return OPTION_FIRST_POOL + (int)pool_count;
}

const char *options_value(int option)
{
	return kept[option].value;
}

const char *options_pool_value(size_t pool)
{
	return pool < pool_count ? kept[OPTION_FIRST_POOL + pool].value : NULL;
}

unsigned options_seen(int option)
{
	return kept[option].seen;
}

void options_clear(void)
{
	for (int i = 0; i < OPTION_MAX; i++) {
		free(kept[i].value);
		kept[i].value = NULL;
		kept[i].seen = 0;
	}
}

void options_from_prolog(spank_t sp, const struct tessera_conf *conf)
{
	pools_of_conf(conf);
	for (int i = 0; i < options_count(); i++) {
		char *text = NULL;

		if (spank_option_getopt(sp, &rows[i].spank, &text) == ESPANK_SUCCESS)
			keep(i, text, 1);
	}
}

const char *options_name(int option)
{
	return rows[option].spank.name;
}

const char *options_twin(int option)
{
	return rows[option].twin;
}

const char *options_variable(int option)
{
	return rows[option].inherited + strlen(INHERITED);
}

const char *options_inherited_variable(int option)
{
	return rows[option].inherited;
}
