/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "plugin/reap.h"
#include "plugin/slurm_compat.h"
#include "plugin/slurm_job.h"

/* Is the job still on this node? Unknown is yes: its tiles may be in use. */
static bool lives(const struct node *node, uint32_t job)
{
	struct slurm_job info;
	int rc = slurm_job_load(job, node->name, &info, NULL);

	return rc < 0 || (rc == 0 && info.here);
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
	for (size_t i = 0; i < rows && (row = tessera_ledger_row(ledger, i)) != NULL; i++)
		if (!lives(node, row->job))
			(*dead)[(*count)++] = *row;
	tessera_ledger_close(ledger);
	return 0;
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

void reap_at_start(int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;
	int rc = node_open(&node, argc, argv, &err);

	if (rc == 0 && node.platform != NULL)
		rc = reap_ledger(&node, false, log_row, NULL, &err);
	if (rc < 0)
		slurm_error("tessera: %s", err.text);
	node_close(&node);
}
