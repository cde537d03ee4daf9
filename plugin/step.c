/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/conf/names.h"
#include "lib/request/step_rule.h"
#include "plugin/step.h"
#include "plugin/step_bind.h"
#include "plugin/step_env.h"
#include "plugin/step_facts.h"
#include "plugin/step_grant.h"

/* slurmstepd's hooks take no argument. One slurmstepd runs one step. */
static struct step this_step;

/*
 * Prepare the grants of the tiles that each task will have. Returns true if the user's mask is
 * refused for a task, which then fails.
 */
static bool prepare_grants(spank_t sp, struct step *step)
{
	const struct step_grant about = {
		.node = &step->node,
		.job = step->job,
		.restarts = step->verdict.restarts,
		.step = step->id,
		.partition =
			step->has_record && step->record.ipus > 0 ? step->record.partition : "",
	};
	struct tessera_tileset *narrowed = calloc(step->tasks, sizeof(*narrowed));
	bool refused = false;

	if (narrowed == NULL)
		return false;
	for (unsigned i = 0; i < step->tasks && step->row != NULL; i++) {
		narrowed[i] = step->tiles.each[i];
		if (!tessera_tileset_empty(&narrowed[i]) &&
		    step_env_narrow_tiles(sp, &step->node, step->ledger, &narrowed[i], NULL) < 0) {
			tessera_tileset_clear(&narrowed[i]);
			refused = true;
		}
	}
	step_grant_prepare(sp, &about, narrowed, step->tasks);
	free(narrowed);
	return refused;
}

int step_init_post_opt(spank_t sp)
{
	struct step *step = &this_step;
	bool mask_refused = false;

	if (spank_get_item(sp, S_JOB_ID, &step->job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step->id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &step->tasks) != ESPANK_SUCCESS)
		return 0;
	if (step->id == SLURM_EXTERN_CONT || step->tasks == 0)
		return 0;
	step_decide(sp, step);
	step_env_find_empty_mask(sp, &step->node);
	if (step->verdict.outcome == STEP_RUN)
		mask_refused = prepare_grants(sp, step);
	step->ends_job =
		step->verdict.outcome != STEP_UNASKED &&
		step_rule_ends_job(step->verdict.outcome, mask_refused, step_mpi_is_proxy(sp));
	return 0;
}

/*
 * What the user reads. A job that may run later is requeued, once for the node; Slurm refuses that
 * for a job that is not a batch job, which then has failed.
 */
static void report_failure(const struct step *step, int task)
{
	bool hold = step->verdict.outcome == STEP_REQUEUE_HOLD;
	bool requeue = hold || step->verdict.outcome == STEP_REQUEUE;

	if (!requeue || task != 0 ||
	    slurm_requeue(step->job, hold ? JOB_REQUEUE_HOLD : 0) != SLURM_SUCCESS)
		slurm_error("tessera: %s", step->why.text);
	else if (hold)
		slurm_error("tessera: %s; holding the job after %u tries: scontrol release %u "
			    "requeues it",
			    step->why.text, step->verdict.restarts + 1, step->job);
	else
		slurm_error("tessera: %s; requeueing the job (%u of %u)", step->why.text,
			    step->verdict.restarts + 1, step_max_requeue(step));
}

/* Once for the step. */
static void report_end_of_job(const struct step *step, int task, const char *why)
{
	if (step->ends_job && task == 0)
		step_mpi_write_reason(step->job, why);
}

/* Set the mask of the task; TILES become what it has. Returns 0, or -1 with ERR. */
static int set_tiles(spank_t sp, struct step *step, unsigned task, struct tessera_tileset *tiles,
		     struct tessera_error *err)
{
	if (step->row == NULL)
		return step_env_set_empty_mask(sp, err);
	if (step_bind_wait(task, &step->tiles.each[task], err) < 0)
		return -1;
	*tiles = step->tiles.each[task];
	return step_env_set_tiles(sp, &step->node, step->ledger, tiles, err);
}

/* All that a task finds in its environment. Returns 0, or -1 with ERR. */
static int set_environment(spank_t sp, struct step *step, unsigned task, struct tessera_error *err)
{
	struct tessera_tileset tiles = {0};

	if (set_tiles(sp, step, task, &tiles, err) < 0)
		return -1;
	if (step->has_record &&
	    step_env_set_pools(sp, &step->node, &step->record, step_is_script(step), err) < 0)
		return -1;
	if (step_is_script(step))
		step_mpi_set_environment(sp, step->row != NULL &&
						     tessera_conf_user_mask(step->node.conf) ==
							     TESSERA_MASK_IGNORE);
	step_grant_set(sp, task, &tiles);
	return 0;
}

int step_task_init_privileged(spank_t sp)
{
	struct step *step = &this_step;
	struct tessera_error err = {0};
	int task = 0;

	/* Slurm shows it to batch scripts, but it is for slurmctld alone. */
	spank_unsetenv(sp, VAR_NO_TILES_SCRIPT);
	if (step->verdict.outcome == STEP_UNASKED) {
		if (step_env_set_empty_mask(sp, &err) == 0)
			return 0;
		slurm_error("tessera: %s", err.text);
		return -1;
	}
	if (spank_get_item(sp, S_TASK_ID, &task) != ESPANK_SUCCESS || task < 0 ||
	    (unsigned)task >= step->tasks) {
		slurm_error("tessera: Slurm started task %d of %u on this node", task, step->tasks);
		return -1;
	}
	if (step->verdict.outcome != STEP_RUN) {
		report_failure(step, task);
		report_end_of_job(step, task, step->why.text);
		return -1;
	}
	if (set_environment(sp, step, (unsigned)task, &err) < 0) {
		slurm_error("tessera: %s", err.text);
		report_end_of_job(step, task, err.text);
		return -1;
	}
	return 0;
}

void step_task_post_fork(spank_t sp)
{
	step_bind_task_bound(sp);
}

void step_exit(void)
{
	struct step *step = &this_step;

	step_tiles_release(&step->tiles);
	if (step->ends_job)
		step_mpi_end_job(step->job);
	step_bind_clear();
	step_grant_clear();
	tessera_ledger_close(step->ledger);
	node_close(&step->node);
	memset(step, 0, sizeof(*step));
}
