/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/gres.h"
#include "lib/request.h"
#include "plugin/options.h"
#include "plugin/step_pools.h"

bool step_pools_asked(void)
{
	if (options_value(OPTION_IPUS) != NULL)
		return true;
	for (size_t i = 0; i < TESSERA_POOLS_MAX; i++)
		if (options_pool_value(i) != NULL)
			return true;
	return false;
}

/* TEXT is what the step says; HAS what its job has. */
static int check_count(const char *option, const char *text, unsigned has, struct tessera_error *err)
{
	char name[TESSERA_NAME_MAX + 2];
	unsigned count;

	if (text == NULL)
		return 0;
	snprintf(name, sizeof(name), "--%s", option);
	if (gres_option_count(name, text, &count, err) < 0)
		return -1;
	if (count <= has)
		return 0;
	if (has == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s=%u is more than the job has, which is none; give %s to the job itself "
					 "(sbatch, salloc, or srun without one)",
					 name, count, name);
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%s=%u is more than the job has, which is %u; ask for %u or fewer, or for none to have all", name,
		count, has, has);
}

static unsigned has_of(const struct tessera_holding *h, const char *pool)
{
	for (size_t i = 0; i < h->pool_count; i++)
		if (strcmp(h->pools[i].name, pool) == 0)
			return h->pools[i].count;
	return 0;
}

int step_pools_check(const struct node *node, const struct tessera_holding *h, struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (check_count(options_name(OPTION_IPUS), options_value(OPTION_IPUS), h->ipus, err) < 0)
		return -1;
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++)
		if (check_count(pool->option, options_pool_value(i), has_of(h, pool->name), err) < 0)
			return -1;
	return 0;
}

static int set(spank_t sp, const char *name, const char *value, struct tessera_error *err)
{
	if (spank_setenv(sp, name, value, 1) == ESPANK_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "%s cannot be set in the task's environment", name);
}

static int set_number(spank_t sp, const char *name, unsigned value, struct tessera_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", value);
	return set(sp, name, text, err);
}

/* Users raise it for large models, and are right to. */
static bool has_own_timeout(spank_t sp)
{
	char text[32];

	return spank_getenv(sp, STEP_API_TIMEOUT, text, sizeof(text)) == ESPANK_SUCCESS && text[0] != '\0' &&
	       text[strspn(text, "0123456789")] == '\0';
}

/* Which part of the partition is this task's? */
static unsigned gcd_of(spank_t sp, const struct tessera_holding *h, bool script)
{
	uint32_t tasks = 0;
	int task = 0;

	if (script || spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_TASK_GLOBAL_ID, &task) != ESPANK_SUCCESS || task < 0)
		return 0;
	return tessera_request_gcd(h->gcds, tasks, (unsigned)task);
}

/* All of them together: a part of them, or a file besides, sends the runtime to the wrong place. */
static int set_partition(spank_t sp, const struct tessera_holding *h, bool script, struct tessera_error *err)
{
	if (set(sp, STEP_API_HOST, h->host, err) < 0 || set_number(sp, STEP_API_PORT, h->port, err) < 0 ||
	    set(sp, STEP_API_PARTITION, h->partition, err) < 0 || set(sp, STEP_PARTITION, h->partition, err) < 0 ||
	    set_number(sp, STEP_GCDS, h->gcds, err) < 0 ||
	    set_number(sp, STEP_API_GCD, gcd_of(sp, h, script), err) < 0)
		return -1;
	if (!has_own_timeout(sp) && set_number(sp, STEP_API_TIMEOUT, h->timeout, err) < 0)
		return -1;
	spank_unsetenv(sp, STEP_CONFIG_PATH);
	return 0;
}

static int set_pool(spank_t sp, const struct tessera_pool *pool, unsigned count, uint32_t job,
		    struct tessera_error *err)
{
	char name[TESSERA_VARIABLES_MAX], value[2 * TESSERA_VARIABLES_MAX];

	for (size_t i = 0; tessera_pool_variable(pool, i, count, job, name, sizeof(name), value, sizeof(value));
	     i++)
		if (set(sp, name, value, err) < 0)
			return -1;
	return 0;
}

int step_pools_environment(spank_t sp, const struct node *node, const struct tessera_holding *h, bool script,
			   struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (h->ipus > 0 && set_partition(sp, h, script, err) < 0)
		return -1;
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++) {
		unsigned count = has_of(h, pool->name);

		if (count > 0 && set_pool(sp, pool, count, h->job, err) < 0)
			return -1;
	}
	return 0;
}
