/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <time.h>

#include "lib/deadline.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale.h"

#define LOOK_MS 200

/*
 * One look at all: what nobody holds any more is given back, the holders of the rest get a signal unless it is 0.
 * Returns how many rows are kept back.
 */
static size_t look_once(const struct node *node, struct tessera_row *rows, size_t count, int signal)
{
	struct tessera_ledger *ledger = NULL;
	struct stale_crowd crowd = {0};
	struct tessera_error err = {0};
	size_t kept = 0;

	if (tessera_ledger_read(node->dir, node->platform, &ledger, &err) < 0) {
		slurm_error("tessera: %s", err.text);
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t ended = stale_ended(ledger, &rows[i]);
		int rc;

		if (tessera_tileset_empty(&rows[i].tiles))
			continue;
		rc = stale_settle(node, &crowd, &rows[i], ended, &err);
		if (rc == 0) {
			stale_log_given_back(node, &rows[i]);
			tessera_tileset_clear(&rows[i].tiles);
			continue;
		}
		kept++;
		if (rc < 0)
			slurm_error("tessera: job %u: %s", rows[i].job, err.text);
		else if (signal != 0)
			stale_signal(node, &crowd, &rows[i], ended, signal);
	}
	stale_crowd_free(&crowd);
	tessera_ledger_close(ledger);
	return kept;
}

static size_t wait_until(const struct node *node, struct tessera_row *rows, size_t count, int64_t end)
{
	size_t kept = count;

	while (kept > 0 && deadline_left(end) > 0) {
		unsigned pause = LOOK_MS;

		deadline_pause(end, &pause, LOOK_MS);
		kept = look_once(node, rows, count, 0);
	}
	return kept;
}

/* Twice: a process may have had a child while the first was looked for. One that hangs in the driver stays. */
static void kill_rest(const struct node *node, struct tessera_row *rows, size_t count)
{
	for (unsigned tries = 0; tries < 2; tries++)
		if (look_once(node, rows, count, SIGKILL) == 0 ||
		    wait_until(node, rows, count, deadline_now() + STALE_KILL_MS / 2) == 0)
			return;
}

void stale_end(const struct node *node, struct tessera_row *rows, size_t count, int64_t end, bool hard)
{
	enum tessera_stale_policy policy = tessera_conf_stale(node->conf)->policy;

	if (policy == TESSERA_STALE_QUARANTINE ||
	    (policy == TESSERA_STALE_KILL && look_once(node, rows, count, SIGTERM) == 0))
		return;
	if (wait_until(node, rows, count, end) > 0 && policy == TESSERA_STALE_KILL && hard)
		kill_rest(node, rows, count);
}
