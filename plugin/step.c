/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/request.h"
#include "lib/usermask.h"
#include "plugin/client.h"
#include "plugin/node.h"
#include "plugin/options.h"
#include "plugin/slurm_job.h"
#include "plugin/step.h"
#include "plugin/step_share.h"

/* What slurmstepd finds out once and its tasks, which are forked from it, use. One slurmstepd runs one step. */
static struct {
	bool active; /* the job asked for tiles */
	uint32_t job;
	uint32_t step;
	struct node node;
	struct tessera_ledger *ledger; /* as it was: to name who holds a foreign tile */
	bool has_row;                  /* of its own, in the ledger */
	struct tessera_error failed;   /* why no task can run; code 0: none */
	bool requeue;                  /* it may fit later: if it is a batch job, Slurm shall run it again */
	uint32_t restarts;
	unsigned tasks;
	struct tessera_tileset *each;
} step;

static bool is_script(void)
{
	return step.step == SLURM_BATCH_SCRIPT || step.step == SLURM_INTERACTIVE_STEP;
}

/* Each task's tiles. A batch script has all that the job has here: it starts the steps. */
static int share_out(const struct tessera_tileset *tiles, struct tessera_error *err)
{
	struct tessera_request req;
	struct tessera_options opt = {
		.tiles_per_task = options_value(OPTION_TILES_PER_TASK),
		.tile_bind = options_value(OPTION_TILE_BIND),
		.ntasks_per_node = step.tasks,
		.step = true,
	};

	step.each = calloc(step.tasks, sizeof(*step.each));
	if (step.each == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u tasks", step.tasks);
	if (is_script()) {
		step.each[0] = *tiles;
		return 0;
	}
	if (tessera_tileset_empty(tiles))
		return 0;
	if (tessera_request_read(step.node.conf, step.node.platform, &opt, &req, err) < 0)
		return -1;
	return tessera_split(&(struct tessera_split){.platform = step.node.platform,
						     .tiles = tiles,
						     .tasks = step.tasks,
						     .bind = req.bind,
						     .tiles_per_task = req.tiles_per_task,
						     .map = req.map,
						     .map_len = req.map_len},
			     step.each, err);
}

/* The job's row says that there is nothing to share out. */
static int refused(const struct tessera_row *row, struct tessera_error *err)
{
	step.restarts = row->restarts;
	step.requeue = row->state == TESSERA_ROW_SHORT && row->restarts < tessera_conf_max_requeue(step.node.conf);
	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "%s", row->text);
}

/*
 * There is no row, though there may have to be one: did slurmctld grant the job tiles? Nobody asks this when all is
 * well. Returns 0 if it did not, or -1 with ERR, which may say already why the row is missing.
 */
static int granted_in_vain(struct tessera_error *err)
{
	struct tessera_error unheard = {0};
	struct slurm_job job;
	int rc = node_name() != NULL ? slurm_job_load(step.job, node_name(), &job, &unheard) : -1;

	if (rc >= 0 && job.granted.rdus == 0 && job.granted.tiles == 0)
		return 0;
	if (err->code == TESSERA_OK)
		tessera_error_set(
			err, TESSERA_ERR_MISSING,
			"slurmctld granted tiles on node %s, but none were reserved there: the log of its "
			"slurmd says why (the node must be in tessera.conf, PrologFlags=Alloc in slurm.conf)",
			node_name() != NULL ? node_name() : "?");
	return -1;
}

static int prepare(spank_t sp, const struct tessera_row *row, struct tessera_error *err)
{
	struct step_share share = {.node = &step.node, .job = step.job, .step = step.step};
	struct tessera_tileset tiles = row->tiles;
	int rc = 0;

	if (row->state != TESSERA_ROW_HELD)
		return refused(row, err);
	if (!is_script()) {
		rc = step_share_find(sp, &share, row, &tiles, err);
		step.has_row = share.recorded;
	}
	return rc == 0 ? share_out(&tiles, err) : -1;
}

/* The job's row, or NULL: with ERR if something is wrong with conf or ledger. */
static const struct tessera_row *find_row(int argc, char **argv, struct tessera_error *err)
{
	if (node_open(&step.node, argc, argv, err) < 0)
		return NULL;
	options_match(step.node.conf);
	if (step.node.platform == NULL ||
	    tessera_ledger_read(step.node.dir, step.node.platform, &step.ledger, err) < 0)
		return NULL;
	return tessera_ledger_job(step.ledger, step.job);
}

int step_init_post_opt(spank_t sp, int argc, char **argv)
{
	struct tessera_error err = {0};
	const struct tessera_row *row;
	bool asked, marked;
	char text[CLIENT_ASKED_MAX];
	int rc = 0;

	if (spank_get_item(sp, S_JOB_ID, &step.job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step.step) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &step.tasks) != ESPANK_SUCCESS)
		return 0;
	if (step.step == SLURM_EXTERN_CONT || step.tasks == 0)
		return 0;
	asked = spank_getenv(sp, CLIENT_ASKED, text, sizeof(text)) == ESPANK_SUCCESS &&
		strstr(text, "tiles=") != NULL;
	if (!asked && !node_may_hold(step.job))
		return 0;
	row = find_row(argc, argv, &err);
	marked = row == NULL && step.node.platform != NULL && node_is_marked(&step.node, step.job);
	if (row != NULL)
		rc = prepare(sp, row, &err);
	else if (asked || marked || err.code != TESSERA_OK)
		rc = granted_in_vain(&err);
	step.active = row != NULL || rc < 0;
	if (rc < 0)
		step.failed = err;
	return 0;
}

/* The mask that the user wants this task to have, or NULL. */
static const char *user_mask(spank_t sp, char *mask, char *copy, int len)
{
	if (spank_getenv(sp, CLIENT_MASK, mask, len) != ESPANK_SUCCESS)
		return NULL;
	if (spank_getenv(sp, CLIENT_MASK_COPY, copy, len) == ESPANK_SUCCESS && strcmp(mask, copy) == 0)
		return NULL;
	return mask;
}

static int set_environment(spank_t sp, const struct tessera_tileset *granted, struct tessera_error *err)
{
	struct tessera_tileset tiles = *granted;
	char mask[4096], copy[4096];
	const struct tessera_platform *p = step.node.platform;

	/* A step that wants none: what its job's script had is not for it. */
	if (tessera_tileset_empty(granted)) {
		spank_unsetenv(sp, CLIENT_MASK);
		spank_unsetenv(sp, CLIENT_MASK_COPY);
		spank_unsetenv(sp, CLIENT_STEP_TILES);
		return 0;
	}
	if (tessera_usermask_apply(p, tessera_conf_user_mask(step.node.conf),
				   user_mask(sp, mask, copy, sizeof(mask)), &tiles, tessera_ledger_holder,
				   step.ledger, err) < 0)
		return -1;
	tessera_tileset_format(p, &tiles, TESSERA_FORM_MASK, mask, sizeof(mask));
	if (spank_setenv(sp, CLIENT_MASK, mask, 1) != ESPANK_SUCCESS ||
	    spank_setenv(sp, CLIENT_MASK_COPY, mask, 1) != ESPANK_SUCCESS)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "the task's environment cannot be set");
	spank_unsetenv(sp, CLIENT_STEP_TILES);
	return 0;
}

/*
 * What the user reads. A job that may fit later goes back to the queue, once for the node; Slurm refuses that for a job
 * that is not a batch job, which then has failed.
 */
static void give_up(int task)
{
	if (step.requeue && task == 0 && slurm_requeue(step.job, 0) == SLURM_SUCCESS)
		slurm_error("tessera: %s; the job goes back to the queue (%u of %u)", step.failed.text,
			    step.restarts + 1, tessera_conf_max_requeue(step.node.conf));
	else
		slurm_error("tessera: %s", step.failed.text);
}

int step_task_init_privileged(spank_t sp)
{
	struct tessera_error err = {0};
	int task = 0;

	if (!step.active)
		return 0;
	if (spank_get_item(sp, S_TASK_ID, &task) != ESPANK_SUCCESS || task < 0 || (unsigned)task >= step.tasks) {
		slurm_error("tessera: Slurm started task %d of %u on this node", task, step.tasks);
		return -1;
	}
	if (step.failed.code != TESSERA_OK) {
		give_up(task);
		return -1;
	}
	if (set_environment(sp, &step.each[task], &err) < 0) {
		slurm_error("tessera: %s", err.text);
		return -1;
	}
	return 0;
}

void step_exit(void)
{
	if (step.has_row)
		step_share_return(&(struct step_share){.node = &step.node, .job = step.job, .step = step.step});
	tessera_ledger_close(step.ledger);
	free(step.each);
	node_close(&step.node);
	memset(&step, 0, sizeof(step));
}
