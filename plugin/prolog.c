/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/request.h"
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

/* What is asked for, and how near each RDU is (NULL: all alike). */
struct wish {
	struct tessera_request req;
	const unsigned *cost;
};

/*
 * A process that was there before the job is not the job's. That matters for a user of whom something is stale: it shall
 * not cost the tiles of all jobs that come after. And root has daemons on the device.
 */
static uint64_t since_when(const struct tessera_ledger *ledger, uint32_t uid)
{
	const struct tessera_row *row;
	bool matters = uid == 0;

	for (size_t n = 0; !matters && (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		matters = row->state == TESSERA_ROW_STALE && row->uid == uid;
	return matters ? tessera_ledger_process_start(getpid()) : 0;
}

/* One try to find tiles for ROW, under the ledger's lock. */
static int reserve(const struct node *node, const struct wish *wish, struct tessera_row *row,
		   struct tessera_error *err)
{
	const struct tessera_request *req = &wish->req;
	struct tessera_ledger *ledger = NULL;
	struct tessera_tileset free, bad, unknown, kept;
	int rc = -1;

	stale_review(node);
	health_unusable(node, &bad, &unknown);
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	row->since = since_when(ledger, row->uid);
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
		goto cleanup;
	row->state = TESSERA_ROW_HELD;
	rc = tessera_ledger_put(ledger, row, err);
	if (rc == 0)
		rc = tessera_ledger_commit(ledger, err);
cleanup:
	tessera_ledger_close(ledger);
	return rc;
}

/*
 * The counters let the job in, but its tiles may be free only in pieces: others end, so it is worth waiting a while.
 * A wish for particular tiles waits too, unless one of them is bad.
 */
static int reserve_patiently(const struct node *node, const struct wish *wish, struct tessera_row *row,
			     struct tessera_error *err)
{
	struct time_left left = {0};
	struct slurm_job job;

	for (unsigned tries = 1;; tries++) {
		if (reserve(node, wish, row, err) == 0)
			return 0;
		if (err->code != TESSERA_ERR_SHORTAGE)
			return -1;
		if (tries == 1)
			time_left_find(node, tessera_conf_place_wait(node->conf), &left);
		if (deadline_left(left.end) == 0)
			return -1;
		/* A job that was cancelled meanwhile must not keep its node busy. */
		if (tries % POLLS_PER_LOOK == 0 && deadline_left(left.ask_until) > 0 &&
		    slurm_job_load(row->job, node->name, &job, NULL) >= 0 && !job.running)
			return -1;
		nanosleep(&(struct timespec){.tv_nsec = PLACE_POLL_MS * 1000000L}, NULL);
	}
}

/* Leave word for the job's first task. */
static int write_refusal(const struct node *node, struct tessera_row *row, const struct tessera_error *why,
			 struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	int rc;

	row->state = why->code == TESSERA_ERR_INPUT ? TESSERA_ROW_REFUSED : TESSERA_ROW_SHORT;
	tessera_tileset_clear(&row->tiles);
	row->since = 0;
	snprintf(row->text, sizeof(row->text), "%s", why->text);
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	rc = tessera_ledger_put(ledger, row, err);
	if (rc == 0)
		rc = tessera_ledger_commit(ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

/* An earlier run of the same job, whose epilog did not get through. */
static int clear_up(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct stale_crowd crowd = {0};
	struct tessera_row row;
	int rc = 0;

	if (tessera_ledger_mentions(node->dir, job))
		rc = stale_settle_job(node, &crowd, job, true, deadline_after(CLEAR_UP_S), &row, err);
	if (stale_is_kept(rc))
		stale_log_kept_back(node, &row);
	stale_crowd_free(&crowd);
	return rc;
}

static int take_in(const struct node *node, uint32_t id, struct tessera_error *err)
{
	struct tessera_row row = {.job = id};
	struct tessera_error why = {0};
	unsigned cost[TESSERA_TILES_MAX];
	struct slurm_job job;
	struct wish wish;
	int rc = slurm_job_load(id, node->name, &job, err);

	if (rc < 0)
		return -1;
	if (rc > 0 || (job.unclear.code == TESSERA_OK && job.granted.rdus == 0 && job.granted.tiles == 0))
		return 0;
	if (clear_up(node, id, err) < 0)
		return -1;
	row.uid = job.uid;
	row.restarts = job.restarts;
	wish.cost = closeness_of_job(node, &job, cost);
	if (read_wish(node, &job, &wish.req, &why) == 0 && reserve_patiently(node, &wish, &row, &why) == 0)
		return 0;
	if (why.code == TESSERA_ERR_INPUT || why.code == TESSERA_ERR_SHORTAGE)
		return write_refusal(node, &row, &why, err);
	/* Who could not read or write the ledger cannot write a refusal into it either. */
	*err = why;
	return -1;
}

/* Everything that the job was granted here. */
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
	int rc = node_open(&node, argc, argv, &err);

	if (rc == 0 && node.keeps) {
		TESSERA_READY_TO_ASK();
		options_from_prolog(sp, node.conf);
		if (spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS)
			rc = receive(&node, job, &err);
		else
			rc = tessera_error_set(&err, TESSERA_ERR_MISSING, "Slurm did not say which job this is");
	}
	if (rc < 0) {
		slurm_error("tessera: job %u: %s", job, err.text);
		node_mark_failed(&node, job, &err);
	}
	node_close(&node);
	return 0;
}
