/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/node/reap.h"
#include "lib/node/release.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/job_info.h"
#include "lib/util/deadline.h"

/* slurmd kills a HealthCheckProgram after 60 seconds, of which queries to slurmctld take some. */
#define INSPECT_S 20 /* for finding the processes that use tiles */
#define TERM_S    10 /* between SIGTERM and SIGKILL, at most */

/* A row whose job is not running. */
struct reaped {
	struct tessera_row row;
	uint32_t ended; /* as in struct ended_run */
	uint64_t again; /* as in struct ended_run */
	bool withheld;
	bool gone; /* another process released it meanwhile */
};

/* Is the job still on this node? 1, 0, or -1 with ERR if slurmctld does not answer. */
static int query_job_here(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct job_alloc info;
	int rc = job_info_load(job, node->name, &info, err);

	return rc < 0 ? -1 : rc == 0 && info.here;
}

/*
 * Find the rows of ended jobs, and the withheld rows. Queries slurmctld without the ledger's lock:
 * jobs may start meanwhile, but an ended job ID returns to this node only by a requeue, whose
 * prolog writes a new row.
 */
static int find_ended(const struct node *node, struct reaped **list, size_t *count,
		      struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	const struct tessera_row *row;
	size_t rows = 0;
	int here = 0;

	*list = NULL;
	*count = 0;
	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	while (tessera_ledger_row(ledger, rows) != NULL)
		rows++;
	if (rows > 0 && (*list = calloc(rows, sizeof(**list))) == NULL) {
		tessera_ledger_close(ledger);
		return tessera_error_nomem(err);
	}
	/* Stop at the first query without an answer: the next ones would time out as well. */
	for (size_t i = 0; i < rows && here >= 0 && (row = tessera_ledger_row(ledger, i)) != NULL;
	     i++) {
		bool withheld = row->state == TESSERA_ROW_WITHHELD;

		here = withheld ? 0 : query_job_here(node, row->job, err);
		if (here == 0) {
			struct reaped *r = &(*list)[(*count)++];

			*r = (struct reaped){.row = *row, .ended = row->job};
			if (withheld)
				r->ended = release_ended_job(ledger, row, &r->again);
		}
	}
	tessera_ledger_close(ledger);
	return here < 0 ? -1 : 0;
}

/* What release_or_withhold() would do now; ROW's text says why if it would withhold the tiles. */
static enum release_result predict_release(const struct node *node, struct leftovers *leftovers,
					   struct tessera_row *row, uint32_t ended, int64_t end)
{
	enum device_use use =
		device_in_use(node, leftovers, row, ended, end, row->text, sizeof(row->text));

	return release_rule_row(row->state, use, false).result;
}

/* Release or withhold the tiles of each row of LIST; with DRY_RUN only decide which. */
static int release_rows(const struct node *node, struct leftovers *leftovers, struct reaped *list,
			size_t count, bool dry_run, struct tessera_error *err)
{
	int64_t end = deadline_after(INSPECT_S);
	int rc = 0;

	for (size_t i = 0; i < count && rc >= 0; i++) {
		struct tessera_row row = list[i].row;
		int64_t share = release_share(end, count - i);

		leftovers->again = list[i].again;
		if (dry_run)
			rc = predict_release(node, leftovers, &row, list[i].ended, share);
		else
			rc = release_or_withhold(node, leftovers, &row, list[i].ended, share, err);
		list[i].withheld = release_is_withheld(rc);
		list[i].gone = rc == RELEASE_GONE;
		if (list[i].withheld)
			list[i].row = row;
	}
	return rc < 0 ? -1 : 0;
}

/* With the policy kill only: reap does not wait for processes to end by themselves. */
static void kill_leftovers(const struct node *node, struct leftovers *leftovers,
			   struct reaped *list, size_t count)
{
	const struct tessera_leftover_conf *leftover = tessera_conf_leftover(node->conf);
	struct tessera_row *rows = calloc(count, sizeof(*rows));
	size_t withheld = 0;

	if (rows == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		if (list[i].withheld)
			rows[withheld++] = list[i].row;
	release_wait(node, leftovers, rows, withheld,
		     deadline_after(leftover->wait < TERM_S ? leftover->wait : TERM_S), true);
	withheld = 0;
	for (size_t i = 0; i < count; i++)
		if (list[i].withheld)
			list[i].withheld = !tessera_tileset_empty(&rows[withheld++].tiles);
	free(rows);
}

int reap_ledger(const struct node *node, bool dry_run, reap_fn report, void *arg,
		struct tessera_error *err)
{
	bool kill = !dry_run && tessera_conf_leftover(node->conf)->policy == TESSERA_LEFTOVER_KILL;
	struct leftovers leftovers = {0};
	struct reaped *list = NULL;
	size_t count = 0;
	int rc = -1, released = 0;

	if (find_ended(node, &list, &count, err) < 0 ||
	    release_rows(node, &leftovers, list, count, dry_run, err) < 0)
		goto cleanup;
	if (kill && count > 0)
		kill_leftovers(node, &leftovers, list, count);
	for (size_t i = 0; i < count; i++) {
		if (list[i].gone)
			continue;
		report(&list[i].row, node->platform, list[i].withheld, arg);
		released += !list[i].withheld;
	}
	rc = released;
cleanup:
	leftovers_free(&leftovers);
	free(list);
	return rc;
}

void reap_failures(const struct node *node)
{
	uint32_t *jobs = NULL;
	int count = failure_jobs(node->dir, &jobs, NULL), here = 0;

	for (int i = 0; i < count && here >= 0; i++) {
		here = query_job_here(node, jobs[i], NULL);
		if (here == 0)
			failure_drop(node->dir, jobs[i], NULL);
	}
	free(jobs);
}
