/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/names.h"
#include "lib/util/strbuf.h"
#include "plugin/options.h"

#define VARIABLE_PREFIX "TESSERA_"

/*
 * Stands for a value that is too long, on the node: a callback must not fail there, and a truncated
 * value could be a valid one.
 */
#define TOO_LONG "(more than 4096 characters)"

static int save_value(int val, const char *text, int remote);

static struct option_row {
	struct spank_option spank; /* Slurm declares its texts without const */
	const char *variable;      /* the user's */
	const char *inherited;     /* Slurm's, with the prefix SLURM_SPANK_ */
} rows[OPTION_MAX] = {
	[OPTION_TILES_PER_TASK] =
		{{(char[]){"tiles-per-task"}, (char[]){"N"},
		  (char[]){"[tessera] give each task N tiles of its own; requests as many as all "
			   "tasks on a node need, unless --gres requests more"},
		  1, OPTION_TILES_PER_TASK, save_value},
		 "TESSERA_TILES_PER_TASK",
		 VAR_OPTION_INHERITED "tiles_per_task"},
	[OPTION_TILE_AFFINITY] =
		{{(char[]){"tile-affinity"}, (char[]){"SET"},
		  (char[]){"[tessera] use exactly these tiles of each node: a mask 0xff000000, "
			   "RDUs rdu6,rdu7, or tiles 6.0-3,7.0-3"},
		  1, OPTION_TILE_AFFINITY, save_value},
		 "TESSERA_TILE_AFFINITY",
		 VAR_OPTION_INHERITED "tile_affinity"},
	[OPTION_TILE_BIND] =
		{{(char[]){"tile-bind"}, (char[]){"HOW"},
		  (char[]){"[tessera] how to divide tiles among tasks: none (all tasks share "
			   "them), block, cyclic, closest, or map:SET,SET,... for task after "
			   "task"},
		  1, OPTION_TILE_BIND, save_value},
		 "TESSERA_TILE_BIND",
		 VAR_OPTION_INHERITED "tile_bind"},
	[OPTION_IPUS] =
		{{(char[]){"ipus"}, (char[]){"N"},
		  (char[]){"[tessera] give the job a partition of N IPUs of the pool, a power of "
			   "two, for all its steps"},
		  1, OPTION_IPUS, save_value},
		 "TESSERA_IPUS",
		 VAR_OPTION_INHERITED "ipus"},
	[OPTION_IPU_GCDS] =
		{{(char[]){"ipu-gcds"}, (char[]){"N"},
		  (char[]){"[tessera] divide the IPUs into N graph compilation domains for the "
			   "tasks; a power of two, at most one for each task"},
		  1, OPTION_IPU_GCDS, save_value},
		 "TESSERA_IPU_GCDS",
		 VAR_OPTION_INHERITED "ipu_gcds"},
};

/* The texts of the pools' rows. */
static struct pool_texts {
	char name[TESSERA_NAME_MAX];
	char usage[TESSERA_NAME_MAX + 64];
	char variable[sizeof(VARIABLE_PREFIX) + TESSERA_NAME_MAX];
	char inherited[sizeof(VAR_OPTION_INHERITED) + TESSERA_NAME_MAX];
} pool_texts[TESSERA_POOLS_MAX];

static size_t pool_count;

static struct value {
	char *text;
	unsigned seen; /* callbacks */
} values[OPTION_MAX];

/*
 * Slurm's callback, several times for one option, with the same or another text. An error ends the
 * client, where the user sees the message; on the node it would drain the node.
 */
static int save_value(int val, const char *text, int remote)
{
	size_t len = text != NULL ? strlen(text) : 0;
	char *copy;

	if (val < 0 || val >= options_count() || text == NULL)
		return 0;
	if (len > OPTION_TEXT_MAX && !remote) {
		slurm_error("tessera: --%s has %zu characters, the limit is %d; name RDUs (rdu0-7) "
			    "instead of tiles",
			    rows[val].spank.name, len, OPTION_TEXT_MAX);
		return -1;
	}
	copy = strdup(len > OPTION_TEXT_MAX ? TOO_LONG : text);
	if (copy == NULL) {
		slurm_error("tessera: out of memory for --%s", rows[val].spank.name);
		return remote ? 0 : -1;
	}
	free(values[val].text);
	values[val].text = copy;
	values[val].seen++;
	return 0;
}

/*
 * NAME has LEN characters: lower-case letters, digits and -, as tessera_pool_check() requires.
 */
static void add_pool(const char *name, size_t len)
{
	static char argument[] = "N";
	int option = OPTION_FIRST_POOL + (int)pool_count;
	struct pool_texts *texts;
	size_t prefix = strlen(VAR_OPTION_INHERITED);

	if (pool_count >= TESSERA_POOLS_MAX || len == 0 || len >= TESSERA_NAME_MAX)
		return;
	texts = &pool_texts[pool_count++];
	snprintf(texts->name, sizeof(texts->name), "%.*s", (int)len, name);
	snprintf(texts->usage, sizeof(texts->usage),
		 "[tessera] give the job N of the cluster's %.*s", (int)len, name);
	snprintf(texts->variable, sizeof(texts->variable), VARIABLE_PREFIX "%.*s", (int)len, name);
	snprintf(texts->inherited, sizeof(texts->inherited), VAR_OPTION_INHERITED "%.*s", (int)len,
		 name);
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '-')
			texts->variable[strlen(VARIABLE_PREFIX) + i] =
				texts->inherited[prefix + i] = '_';
		else
			texts->variable[strlen(VARIABLE_PREFIX) + i] =
				(char)toupper((unsigned char)name[i]);
	}
	rows[option] =
		(struct option_row){{texts->name, argument, texts->usage, 1, option, save_value},
				    texts->variable,
				    texts->inherited};
}

static void set_pools_from_conf(const struct tessera_conf *conf)
{
	const struct tessera_pool *pool;

	pool_count = 0;
	for (size_t i = 0; conf != NULL && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		add_pool(pool->option, strlen(pool->option));
}

/* slurmstepd has slurmd's environment, which users cannot change. */
static void set_pools_from_slurmd(void)
{
	const char *names = getenv(VAR_NODE_POOLS);

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
		set_pools_from_slurmd();
	else
		set_pools_from_conf(conf);
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
	struct value old[TESSERA_POOLS_MAX];
	size_t old_count = pool_count;

	memcpy(old_texts, pool_texts, sizeof(old_texts));
	memcpy(old, &values[OPTION_FIRST_POOL], sizeof(old));
	memset(&values[OPTION_FIRST_POOL], 0, sizeof(old));
	set_pools_from_conf(conf);
	for (size_t was = 0; was < old_count; was++) {
		size_t is = 0;

		while (is < pool_count && strcmp(pool_texts[is].name, old_texts[was].name) != 0)
			is++;
		if (is < pool_count)
			values[OPTION_FIRST_POOL + is] = old[was];
		else
			free(old[was].text);
	}
}

int options_count(void)
{
	return OPTION_FIRST_POOL + (int)pool_count;
}

const char *options_value(int option)
{
	return values[option].text;
}

const char *options_pool_value(size_t pool)
{
	return pool < pool_count ? values[OPTION_FIRST_POOL + pool].text : NULL;
}

unsigned options_seen(int option)
{
	return values[option].seen;
}

void options_clear(void)
{
	for (int i = 0; i < OPTION_MAX; i++) {
		free(values[i].text);
		values[i].text = NULL;
		values[i].seen = 0;
	}
}

void options_from_prolog(spank_t sp, const struct tessera_conf *conf)
{
	set_pools_from_conf(conf);
	for (int i = 0; i < options_count(); i++) {
		char *text = NULL;

		if (spank_option_getopt(sp, &rows[i].spank, &text) == ESPANK_SUCCESS)
			save_value(i, text, 1);
	}
}

const char *options_name(int option)
{
	return rows[option].spank.name;
}

const char *options_environment(int option)
{
	return rows[option].variable;
}

const char *options_variable(int option)
{
	return rows[option].inherited + strlen(VAR_OPTION_INHERITED) - strlen(VAR_OPTION);
}

const char *options_inherited_variable(int option)
{
	return rows[option].inherited;
}

void options_export_pools(const struct tessera_conf *conf)
{
	char names[TESSERA_POOLS_MAX * TESSERA_NAME_MAX] = "";
	const struct tessera_pool *pool;
	struct strbuf out = strbuf_start(names, sizeof(names));

	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL;
	     i++)
		strbuf_put(&out, "%s%s", i > 0 ? "," : "", pool->option);
	setenv(VAR_NODE_POOLS, names, 1);
}
