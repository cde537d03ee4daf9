/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/gres_list.h"
#include "lib/conf/names.h"
#include "lib/request/request.h"
#include "lib/request/unasked.h"
#include "lib/request/user_mask.h"
#include "lib/util/error.h"
#include "lib/util/strbuf.h"
#include "plugin/options.h"
#include "plugin/step_env.h"

#define MASK_MAX 4096 /* bytes of a mask's text, with the final NUL */

/* Of tasks without tiles; "": their environment stays as it is. One slurmstepd runs one step. */
static char empty_mask[MASK_MAX];

/* Is any of PARTITIONS in LIST? Both are separated by commas. */
static bool is_any_listed(const char *partitions, const char *list)
{
	for (const char *at = partitions; *at != '\0';) {
		size_t len = strcspn(at, ",");

		for (const char *other = list; len > 0 && *other != '\0';
		     other += strspn(other, ",")) {
			size_t other_len = strcspn(other, ",");

			if (other_len == len && memcmp(at, other, len) == 0)
				return true;
			other += other_len;
		}
		at += len;
		at += strspn(at, ",");
	}
	return false;
}

/* From what slurmd left: "MASK PARTITION,PARTITION". */
static void read_exported_mask(const char *partitions)
{
	const char *text = getenv(VAR_NODE_EMPTY_MASK);
	size_t len = text != NULL ? strcspn(text, " ") : 0;

	if (len == 0 || len >= sizeof(empty_mask) || text[len] == '\0' ||
	    !is_any_listed(partitions, text + len + 1))
		return;
	memcpy(empty_mask, text, len);
	empty_mask[len] = '\0';
}

void step_env_find_empty_mask(spank_t sp, const struct node *node)
{
	const struct tessera_tileset none = {0};
	char partitions[4096];

	empty_mask[0] = '\0';
	if (spank_getenv(sp, "SLURM_JOB_PARTITION", partitions, sizeof(partitions)) !=
	    ESPANK_SUCCESS)
		return;
	if (node->conf == NULL)
		read_exported_mask(partitions);
	else if (unasked_masks(node->conf, partitions, node->platform))
		tessera_tileset_format(node->platform, &none, TESSERA_FORM_MASK, empty_mask,
				       sizeof(empty_mask));
}

int step_env_set_empty_mask(spank_t sp, struct tessera_error *err)
{
	if (empty_mask[0] == '\0')
		return 0;
	if (spank_setenv(sp, VAR_MASK, empty_mask, 1) == ESPANK_SUCCESS &&
	    spank_setenv(sp, VAR_MASK_COPY, empty_mask, 1) == ESPANK_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot set the task's environment");
}

/* Leaves "MASK PARTITION,PARTITION", or "" if no task gets an empty mask. */
void step_env_export_empty_mask(const struct node *node)
{
	const struct tessera_tileset none = {0};
	const char *title;
	char mask[MASK_MAX], *text;
	size_t size = sizeof(mask) + 1;
	struct strbuf out;

	for (size_t i = 0; tessera_conf_partition_at(node->conf, i, &title) != NULL; i++)
		size += strlen(title) + 1;
	text = calloc(1, size);
	if (text == NULL)
		return;
	out = strbuf_start(text, size);
	for (size_t i = 0; tessera_conf_partition_at(node->conf, i, &title) != NULL; i++) {
		if (!unasked_masks(node->conf, title, node->platform))
			continue;
		if (out.used == 0) {
			tessera_tileset_format(node->platform, &none, TESSERA_FORM_MASK, mask,
					       sizeof(mask));
			strbuf_put(&out, "%s ", mask);
		}
		strbuf_put(&out, "%s,", title);
	}
	setenv(VAR_NODE_EMPTY_MASK, text, 1);
	free(text);
}

/* The mask that the user set for this task, or NULL: one that we set for the job is not theirs. */
static const char *find_user_mask(spank_t sp, char *mask, char *copy, int len)
{
	if (spank_getenv(sp, VAR_MASK, mask, len) != ESPANK_SUCCESS)
		return NULL;
	if (spank_getenv(sp, VAR_MASK_COPY, copy, len) == ESPANK_SUCCESS && strcmp(mask, copy) == 0)
		return NULL;
	return mask;
}

int step_env_narrow_tiles(spank_t sp, const struct node *node, struct tessera_ledger *ledger,
			  struct tessera_tileset *tiles, struct tessera_error *err)
{
	char mask[MASK_MAX], copy[MASK_MAX];

	return tessera_user_mask_apply(node->platform, tessera_conf_user_mask(node->conf),
				       find_user_mask(sp, mask, copy, sizeof(mask)), tiles,
				       tessera_ledger_owner, ledger, err);
}

int step_env_set_tiles(spank_t sp, const struct node *node, struct tessera_ledger *ledger,
		       struct tessera_tileset *tiles, struct tessera_error *err)
{
	char mask[MASK_MAX];

	spank_unsetenv(sp, VAR_STEP_TYPED);
	/* A step that wants no tiles must not inherit the mask of its job's script. */
	if (tessera_tileset_empty(tiles)) {
		spank_unsetenv(sp, VAR_MASK);
		spank_unsetenv(sp, VAR_MASK_COPY);
		spank_unsetenv(sp, VAR_STEP_TILES);
		return step_env_set_empty_mask(sp, err);
	}
	if (step_env_narrow_tiles(sp, node, ledger, tiles, err) < 0)
		return -1;
	tessera_tileset_format(node->platform, tiles, TESSERA_FORM_MASK, mask, sizeof(mask));
	if (spank_setenv(sp, VAR_MASK, mask, 1) != ESPANK_SUCCESS ||
	    spank_setenv(sp, VAR_MASK_COPY, mask, 1) != ESPANK_SUCCESS)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
					 "cannot set the task's environment");
	spank_unsetenv(sp, VAR_STEP_TILES);
	return 0;
}

bool step_env_has_option(void)
{
	if (options_value(OPTION_IPUS) != NULL)
		return true;
	for (size_t i = 0; i < TESSERA_POOLS_MAX; i++)
		if (options_pool_value(i) != NULL)
			return true;
	return false;
}

/* TEXT is the step's value of OPTION, HAS the job's count. */
static int check_count(const char *option, const char *text, unsigned has,
		       struct tessera_error *err)
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
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s=%u exceeds what the job has, which is none; request %s for the job "
			"itself (sbatch, salloc, or srun outside a job)",
			name, count, name);
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s=%u exceeds what the job has, which is %u; use %u or fewer, or "
				 "omit it to use all",
				 name, count, has, has);
}

static unsigned find_count(const struct tessera_job_record *record, const char *pool)
{
	for (size_t i = 0; i < record->pool_count; i++)
		if (strcmp(record->pools[i].name, pool) == 0)
			return record->pools[i].count;
	return 0;
}

int step_env_check(const struct node *node, const struct tessera_job_record *record,
		   struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (check_count(options_name(OPTION_IPUS), options_value(OPTION_IPUS), record->ipus, err) <
	    0)
		return -1;
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++)
		if (check_count(pool->option, options_pool_value(i), find_count(record, pool->name),
				err) < 0)
			return -1;
	return 0;
}

static int set_variable(spank_t sp, const char *name, const char *value, struct tessera_error *err)
{
	if (spank_setenv(sp, name, value, 1) == ESPANK_SUCCESS)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				 "cannot set %s in the task's environment", name);
}

static int set_number(spank_t sp, const char *name, unsigned value, struct tessera_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", value);
	return set_variable(sp, name, text, err);
}

/* Users raise the timeout for large models: a number of theirs stays. */
static bool has_own_timeout(spank_t sp)
{
	char text[32];

	return spank_getenv(sp, VAR_VIPU_TIMEOUT, text, sizeof(text)) == ESPANK_SUCCESS &&
	       text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* The task's graph compilation domain in the partition. */
static unsigned find_gcd(spank_t sp, const struct tessera_job_record *record, bool script)
{
	uint32_t tasks = 0;
	int task = 0;

	if (script || spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &tasks) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_TASK_GLOBAL_ID, &task) != ESPANK_SUCCESS || task < 0)
		return 0;
	return tessera_request_gcd(record->gcds, tasks, (unsigned)task);
}

/*
 * All variables together: the runtime would combine a missing one with a user's value, or with the
 * file of VAR_IPUOF_CONFIG, and use the wrong partition.
 */
static int set_partition(spank_t sp, const struct tessera_job_record *record, bool script,
			 struct tessera_error *err)
{
	if (set_variable(sp, VAR_VIPU_HOST, record->host, err) < 0 ||
	    set_number(sp, VAR_VIPU_PORT, record->port, err) < 0 ||
	    set_variable(sp, VAR_PARTITION, record->partition, err) < 0 ||
	    set_variable(sp, VAR_PARTITION_COPY, record->partition, err) < 0 ||
	    set_number(sp, VAR_PARTITION_GCDS, record->gcds, err) < 0 ||
	    set_number(sp, VAR_VIPU_GCD, find_gcd(sp, record, script), err) < 0)
		return -1;
	if (!has_own_timeout(sp) && set_number(sp, VAR_VIPU_TIMEOUT, record->timeout, err) < 0)
		return -1;
	spank_unsetenv(sp, VAR_IPUOF_CONFIG);
	return 0;
}

static int set_pool(spank_t sp, const struct tessera_pool *pool, unsigned count, uint32_t job,
		    struct tessera_error *err)
{
	char name[TESSERA_VARIABLES_MAX], value[2 * TESSERA_VARIABLES_MAX];

	for (size_t i = 0;
	     tessera_pool_variable(pool, i, count, job, name, sizeof(name), value, sizeof(value));
	     i++)
		if (set_variable(sp, name, value, err) < 0)
			return -1;
	return 0;
}

int step_env_set_pools(spank_t sp, const struct node *node, const struct tessera_job_record *record,
		       bool script, struct tessera_error *err)
{
	const struct tessera_pool *pool;

	if (record->ipus > 0 && set_partition(sp, record, script, err) < 0)
		return -1;
	for (size_t i = 0; (pool = tessera_conf_pool_at(node->conf, i)) != NULL; i++) {
		unsigned count = find_count(record, pool->name);

		if (count > 0 && set_pool(sp, pool, count, record->job, err) < 0)
			return -1;
	}
	return 0;
}

#define NODES "SLURM_JOB_NUM_NODES"

static bool is_set(spank_t sp, const char *name)
{
	char text[8];

	/* ESPANK_NOSPACE: set, and longer than text. */
	return spank_getenv(sp, name, text, sizeof(text)) != ESPANK_ENV_NOEXIST;
}

static bool has_several_nodes(spank_t sp)
{
	char text[16];

	return spank_getenv(sp, NODES, text, sizeof(text)) == ESPANK_SUCCESS &&
	       strtoul(text, NULL, 10) > 1;
}

void step_mpi_set_environment(spank_t sp, bool always)
{
	if (is_set(sp, VAR_HYDRA_ENV) || !(always || has_several_nodes(sp)))
		return;
	spank_setenv(sp, VAR_HYDRA_ENV, "none", 1);
	spank_setenv(sp, VAR_HYDRA_ENV_COPY, "none", 1);
}

/* MPICH's own proxy is hydra_pmi_proxy; other vendors' names begin with hydra_ too. */
bool step_mpi_is_proxy(spank_t sp)
{
	char **argv = NULL, script[8];
	const char *name;
	int argc = 0;

	/*
	 * sbatch sets this variable. A user who runs mpirun in salloc's shell sees the messages,
	 * and the allocation must stay.
	 */
	if (spank_getenv(sp, "ENVIRONMENT", script, sizeof(script)) != ESPANK_SUCCESS ||
	    strcmp(script, "BATCH") != 0)
		return false;
	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc < 1 ||
	    argv[0] == NULL)
		return false;
	name = strrchr(argv[0], '/');
	name = name != NULL ? name + 1 : argv[0];
	return strncmp(name, "hydra_", strlen("hydra_")) == 0;
}

void step_mpi_write_reason(uint32_t job, const char *why)
{
	char text[sizeof(((struct tessera_error *)0)->text) + 128];

	snprintf(text, sizeof(text),
		 "tessera: %s; ending the job, because its mpirun would wait forever", why);
	slurm_notify_job(job, text);
}

void step_mpi_end_job(uint32_t job)
{
	slurm_info("tessera: ending job %u: its mpirun would wait for a step that was refused",
		   job);
	slurm_kill_job(job, SIGTERM, KILL_FULL_JOB);
}
