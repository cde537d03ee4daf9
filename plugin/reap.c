/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/reap.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_job.h"

/* Is the job still on this node? -1 if slurmctld does not say. */
static int lives(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct slurm_job info;
	int rc = slurm_job_load(job, node->name, &info, err);

	return rc < 0 ? -1 : rc == 0 && info.here;
}

/*
 * The jobs of the ledger that are gone. slurmctld is asked without the lock: jobs start meanwhile, but no number that is
 * gone comes back to life here before the lock is taken, except by a requeue, whose prolog writes a new row.
 */
static int find_dead(const struct node *node, struct tessera_row **dead, size_t *count, struct tessera_error *err)
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
		alive = lives(node, row->job, err);
		if (alive == 0)
			(*dead)[(*count)++] = *row;
	}
	tessera_ledger_close(ledger);
	return alive < 0 ? -1 : 0;
}

/* Drop a row only if it is still the one that was found dead. */
static void drop_same(struct tessera_ledger *ledger, const struct tessera_row *dead)
{
	const struct tessera_row *row = tessera_ledger_job(ledger, dead->job);

	if (row != NULL && row->restarts == dead->restarts && tessera_tileset_equal(&row->tiles, &dead->tiles))
		tessera_ledger_drop(ledger, dead->job);
}

int reap_ledger(const struct node *node, bool dry_run, reap_fn tell, void *arg, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_row *dead = NULL;
	size_t count = 0;
	int rc = -1;

	if (find_dead(node, &dead, &count, err) < 0)
		goto cleanup;
	for (size_t i = 0; i < count; i++)
		tell(&dead[i], node->platform, arg);
	rc = (int)count;
	if (count == 0 || dry_run)
		goto cleanup;
	rc = -1;
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		goto cleanup;
	for (size_t i = 0; i < count; i++)
		drop_same(ledger, &dead[i]);
	if (tessera_ledger_commit(ledger, err) == 0)
		rc = (int)count;
cleanup:
	tessera_ledger_close(ledger);
	free(dead);
	return rc;
}

static void log_row(const struct tessera_row *row, const struct tessera_platform *p, void *arg)
{
	char tiles[256];

	(void)arg;
	tessera_tileset_format(p, &row->tiles, TESSERA_FORM_RDUS, tiles, sizeof(tiles));
	slurm_info("tessera: job %u is gone: %s given back", row->job, tiles[0] != '\0' ? tiles : "its row is");
}

static void log_pool(uint32_t job, const char *partition, void *arg)
{
	(void)arg;
	slurm_info("tessera: job %u is gone: %s%s", job,
		   partition != NULL ? "removed partition " : "forgot its note",
		   partition != NULL ? partition : "");
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
	pid_t child;

	/* node_remember() has told what is wrong with tessera.conf. A node without a directory has no notes. */
	if (node_open(&node, argc, argv, &err) < 0 || !node.keeps ||
	    (node.site == NULL && access(node.dir, F_OK) != 0))
		goto cleanup;
	child = fork();
	if (child == 0) {
		/* Once more, so that slurmd has no child that it does not know. */
		if (fork() == 0)
			reap_and_log(&node);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
cleanup:
	node_close(&node);
}
