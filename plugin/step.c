/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/request.h"
#include "lib/sharing.h"
#include "lib/usermask.h"
#include "plugin/client.h"
#include "plugin/node.h"
#include "plugin/options.h"
#include "plugin/slurm_job.h"
#include "plugin/slurm_pools.h"
#include "plugin/step.h"
#include "plugin/step_closest.h"
#include "plugin/step_grant.h"
#include "plugin/step_mpi.h"
#include "plugin/step_pools.h"
#include "plugin/step_share.h"
#include "plugin/step_unasked.h"

/* What slurmstepd finds out once and its tasks, which are forked from it, use. One slurmstepd runs one step. */
static struct {
	bool active;  /* the job asked for something of ours */
	bool tiles;   /* and has tiles here */
	bool holding; /* and something else */
	uint32_t job;
	uint32_t step;
	struct node node;
	struct tessera_ledger *ledger; /* as it was: to name who holds a foreign tile */
	bool has_row;                  /* of its own, in the ledger */
	struct tessera_holding held;   /* IPUs and pools */
	struct tessera_error failed;   /* why no task can run; code 0: none */
	bool requeue;                  /* it may fit later: if it is a batch job, Slurm shall run it again */
	bool hold;                     /* but not before somebody says so */
	bool ends_job;                 /* it is refused, and an mpirun waits for it */
	uint32_t restarts;
	unsigned tasks;
	struct tessera_tileset *each;
} step;

static bool is_script(void)
{
	return step.step == SLURM_BATCH_SCRIPT || step.step == SLURM_INTERACTIVE_STEP;
}

/* Do the step's tasks share its tiles? ROW is its job's. */
static enum sharing find_sharing(spank_t sp, const struct tessera_row *row)
{
	struct sharing_case c = {
		.asked = options_value(OPTION_TILES_PER_TASK) != NULL || options_value(OPTION_TILE_BIND) != NULL,
		.own = row->own,
		.step_here = step.tasks,
		.job_here = row->tasks,
		.job_all = row->job_tasks,
	};
	char typed[8];

	if (spank_get_item(sp, S_JOB_TOTAL_TASK_COUNT, &c.step_all) != ESPANK_SUCCESS)
		c.step_all = step.tasks;
	c.typed = c.asked && spank_getenv(sp, CLIENT_STEP_TYPED, typed, sizeof(typed)) == ESPANK_SUCCESS;
	return sharing_rule(&c);
}

/* All tasks have all TILES. */
static void share_all(const struct tessera_tileset *tiles)
{
	for (unsigned i = 0; i < step.tasks; i++)
		step.each[i] = *tiles;
}

/* Equal parts, if there are such. */
static void share_evenly(const struct tessera_tileset *tiles)
{
	const struct tessera_split split = {
		.platform = step.node.platform, .tiles = tiles, .tasks = step.tasks, .bind = TESSERA_BIND_BLOCK};

	if (tessera_split(&split, step.each, NULL) < 0)
		share_all(tiles);
}

/* As the options say. */
static int share_as_asked(const struct tessera_tileset *tiles, struct tessera_error *err)
{
	struct tessera_request req;
	struct tessera_split split;
	struct tessera_options opt = {
		.tiles_per_task = options_value(OPTION_TILES_PER_TASK),
		.tile_bind = options_value(OPTION_TILE_BIND),
		.ntasks_per_node = step.tasks,
		.step = true,
	};

	if (tessera_request_read(step.node.conf, step.node.platform, &opt, &req, err) < 0)
		return -1;
	split = (struct tessera_split){.platform = step.node.platform,
				       .tiles = tiles,
				       .tasks = step.tasks,
				       .bind = req.bind,
				       .tiles_per_task = req.tiles_per_task,
				       .map = req.map,
				       .map_len = req.map_len};
	if (tessera_split(&split, step.each, err) < 0)
		return -1;
	if (req.bind == TESSERA_BIND_CLOSEST)
		step_closest_prepare(&step.node, &split, step.each);
	return 0;
}

/* Where tessera.conf cannot be read, as if it did not say. */
static unsigned max_requeue(void)
{
	return step.node.conf != NULL ? tessera_conf_max_requeue(step.node.conf) : TESSERA_MAX_REQUEUE;
}

/* Each task's tiles. A batch script has all that the job has here: it starts the steps. */
static int share_out(enum sharing sharing, const struct tessera_tileset *tiles, struct tessera_error *err)
{
	step.each = calloc(step.tasks, sizeof(*step.each));
	if (step.each == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %u tasks", step.tasks);
	if (tessera_tileset_empty(tiles))
		return 0;
	if (sharing == SHARING_ASKED)
		return share_as_asked(tiles, err);
	if (sharing == SHARING_EVEN)
		share_evenly(tiles);
	else
		share_all(tiles);
	return 0;
}

/* The job's row says that there is nothing to share out. */
static int refused(const struct tessera_row *row, struct tessera_error *err)
{
	step.restarts = row->restarts;
	step.requeue = row->state == TESSERA_ROW_SHORT && row->restarts < max_requeue();
	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "%s", row->text);
}

/*
 * Nothing was reserved, which is the node's fault: the job may run later or elsewhere, in the end after a person's release. A
 * node that failed jobs instead would be free again at once, and fail the next. JOB: what slurmctld says, NULL if it did
 * not: without the restart count there would be no end to it, so it is queried once more.
 */
static void requeue(const struct slurm_job *job)
{
	struct slurm_job again;

	if (job == NULL && node_name() != NULL && slurm_job_load(step.job, node_name(), &again, NULL) == 0)
		job = &again;
	step.restarts = job != NULL ? job->restarts : 0;
	step.requeue = job != NULL;
	step.hold = step.requeue && step.restarts >= max_requeue();
}

/* Why nothing was reserved, as the prolog wrote it. */
static int say_failure(const struct failure *failure, struct tessera_error *err)
{
	if (failure->text[0] != '\0')
		return tessera_error_set(err, TESSERA_ERR_MISSING, "%s", failure->text);
	return tessera_error_set(
		err, TESSERA_ERR_MISSING,
		"the prolog on node %s failed and had no room to write why; see slurmd's log there",
		step.node.name);
}

static int say_unreserved(const struct slurm_pools *pools, struct tessera_error *err)
{
	const char *name = node_name() != NULL ? node_name() : "?";

	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "no %s reserved on node %s although Slurm allocated some; %s",
				 pools->ipus > 0 ? "IPUs were"
				 : pools->any    ? "part of a pool was"
						 : "tiles were",
				 name,
				 node_prepared() ? "see slurmd's log there (the node must be in tessera.conf, "
						   "PrologFlags=Alloc in slurm.conf)"
						 : "slurmd there was started before plugstack.conf named "
						   "spank_tessera.so: ask the administrator to restart slurmd");
}

/*
 * Does what is written of the job cover what slurmctld granted it? Where the prolog FAILED, what an earlier run wrote may
 * still be there.
 */
static bool covered(const struct slurm_job *job, const struct slurm_pools *pools, const struct tessera_row *row,
		    bool failed)
{
	bool tiles = row != NULL && (!failed || (row->uid == job->uid && row->restarts == job->restarts));
	bool holding = step.holding && (!failed || (step.held.uid == job->uid && step.held.ipus == pools->ipus &&
						    step.held.restarts == job->restarts));

	bool granted = job->unclear.code != TESSERA_OK || job->granted.rdus > 0 || job->granted.tiles > 0;

	return (tiles || !granted) && (holding || !pools->any) && (step.node.conf != NULL || !step_pools_asked());
}

/*
 * What is written of the job may not be all: did slurmctld grant it tiles, IPUs, or part of a pool that nothing was
 * written of? FAILURE: why the prolog failed; NULL if it did not. No RPC is made when all is well. Returns 0 if it did
 * not, or -1 with ERR, which may say already why.
 */
static int check_unreserved_grant(const struct tessera_row *row, const struct failure *failure,
				  struct tessera_error *err)
{
	struct tessera_error silent = {0};
	struct slurm_pools pools = {0};
	struct slurm_job job = {0};
	int rc = node_name() != NULL ? slurm_job_load(step.job, node_name(), &job, &silent) : -1;

	if (rc >= 0 && step.node.conf != NULL)
		rc = slurm_pools_load(step.job, node_name(), step.node.conf, &pools, &silent);
	if (rc >= 0 && covered(&job, &pools, row, failure != NULL))
		return 0;
	if (err->code == TESSERA_OK && failure != NULL) {
		say_failure(failure, err);
		requeue(rc == 0 ? &job : NULL);
		return -1;
	}
	if (err->code == TESSERA_OK && silent.code != TESSERA_OK)
		*err = silent;
	if (err->code == TESSERA_OK)
		say_unreserved(&pools, err);
	requeue(rc == 0 ? &job : NULL);
	return -1;
}

static int prepare(spank_t sp, const struct tessera_row *row, struct tessera_error *err)
{
	struct step_share share = {.node = &step.node, .job = step.job, .step = step.step};
	struct tessera_tileset tiles = row->tiles;
	enum sharing sharing = SHARING_ALL;
	int rc = 0;

	if (row->state != TESSERA_ROW_HELD)
		return refused(row, err);
	step.restarts = row->restarts;
	if (!is_script()) {
		rc = step_share_find(sp, &share, row, &tiles, err);
		step.has_row = share.recorded;
		sharing = find_sharing(sp, row);
	}
	return rc == 0 ? share_out(sharing, &tiles, err) : -1;
}

/* The job's row, or NULL: with ERR if something is wrong with the ledger. */
static const struct tessera_row *find_row(struct tessera_error *err)
{
	if (step.node.platform == NULL ||
	    tessera_ledger_read(step.node.dir, step.node.platform, &step.ledger, err) < 0)
		return NULL;
	return tessera_ledger_job(step.ledger, step.job);
}

/* What was written down of IPUs and pools is not what the job should have. */
static int lacking(struct tessera_error *err)
{
	const struct tessera_holding *h = &step.held;

	step.restarts = h->restarts;
	step.requeue = h->state != TESSERA_HOLDING_REFUSED;
	/* Somebody else's outage must not cost the user the job: it waits for a person in the end. */
	step.hold = h->restarts >= max_requeue();
	return tessera_error_set(err, TESSERA_ERR_SHORTAGE, "%s",
				 h->text[0] != '\0' ? h->text
						    : "the prolog was ended before the partition was there");
}

/* A heterogeneous job hands the options of one component to the steps of all. */
static bool of_several(spank_t sp)
{
	char text[32];

	return spank_getenv(sp, "SLURM_HET_SIZE", text, sizeof(text)) == ESPANK_SUCCESS;
}

/* What the step may have of IPUs and pools; the job may have none. */
static int prepare_pools(spank_t sp, struct tessera_error *err)
{
	if (step.holding && step.held.state != TESSERA_HOLDING_READY)
		return lacking(err);
	if (step.node.conf == NULL || of_several(sp))
		return 0;
	return step_pools_check(&step.node, &step.held, err);
}

/* What was asked for, as the client says it: "tiles=8,csx=1". */
static void find_asked(spank_t sp, bool *tiles, bool *pools)
{
	char text[CLIENT_ASKED_MAX] = "";

	*tiles = spank_getenv(sp, CLIENT_ASKED, text, sizeof(text)) == ESPANK_SUCCESS &&
		 strstr(text, "tiles=") != NULL;
	*pools = (text[0] != '\0' && !*tiles) || strchr(text, ',') != NULL || step_pools_asked();
}

/* Everything that the node knows of the job. */
static int look_up(spank_t sp, int argc, char **argv, bool asked_tiles, bool asked_pools, struct tessera_error *err)
{
	const struct tessera_row *row = NULL;
	struct failure failure = {0};
	bool failed = false, in_doubt;
	int rc = 0;

	if (node_open(&step.node, argc, argv, err) == 0 && step.node.keeps) {
		options_match(step.node.conf);
		row = find_row(err);
		step.tiles = row != NULL;
		rc = tessera_holding_read(step.node.dir, step.job, &step.held, err);
		step.holding = rc == 0;
		failed = node_read_failure(&step.node, step.job, &failure) == 0;
	}
	in_doubt = failed || err->code != TESSERA_OK || !node_prepared();
	rc = 0;
	if ((!step.tiles && asked_tiles) || (!step.holding && asked_pools) || in_doubt)
		rc = check_unreserved_grant(row, failed ? &failure : NULL, err);
	if (rc == 0 && row != NULL)
		rc = prepare(sp, row, err);
	return rc == 0 ? prepare_pools(sp, err) : rc;
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

/* What a task has of TILES, which it was granted: the user may want fewer. */
static int narrow(spank_t sp, struct tessera_tileset *tiles, struct tessera_error *err)
{
	char mask[4096], copy[4096];

	return tessera_usermask_apply(step.node.platform, tessera_conf_user_mask(step.node.conf),
				      user_mask(sp, mask, copy, sizeof(mask)), tiles, tessera_ledger_holder,
				      step.ledger, err);
}

/* For the grants of what tasks have. A mask that is refused is its task's own trouble. */
static void prepare_grants(spank_t sp)
{
	const struct step_grant about = {
		.node = &step.node,
		.job = step.job,
		.restarts = step.tiles ? step.restarts : step.held.restarts,
		.step = step.step,
		.partition = step.holding && step.held.ipus > 0 ? step.held.partition : "",
	};
	struct tessera_tileset *given = calloc(step.tasks, sizeof(*given));

	if (given == NULL)
		return;
	for (unsigned i = 0; i < step.tasks && step.tiles; i++) {
		given[i] = step.each[i];
		if (!tessera_tileset_empty(&given[i]) && narrow(sp, &given[i], NULL) < 0) {
			tessera_tileset_clear(&given[i]);
			step.ends_job = true;
		}
	}
	step_grant_prepare(sp, &about, given, step.tasks);
	free(given);
}

int step_init_post_opt(spank_t sp, int argc, char **argv)
{
	struct tessera_error err = {0};
	bool tiles, pools;
	int rc;

	if (spank_get_item(sp, S_JOB_ID, &step.job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step.step) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &step.tasks) != ESPANK_SUCCESS)
		return 0;
	if (step.step == SLURM_EXTERN_CONT || step.tasks == 0)
		return 0;
	find_asked(sp, &tiles, &pools);
	if (!tiles && !pools && !node_may_hold(step.job)) {
		step_unasked_find(sp, &step.node);
		return 0;
	}
	rc = look_up(sp, argc, argv, tiles, pools, &err);
	step_unasked_find(sp, &step.node);
	step.active = step.tiles || step.holding || rc < 0;
	step.ends_job = rc < 0;
	if (rc < 0)
		step.failed = err;
	else if (step.active)
		prepare_grants(sp);
	/* One that goes back to the queue ends anyway. */
	step.ends_job = step.ends_job && !step.requeue && step_mpi_is_proxy(sp);
	return 0;
}

/* TILES are what the task was granted, and become what it has. */
static int set_environment(spank_t sp, struct tessera_tileset *tiles, struct tessera_error *err)
{
	char mask[4096];

	spank_unsetenv(sp, CLIENT_STEP_TYPED);
	/* A step that wants none: what its job's script had is not for it. */
	if (tessera_tileset_empty(tiles)) {
		spank_unsetenv(sp, CLIENT_MASK);
		spank_unsetenv(sp, CLIENT_MASK_COPY);
		spank_unsetenv(sp, CLIENT_STEP_TILES);
		return step_unasked_give(sp, err);
	}
	if (narrow(sp, tiles, err) < 0)
		return -1;
	tessera_tileset_format(step.node.platform, tiles, TESSERA_FORM_MASK, mask, sizeof(mask));
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
	if (!step.requeue || task != 0 ||
	    slurm_requeue(step.job, step.hold ? JOB_REQUEUE_HOLD : 0) != SLURM_SUCCESS)
		slurm_error("tessera: %s", step.failed.text);
	else if (step.hold)
		slurm_error("tessera: %s; after %u tries the job is held: scontrol release %u tries again",
			    step.failed.text, step.restarts + 1, step.job);
	else
		slurm_error("tessera: %s; the job goes back to the queue (%u of %u)", step.failed.text,
			    step.restarts + 1, max_requeue());
}

/* TILES become what the task has. */
static int give_tiles(spank_t sp, unsigned task, struct tessera_tileset *tiles, struct tessera_error *err)
{
	if (!step.tiles)
		return step_unasked_give(sp, err);
	if (step_closest_take(task, &step.each[task], err) < 0)
		return -1;
	*tiles = step.each[task];
	return set_environment(sp, tiles, err);
}

static void tell_end(int task, const char *why)
{
	if (step.ends_job && task == 0)
		step_mpi_tell(step.job, why);
}

int step_task_init_privileged(spank_t sp)
{
	struct tessera_tileset tiles = {0};
	struct tessera_error err = {0};
	int task = 0;

	/* Slurm shows it to batch scripts, but it is slurmctld's alone. */
	spank_unsetenv(sp, CLIENT_NO_TILES_SCRIPT);
	if (!step.active && step_unasked_give(sp, &err) == 0)
		return 0;
	if (!step.active) {
		slurm_error("tessera: %s", err.text);
		return -1;
	}
	if (spank_get_item(sp, S_TASK_ID, &task) != ESPANK_SUCCESS || task < 0 || (unsigned)task >= step.tasks) {
		slurm_error("tessera: Slurm started task %d of %u on this node", task, step.tasks);
		return -1;
	}
	if (step.failed.code != TESSERA_OK) {
		give_up(task);
		tell_end(task, step.failed.text);
		return -1;
	}
	if (give_tiles(sp, (unsigned)task, &tiles, &err) < 0 ||
	    (step.holding && step_pools_environment(sp, &step.node, &step.held, is_script(), &err) < 0)) {
		slurm_error("tessera: %s", err.text);
		tell_end(task, err.text);
		return -1;
	}
	if (is_script())
		step_mpi_environment(sp,
				     step.tiles && tessera_conf_user_mask(step.node.conf) == TESSERA_MASK_IGNORE);
	step_grant_give(sp, (unsigned)task, &tiles);
	return 0;
}

void step_task_post_fork(spank_t sp)
{
	step_closest_bound(sp);
}

void step_exit(void)
{
	if (step.has_row)
		step_share_return(&(struct step_share){.node = &step.node, .job = step.job, .step = step.step});
	if (step.ends_job)
		step_mpi_end_job(step.job);
	step_closest_forget();
	step_grant_forget();
	tessera_ledger_close(step.ledger);
	free(step.each);
	node_close(&step.node);
	memset(&step, 0, sizeof(step));
}
