/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "plugin/aside.h"
#include "plugin/reap.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_job.h"
#include "plugin/stale.h"

/* slurmd ends a HealthCheckProgram after 60 seconds, and slurmctld has to be asked, too. */
#define SETTLE_S 20 /* to find out who holds what */
#define END_S    10 /* for those who are told to end, before they are killed */

/* A row whose tiles are no living job's. */
struct reaped {
	struct tessera_row row;
	uint32_t ended; /* as stale_held() wants it */
	uint64_t again; /* the same */
	bool kept;      /* a process still holds them */
	bool gone;      /* somebody else has given them back */
};

/* Is the job still on this node? -1 if slurmctld does not say. */
static int lives(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct slurm_job info;
	int rc = slurm_job_load(job, node->name, &info, err);

	return rc < 0 ? -1 : rc == 0 && info.here;
}

/*
 * The rows whose tiles are no living job's: of jobs that are gone, and those kept back. slurmctld is asked without the
 * lock: jobs start meanwhile, but no number that is gone comes back to life here before the lock is taken, except by a
 * requeue, whose prolog writes a new row.
 */
static int find_dead(const struct node *node, struct reaped **dead, size_t *count, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	const struct tessera_row *row;
	size_t rows = 0;
	int alive = 0;

	*dead = NULL;
	*count = 0;
	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	while (tessera_ledger_row(ledger, rows) != NULL)
		rows++;
	if (rows > 0 && (*dead = calloc(rows, sizeof(**dead))) == NULL) {
		tessera_ledger_close(ledger);
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu jobs", rows);
	}
	/* Who gives no answer for one job gives none for the next, and each costs a time-out. */
	for (size_t i = 0; i < rows && alive >= 0 && (row = tessera_ledger_row(ledger, i)) != NULL; i++) {
		bool stale = row->state == TESSERA_ROW_STALE;

		alive = stale ? 0 : lives(node, row->job, err);
		if (alive == 0) {
			struct reaped *r = &(*dead)[(*count)++];

			*r = (struct reaped){.row = *row, .ended = row->job};
			if (stale)
				r->ended = stale_ended(ledger, row, &r->again);
		}
	}
	tessera_ledger_close(ledger);
	return alive < 0 ? -1 : 0;
}

/* Give back what nobody holds any more, and keep the rest back; with DRY_RUN find out which is which. */
static int settle(const struct node *node, struct stale_crowd *crowd, struct reaped *dead, size_t count,
		  bool dry_run, struct tessera_error *err)
{
	int64_t end = deadline_after(SETTLE_S);
	int rc = 0;

	for (size_t i = 0; i < count && rc >= 0; i++) {
		struct tessera_row row = dead[i].row;
		int64_t share = stale_share(end, count - i);

		crowd->again = dead[i].again;
		if (dry_run)
			rc = stale_held(node, crowd, &row, dead[i].ended, share, row.text, sizeof(row.text)) !=
					     STALE_FREE
				     ? STALE_KEPT_BACK
				     : STALE_GIVEN_BACK;
		else
			rc = stale_settle(node, crowd, &row, dead[i].ended, share, err);
		dead[i].kept = stale_is_kept(rc);
		dead[i].gone = rc == STALE_GONE;
		if (dead[i].kept)
			dead[i].row = row;
	}
	return rc < 0 ? -1 : 0;
}

/* Who was told to end others' processes does it here, too; nobody waits for those that end by themselves. */
static void end_holders(const struct node *node, struct stale_crowd *crowd, struct reaped *dead, size_t count)
{
	const struct tessera_stale_conf *stale = tessera_conf_stale(node->conf);
	struct tessera_row *rows = calloc(count, sizeof(*rows));
	size_t kept = 0;

	if (rows == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		if (dead[i].kept)
			rows[kept++] = dead[i].row;
	stale_end(node, crowd, rows, kept, deadline_after(stale->wait < END_S ? stale->wait : END_S), true);
	kept = 0;
	for (size_t i = 0; i < count; i++)
		if (dead[i].kept)
			dead[i].kept = !tessera_tileset_empty(&rows[kept++].tiles);
	free(rows);
}

int reap_ledger(const struct node *node, bool dry_run, reap_fn tell, void *arg, struct tessera_error *err)
{
	bool kill = !dry_run && tessera_conf_stale(node->conf)->policy == TESSERA_STALE_KILL;
	struct stale_crowd crowd = {0};
	struct reaped *dead = NULL;
	size_t count = 0;
	int rc = -1, gone = 0;

	if (find_dead(node, &dead, &count, err) < 0 || settle(node, &crowd, dead, count, dry_run, err) < 0)
		goto cleanup;
	if (kill && count > 0)
		end_holders(node, &crowd, dead, count);
	for (size_t i = 0; i < count; i++) {
		if (dead[i].gone)
			continue;
		tell(&dead[i].row, node->platform, dead[i].kept, arg);
		gone += !dead[i].kept;
	}
	rc = gone;
cleanup:
	stale_crowd_free(&crowd);
	free(dead);
	return rc;
}

void reap_failures(const struct node *node)
{
	uint32_t *jobs = NULL;
	int count = failure_jobs(node->dir, &jobs, NULL), alive = 0;

	for (int i = 0; i < count && alive >= 0; i++) {
		alive = lives(node, jobs[i], NULL);
		if (alive == 0)
			failure_drop(node->dir, jobs[i], NULL);
	}
	free(jobs);
}

static void log_row(const struct tessera_row *row, const struct tessera_platform *p, bool kept, void *arg)
{
	char tiles[256];

	(void)arg;
	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	if (kept)
		slurm_info("tessera: job %u is gone: %s kept back: %s", row->job, tiles, row->text);
	else
		slurm_info("tessera: job %u is gone: %s given back", row->job,
			   tiles[0] != '\0' ? tiles : "its row is");
}

static void log_pool(uint32_t job, const char *partition, enum holding_phase phase, void *arg)
{
	(void)arg;
	if (partition != NULL)
		slurm_info("tessera: job %u is %s: removed partition %s", job, reap_job_word(phase), partition);
	else
		slurm_info("tessera: job %u is gone: forgot its note", job);
}

static void reap_and_log(const struct node *node)
{
	struct tessera_error err = {0};

	if (node->platform != NULL && reap_ledger(node, false, log_row, NULL, &err) < 0)
		slurm_error("tessera: %s", err.text);
	if (reap_pools(node, false, log_pool, NULL, &err) < 0)
		slurm_error("tessera: %s", err.text);
}

void reap_at_start(int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;

	/* node_remember() has told what is wrong with tessera.conf. A node without a directory has no notes. */
	if (node_open(&node, argc, argv, &err) == 0 && node.keeps &&
	    (node.site != NULL || access(node.dir, F_OK) == 0))
		aside_do(reap_and_log, &node);
	node_close(&node);
}
