/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/request.h"
#include "lib/sharing.h"
#include "plugin/closeness.h"
#include "plugin/health.h"
#include "plugin/node.h"
#include "plugin/options.h"
#include "plugin/prolog.h"
#include "plugin/prolog_pools.h"
#include "plugin/slurm_job.h"
#include "plugin/stale.h"
#include "plugin/time_left.h"

#define PLACE_POLL_MS  200
#define ORPHAN_POLL_S  1
#define CLEAR_UP_S     1
#define POLLS_PER_LOOK 10 /* slurmctld is asked once in so many whether the job still lives */

/*
 * What the job wants within its grant. The counts are slurmctld's; how they shall lie is what the user wished, and is
 * checked by the same rules as when it was typed. Tiles are the one truth: RDUs whose tiles slurmctld did not count may
 * be another job's tiles.
 */
static int read_wish(const struct node *node, const struct slurm_job *job, struct tessera_request *req,
		     struct tessera_error *err)
{
	const struct tessera_granted *g = &job->granted;
	char gres[64];
	struct tessera_options opt = {
		.gres = gres,
		.tiles_per_task = options_value(OPTION_TILES_PER_TASK),
		.tile_affinity = options_value(OPTION_TILE_AFFINITY),
		.tile_bind = options_value(OPTION_TILE_BIND),
	};

	if (job->unclear.code != TESSERA_OK) {
		*err = job->unclear;
		return -1;
	}
	if (g->rdus > 0 && g->tiles == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%u RDUs were allocated without their tiles: slurmctld must load job_submit_tessera.so; "
			"ask the administrator to set JobSubmitPlugins=tessera in slurm.conf",
			g->rdus);
	if (g->rdus > 0)
		snprintf(gres, sizeof(gres), "rdu:%u,rdu_tile:%u", g->rdus, g->tiles);
	else
		snprintf(gres, sizeof(gres), "rdu_tile:%u", g->tiles);
	return tessera_request_read(node->conf, node->platform, &opt, req, err);
}

/* What is asked for, how many tiles that are, and how near each RDU is (NULL: all alike). */
struct wish {
	struct tessera_request req;
	unsigned tiles;
	const unsigned *cost;
};

/*
 * A process that was there before the job is not the job's. That matters for a user of whom something is stale: it shall
 * not cost the tiles of all jobs that come after. And root has daemons on the device.
 */
static uint64_t since_when(const struct tessera_ledger *ledger, const struct tessera_row *new)
{
	const struct tessera_row *row;
	bool matters = new->uid == 0;

	for (size_t n = 0; !matters && (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		matters = row->state == TESSERA_ROW_STALE && (row->uid == new->uid || row->job == new->job);
	return matters ? tessera_ledger_process_start(getpid()) : 0;
}

/* What else came of a try to write the job's row than 0 and -1. */
enum {
	OVERTAKEN = 1, /* this run of the job is not running here any more: nothing is to be written */
	OCCUPIED = 2,  /* another run's row is in the way */
};

static enum tessera_claim claim(const struct tessera_ledger *ledger, const struct wish *wish,
				const struct tessera_row *row)
{
	return tessera_row_claim(tessera_ledger_job(ledger, row->job), row, wish->tiles,
				 wish->req.has_wish ? &wish->req.wish : NULL);
}

static int put(struct tessera_ledger *ledger, const struct tessera_row *row, struct tessera_error *err)
{
	return tessera_ledger_put(ledger, row, err) == 0 ? tessera_ledger_commit(ledger, err) : -1;
}

/* Under the ledger's lock. */
static int place(const struct node *node, struct tessera_ledger *ledger, const struct wish *wish,
		 struct tessera_row *row, struct tessera_error *err)
{
	const struct tessera_request *req = &wish->req;
	struct tessera_tileset free, bad, unknown, kept;

	health_unusable(node, &bad, &unknown);
	row->since = since_when(ledger, row);
	tessera_ledger_free_tiles(ledger, &free);
	tessera_ledger_kept_tiles(ledger, &kept);
	if (tessera_place(&(struct tessera_place){.platform = node->platform,
						  .free = &free,
						  .bad = &bad,
						  .unknown = &unknown,
						  .kept = &kept,
						  .cost = wish->cost,
						  .shape = req->shape,
						  .wish = req->has_wish ? &req->wish : NULL,
						  .holder = tessera_ledger_holder,
						  .holder_arg = ledger},
			  &row->tiles, err) < 0)
		return -1;
	row->state = TESSERA_ROW_HELD;
	return put(ledger, row, err);
}

/* One try to find tiles for ROW. */
static int reserve(const struct node *node, const struct wish *wish, struct tessera_row *row,
		   struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	int rc = 0;

	stale_review(node);
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	switch (claim(ledger, wish, row)) {
	case TESSERA_CLAIM_KEEP:
		*row = *tessera_ledger_job(ledger, row->job);
		break;
	case TESSERA_CLAIM_OTHER:
		rc = OCCUPIED;
		break;
	default:
		rc = place(node, ledger, wish, row, err);
	}
	tessera_ledger_close(ledger);
	return rc;
}

/* Returns 0 if this run of the job is running here, OVERTAKEN, or -1 with ERR. */
static int check_runs(const struct node *node, const struct tessera_row *row, struct tessera_error *err)
{
	int runs = slurm_job_runs(row->job, node->name, row->uid, row->restarts, err);

	return runs < 0 ? -1 : runs > 0 ? 0 : OVERTAKEN;
}

/* ROW is of a run that has ended. */
static int settle(const struct node *node, struct tessera_row *row, struct tessera_error *err)
{
	struct stale_crowd crowd = {0};
	int rc = stale_settle_job(node, &crowd, row, deadline_after(CLEAR_UP_S), err);

	stale_crowd_free(&crowd);
	return rc;
}

/*
 * OLD, which was read before, is not the row of this run. If slurmctld says now that this run is running here, that one has
 * ended: its epilog did not get through, or slurmctld lost its state and gave the number to another job. Returns 0 when
 * OLD is settled.
 */
static int settle_other(const struct node *node, struct tessera_row *old, const struct tessera_row *row,
			struct tessera_error *err)
{
	int rc = check_runs(node, row, err);

	if (rc == 0 && settle(node, old, err) < 0)
		return -1;
	return rc;
}

/* Another run's row was in the way. Returns 0 when it has gone. */
static int make_way(const struct node *node, const struct wish *wish, const struct tessera_row *row,
		    struct tessera_error *err)
{
	const struct tessera_tileset *set = wish->req.has_wish ? &wish->req.wish : NULL;
	struct tessera_row old;
	int rc = stale_find_job(node, row->job, &old, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return tessera_row_claim(&old, row, wish->tiles, set) == TESSERA_CLAIM_OTHER
		       ? settle_other(node, &old, row, err)
		       : 0;
}

/* The same, and what is in the way goes. Before anything is written a prolog without slurmd makes sure of its job. */
static int reserve_once(const struct node *node, const struct wish *wish, struct tessera_row *row,
			struct tessera_error *err)
{
	int rc = node_orphaned(node) ? check_runs(node, row, err) : 0;

	while (rc == 0 && (rc = reserve(node, wish, row, err)) == OCCUPIED)
		rc = make_way(node, wish, row, err);
	return rc;
}

/* And after it has been written: the epilog of the job may have come in between. */
static int take_back(const struct node *node, const struct tessera_row *row, struct tessera_error *err)
{
	struct tessera_row old = *row;

	if (!node_orphaned(node) || check_runs(node, row, NULL) != OVERTAKEN)
		return 0;
	return settle(node, &old, err) < 0 ? -1 : OVERTAKEN;
}

/*
 * The counters let the job in, but its tiles may be free only in pieces: others end, so it is worth waiting a while.
 * A wish for particular tiles waits too, unless one of them is bad.
 */
static int reserve_patiently(const struct node *node, const struct wish *wish, struct tessera_row *row,
			     struct tessera_error *err)
{
	struct time_left left = {0};
	int64_t pause;

	for (unsigned tries = 1;; tries++) {
		int rc = reserve_once(node, wish, row, err);

		if (rc == 0)
			return take_back(node, row, err);
		if (rc == OVERTAKEN || err->code != TESSERA_ERR_SHORTAGE)
			return rc;
		if (tries == 1)
			time_left_find(node, tessera_conf_place_wait(node->conf), &left);
		if (deadline_left(left.end) == 0)
			return -1;
		/* A job that was cancelled meanwhile must not keep its node busy. */
		if (tries % POLLS_PER_LOOK == 0 && deadline_left(left.ask_until) > 0 &&
		    check_runs(node, row, NULL) == OVERTAKEN)
			return OVERTAKEN;
		/* Without slurmd each try queries slurmctld. */
		pause = node_orphaned(node) ? (int64_t)ORPHAN_POLL_S * 1000 : PLACE_POLL_MS;
		nanosleep(&(struct timespec){.tv_sec = pause / 1000, .tv_nsec = pause % 1000 * 1000000L}, NULL);
	}
}

/* Leave word for the job's first task. */
static int write_refusal(const struct node *node, const struct wish *wish, struct tessera_row *row,
			 const struct tessera_error *why, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	int rc;

	row->state = why->code == TESSERA_ERR_INPUT ? TESSERA_ROW_REFUSED : TESSERA_ROW_SHORT;
	tessera_tileset_clear(&row->tiles);
	row->since = 0;
	snprintf(row->text, sizeof(row->text), "%s", why->text);
	do {
		rc = node_orphaned(node) ? check_runs(node, row, err) : 0;
		if (rc != 0)
			return rc;
		if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
			return -1;
		if (claim(ledger, wish, row) == TESSERA_CLAIM_OTHER)
			rc = OCCUPIED;
		else if (claim(ledger, wish, row) == TESSERA_CLAIM_FREE)
			rc = put(ledger, row, err);
		tessera_ledger_close(ledger);
	} while (rc == OCCUPIED && (rc = make_way(node, wish, row, err)) == 0);
	return rc == 0 ? take_back(node, row, err) : rc;
}

/* The job was granted no tiles: a row of its number is an earlier job's, and its steps would use that. */
static int clear_out(const struct node *node, const struct tessera_row *row, struct tessera_error *err)
{
	struct tessera_row old;
	int rc;

	if (!tessera_ledger_mentions(node->dir, row->job))
		return 0;
	rc = stale_find_job(node, row->job, &old, err);
	return rc == 0 ? settle_other(node, &old, row, err) : rc < 0 ? -1 : 0;
}

/* For the steps, which ask nobody: the job's tasks, and whether they have tiles of their own (lib/sharing.h). */
static void note_tasks(const struct node *node, const struct slurm_job *job, struct tessera_row *row)
{
	const struct tessera_policy *policy = NULL;

	row->tasks = job->tasks;
	row->job_tasks = job->job_tasks;
	if (tessera_conf_partition_policy(node->conf, job->partition, &policy, NULL) < 0 || policy == NULL)
		policy = tessera_conf_policy(node->conf);
	row->own = sharing_own(policy);
}

static int take_in(const struct node *node, uint32_t id, struct tessera_error *err)
{
	struct tessera_row row = {.job = id};
	struct tessera_error why = {0};
	unsigned cost[TESSERA_TILES_MAX];
	struct slurm_job job;
	struct wish wish = {0};
	int rc = slurm_job_load(id, node->name, &job, err);

	if (rc < 0)
		return -1;
	row.uid = job.uid;
	row.restarts = job.restarts;
	note_tasks(node, &job, &row);
	if (rc > 0 || (job.unclear.code == TESSERA_OK && job.granted.rdus == 0 && job.granted.tiles == 0))
		return clear_out(node, &row, err);
	wish.cost = closeness_of_job(node, &job, cost);
	wish.tiles = job.granted.tiles;
	rc = read_wish(node, &job, &wish.req, &why);
	if (rc == 0)
		rc = reserve_patiently(node, &wish, &row, &why);
	else
		wish.req = (struct tessera_request){0};
	if (rc < 0 && (why.code == TESSERA_ERR_INPUT || why.code == TESSERA_ERR_SHORTAGE))
		return write_refusal(node, &wish, &row, &why, err);
	/* Who could not read or write the ledger cannot write a refusal into it either. */
	if (rc < 0)
		*err = why;
	return rc;
}

/* Everything that the job was granted here. Returns 0, OVERTAKEN, or -1 with ERR. */
static int receive(const struct node *node, uint32_t job, struct tessera_error *err)
{
	int rc = 0;

	/* Of an earlier run, whose epilog did not get through. */
	node_unmark_failed(node, job);
	if (node->platform != NULL)
		rc = take_in(node, job, err);
	if (rc == 0 && prolog_pools_concern(node, job))
		rc = prolog_pools(node, job, err);
	return rc;
}

int prolog_run(spank_t sp, int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;
	uint32_t job = 0;
	bool known = spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS;
	int rc = node_open(&node, argc, argv, &err);

	if (rc == 0 && node.keeps) {
		TESSERA_READY_TO_ASK();
		options_from_prolog(sp, node.conf);
		rc = known ? receive(&node, job, &err)
			   : tessera_error_set(&err, TESSERA_ERR_MISSING, "Slurm did not say which job this is");
	}
	if (rc < 0) {
		slurm_error("tessera: job %u: %s", job, err.text);
		node_mark_failed(&node, job, &err);
	}
	node_close(&node);
	return 0;
}
