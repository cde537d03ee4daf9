/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/node/node.h"
#include "lib/node/node_locality.h"
#include "lib/node/prolog_time.h"
#include "lib/node/release.h"
#include "lib/request/request.h"
#include "lib/request/sharing.h"
#include "lib/slurm/job_info.h"
#include "lib/util/deadline.h"
#include "lib/util/proc.h"
#include "plugin/job_pools.h"
#include "plugin/options.h"
#include "plugin/plugin_node.h"
#include "plugin/prolog.h"

#define PLACE_POLL_MS  200
#define ORPHAN_POLL_S  1 /* without slurmd */
#define RELEASE_WAIT_S 1 /* to look for device users of an ended run */
/* Polls for free tiles between two queries whether the job is still running. */
#define POLLS_PER_QUERY 10

/*
 * The request within what slurmctld allocated: its counts, and the user's options for the
 * placement, checked by the same rules as on the client. RDUs that slurmctld allocated without
 * their tiles are refused: it may have allocated these tiles to another job.
 */
static int read_request(const struct node *node, const struct job_alloc *job,
			struct tessera_request *req, struct tessera_error *err)
{
	const struct tessera_gres_detail *g = &job->granted;
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
			"%u RDUs were allocated without their tiles: slurmctld must load "
			"job_submit_tessera.so; ask the administrator to set "
			"JobSubmitPlugins=tessera in slurm.conf",
			g->rdus);
	if (g->rdus > 0)
		snprintf(gres, sizeof(gres), "rdu:%u,rdu_tile:%u", g->rdus, g->tiles);
	else
		snprintf(gres, sizeof(gres), "rdu_tile:%u", g->tiles);
	return tessera_request_read(node->conf, node->platform, &opt, req, err);
}

/* What is to be placed. */
struct wish {
	struct tessera_request req;
	unsigned tiles;
	const unsigned *cost; /* NUMA distance of each RDU; NULL: unknown */
};

/*
 * The start time before which processes are not the job's, 0 for none. Needed for a user who has a
 * leftover process: without it that process would withhold the tiles of every later job of theirs.
 * And for root, whose daemons use the devices.
 */
static uint64_t find_since(const struct tessera_ledger *ledger, const struct tessera_row *new)
{
	const struct tessera_row *row;
	bool matters = new->uid == 0;

	for (size_t n = 0; !matters && (row = tessera_ledger_row(ledger, n)) != NULL; n++)
		matters = row->state == TESSERA_ROW_WITHHELD &&
			  (row->uid == new->uid || row->job == new->job);
	return matters ? proc_start_time(getpid()) : 0;
}

/* Results of an attempt to write the job's row, besides 0 and -1. */
enum {
	OVERTAKEN = 1, /* this run of the job has left the node: write nothing */
	OCCUPIED = 2,  /* the job has a row of another run */
};

static enum tessera_claim compare_row(const struct tessera_ledger *ledger, const struct wish *wish,
				      const struct tessera_row *row)
{
	return tessera_row_claim(tessera_ledger_job(ledger, row->job), row, wish->tiles,
				 wish->req.has_wish ? &wish->req.wish : NULL);
}

static int write_row(struct tessera_ledger *ledger, const struct tessera_row *row,
		     struct tessera_error *err)
{
	return tessera_ledger_put(ledger, row, err) == 0 ? tessera_ledger_commit(ledger, err) : -1;
}

/* Place the tiles and write ROW. The caller has the ledger's lock. */
static int place_tiles(const struct node *node, struct tessera_ledger *ledger,
		       const struct wish *wish, struct tessera_row *row, struct tessera_error *err)
{
	const struct tessera_request *req = &wish->req;
	struct tessera_tileset free, bad, unknown, withheld;

	node_unusable_tiles(node, &bad, &unknown);
	row->since = find_since(ledger, row);
	tessera_ledger_free_tiles(ledger, &free);
	tessera_ledger_withheld(ledger, &withheld);
	if (tessera_place(&(struct tessera_place){.platform = node->platform,
						  .free = &free,
						  .bad = &bad,
						  .unknown = &unknown,
						  .kept = &withheld,
						  .cost = wish->cost,
						  .shape = req->shape,
						  .wish = req->has_wish ? &req->wish : NULL,
						  .owner = tessera_ledger_owner,
						  .owner_arg = ledger},
			  &row->tiles, err) < 0)
		return -1;
	row->state = TESSERA_ROW_HELD;
	return write_row(ledger, row, err);
}

/* One attempt to find tiles for ROW. Returns 0, OCCUPIED, or -1 with ERR. */
static int try_reserve(const struct node *node, const struct wish *wish, struct tessera_row *row,
		       struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	int rc = 0;

	release_review(node);
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	switch (compare_row(ledger, wish, row)) {
	case TESSERA_CLAIM_KEEP:
		*row = *tessera_ledger_job(ledger, row->job);
		break;
	case TESSERA_CLAIM_OTHER:
		rc = OCCUPIED;
		break;
	default:
		rc = place_tiles(node, ledger, wish, row, err);
	}
	tessera_ledger_close(ledger);
	return rc;
}

/* Returns 0 if this run of the job is running here, OVERTAKEN, or -1 with ERR. */
static int check_runs(const struct node *node, const struct tessera_row *row,
		      struct tessera_error *err)
{
	int runs = job_info_runs(row->job, node->name, row->uid, row->restarts, err);

	return runs < 0 ? -1 : runs > 0 ? 0 : OVERTAKEN;
}

/* ROW is of a run that has ended: release its tiles, or withhold those still in use. */
static int release_ended(const struct node *node, struct tessera_row *row,
			 struct tessera_error *err)
{
	struct leftovers leftovers = {0};
	int rc =
		release_or_withhold_job(node, &leftovers, row, deadline_after(RELEASE_WAIT_S), err);

	leftovers_free(&leftovers);
	return rc;
}

/*
 * OLD, read before this call, is a row of another run. If slurmctld now says that the run of ROW is
 * running here, that other run has ended: its epilog failed, or slurmctld lost its state and reused
 * the job ID. Returns 0 when OLD is released, OVERTAKEN, or -1 with ERR.
 */
static int release_other(const struct node *node, struct tessera_row *old,
			 const struct tessera_row *row, struct tessera_error *err)
{
	int rc = check_runs(node, row, err);

	if (rc == 0 && release_ended(node, old, err) < 0)
		return -1;
	return rc;
}

/* The job has a row of another run. Returns 0 when it is gone, OVERTAKEN, or -1 with ERR. */
static int remove_other_row(const struct node *node, const struct wish *wish,
			    const struct tessera_row *row, struct tessera_error *err)
{
	const struct tessera_tileset *set = wish->req.has_wish ? &wish->req.wish : NULL;
	struct tessera_row old;
	int rc = release_find_row(node, row->job, &old, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return tessera_row_claim(&old, row, wish->tiles, set) == TESSERA_CLAIM_OTHER
		       ? release_other(node, &old, row, err)
		       : 0;
}

/*
 * try_reserve(), and release what an earlier run left. A prolog whose slurmd has ended first checks
 * that its job is still running, because no epilog would follow.
 */
static int reserve_once(const struct node *node, const struct wish *wish, struct tessera_row *row,
			struct tessera_error *err)
{
	int rc = node_orphaned(node) ? check_runs(node, row, err) : 0;

	while (rc == 0 && (rc = try_reserve(node, wish, row, err)) == OCCUPIED)
		rc = remove_other_row(node, wish, row, err);
	return rc;
}

/* The same check after ROW was written: the job may have ended in between. */
static int undo_if_orphaned(const struct node *node, const struct tessera_row *row,
			    struct tessera_error *err)
{
	struct tessera_row old = *row;

	if (!node_orphaned(node) || check_runs(node, row, NULL) != OVERTAKEN)
		return 0;
	return release_ended(node, &old, err) < 0 ? -1 : OVERTAKEN;
}

/*
 * slurmctld counted enough tiles, but the free ones may be fragmented: wait for other jobs to end,
 * for PlaceWait at most. --tile-affinity waits too, unless one of its tiles is bad.
 */
static int reserve_or_wait(const struct node *node, const struct wish *wish,
			   struct tessera_row *row, struct tessera_error *err)
{
	struct prolog_time left = {0};
	int64_t pause;

	for (unsigned tries = 1;; tries++) {
		int rc = reserve_once(node, wish, row, err);

		if (rc == 0)
			return undo_if_orphaned(node, row, err);
		if (rc == OVERTAKEN || err->code != TESSERA_ERR_SHORTAGE)
			return rc;
		if (tries == 1)
			prolog_time_find(node, tessera_conf_place_wait(node->conf), &left);
		if (deadline_left(left.end) == 0)
			return -1;
		/* A job that was cancelled meanwhile must not occupy its node. */
		if (tries % POLLS_PER_QUERY == 0 && deadline_left(left.ask_until) > 0 &&
		    check_runs(node, row, NULL) == OVERTAKEN)
			return OVERTAKEN;
		/* Without slurmd each try queries slurmctld. */
		pause = node_orphaned(node) ? (int64_t)ORPHAN_POLL_S * 1000 : PLACE_POLL_MS;
		nanosleep(&(struct timespec){.tv_sec = pause / 1000,
					     .tv_nsec = pause % 1000 * 1000000L},
			  NULL);
	}
}

/* Write a row without tiles: the job's first task prints WHY. */
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
		if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger,
					err) < 0)
			return -1;
		if (compare_row(ledger, wish, row) == TESSERA_CLAIM_OTHER)
			rc = OCCUPIED;
		else if (compare_row(ledger, wish, row) == TESSERA_CLAIM_FREE)
			rc = write_row(ledger, row, err);
		tessera_ledger_close(ledger);
	} while (rc == OCCUPIED && (rc = remove_other_row(node, wish, row, err)) == 0);
	return rc == 0 ? undo_if_orphaned(node, row, err) : rc;
}

/*
 * The job has no tiles here. A row with its ID is of an earlier job: release it, or the steps would
 * use its tiles.
 */
static int release_unallocated(const struct node *node, const struct tessera_row *row,
			       struct tessera_error *err)
{
	struct tessera_row old;
	int rc;

	if (!tessera_ledger_may_have_job(node->dir, row->job))
		return 0;
	rc = release_find_row(node, row->job, &old, err);
	return rc == 0 ? release_other(node, &old, row, err) : rc < 0 ? -1 : 0;
}

/*
 * For the steps, which do not query slurmctld: the job's tasks, and whether they have tiles of
 * their own (lib/request/sharing.h).
 */
static void set_tasks(const struct node *node, const struct job_alloc *job, struct tessera_row *row)
{
	const struct tessera_policy *policy = NULL;

	row->tasks = job->tasks;
	row->job_tasks = job->job_tasks;
	if (tessera_conf_partition_policy(node->conf, job->partition, &policy, NULL) < 0 ||
	    policy == NULL)
		policy = tessera_conf_policy(node->conf);
	row->own = sharing_own(policy);
}

/* Tiles of job ID. LOADED is what job_info_load() returned with JOB. */
static int reserve_tiles(const struct node *node, uint32_t id, const struct job_alloc *job,
			 int loaded, struct tessera_error *err)
{
	struct tessera_row row = {.job = id};
	struct tessera_error why = {0};
	unsigned cost[TESSERA_TILES_MAX];
	struct wish wish = {0};
	int rc;

	row.uid = job->uid;
	row.restarts = job->restarts;
	set_tasks(node, job, &row);
	if (loaded > 0 ||
	    (job->unclear.code == TESSERA_OK && job->granted.rdus == 0 && job->granted.tiles == 0))
		return release_unallocated(node, &row, err);
	wish.cost = node_locality_of_job(node, job, cost);
	wish.tiles = job->granted.tiles;
	rc = read_request(node, job, &wish.req, &why);
	if (rc == 0)
		rc = reserve_or_wait(node, &wish, &row, &why);
	else
		wish.req = (struct tessera_request){0};
	if (rc < 0 && (why.code == TESSERA_ERR_INPUT || why.code == TESSERA_ERR_SHORTAGE))
		return write_refusal(node, &wish, &row, &why, err);
	/* Any other error is the ledger's own, which then cannot take a refusal either. */
	if (rc < 0)
		*err = why;
	return rc;
}

/* Everything that the job was allocated here. Returns 0, OVERTAKEN, or -1 with ERR. */
static int reserve_all(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct job_pools_facts facts;
	struct job_alloc alloc;
	bool pools = job_pools_may_have(node, job);
	int loaded, rc = 0;

	/* Of an earlier run whose epilog failed. */
	node_unmark_failed(node, job);
	if (node->platform == NULL && !pools)
		return 0;
	/* One RPC for tiles and pools, to spare slurmctld. */
	job_pools_read_record(node, job, &facts);
	loaded = job_info_load_with_pools(job, node->name, node->conf, &alloc, &facts.alloc, err);
	if (loaded < 0)
		return -1;
	if (node->platform != NULL)
		rc = reserve_tiles(node, job, &alloc, loaded, err);
	if (rc == 0 && pools)
		rc = job_pools_prolog(node, job, &facts, err);
	return rc;
}

int prolog_run(spank_t sp)
{
	struct tessera_error err = {0};
	struct node node;
	uint32_t job = 0;
	bool known = spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS;
	int rc = plugin_node_open(&node, &err);

	if (rc == 0 && node.has_state) {
		TESSERA_READY_TO_ASK();
		options_from_prolog(sp, node.conf);
		rc = known ? reserve_all(&node, job, &err)
			   : tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE,
					       "Slurm did not pass the job ID");
	}
	if (rc < 0) {
		slurm_error("tessera: job %u: %s", job, err.text);
		node_mark_failed(&node, job, &err);
	}
	node_close(&node);
	return 0;
}
