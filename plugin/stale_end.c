/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <time.h>

#include "lib/deadline.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale.h"

#define LOOK_MS 200

/*
 * One look at all, until END: what nobody holds any more is given back, the holders of the rest get a signal unless it is
 * 0. Returns how many rows are kept back; all, if that is not known.
 */
static size_t look_once(const struct node *node, struct tessera_row *rows, size_t count, int64_t end, int signal)
{
	struct tessera_ledger *ledger = NULL;
	struct stale_crowd crowd = {0};
	struct tessera_error err = {0};
	size_t kept = 0;

	/* What the last look found shall stay written down. */
	if (deadline_left(end) == 0)
		return count;
	if (tessera_ledger_read(node->dir, node->platform, &ledger, &err) < 0) {
		slurm_error("%s%s", node->voice, err.text);
		return count;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t ended = stale_ended(ledger, &rows[i]);
		int64_t share = stale_share(end, count - i);
		int rc;

		if (tessera_tileset_empty(&rows[i].tiles))
			continue;
		rc = stale_settle(node, &crowd, &rows[i], ended, share, &err);
		if (rc == 0) {
			stale_log_given_back(node, &rows[i]);
			tessera_tileset_clear(&rows[i].tiles);
			continue;
		}
		kept++;
		if (rc < 0)
			slurm_error("%sjob %u: %s", node->voice, rows[i].job, err.text);
		else if (signal != 0)
			stale_signal(node, &crowd, &rows[i], ended, share, signal);
	}
	stale_crowd_free(&crowd);
	tessera_ledger_close(ledger);
	return kept;
}

/* The last look, which begins at END, needs time, too. */
static size_t wait_until(const struct node *node, struct tessera_row *rows, size_t count, int64_t end)
{
	size_t kept = count;

	while (kept > 0 && deadline_left(end) > 0) {
		unsigned pause = LOOK_MS;

		deadline_pause(end, &pause, LOOK_MS);
		kept = look_once(node, rows, count, end + STALE_LOOK_MS, 0);
	}
	return kept;
}

/* Twice: a process may have had a child while the first was looked for. One that hangs in the driver stays. */
static void kill_rest(const struct node *node, struct tessera_row *rows, size_t count, int64_t end)
{
	for (unsigned tries = 1; tries <= 2; tries++) {
		int64_t until = end + (int64_t)tries * STALE_KILL_MS / 2;

		if (look_once(node, rows, count, until, SIGKILL) == 0 || wait_until(node, rows, count, until) == 0)
			return;
	}
}

void stale_end(const struct node *node, struct tessera_row *rows, size_t count, int64_t end, bool hard)
{
	enum tessera_stale_policy policy = tessera_conf_stale(node->conf)->policy;

	/* Those who are told to end shall have some of the time for it. */
	if (policy == TESSERA_STALE_QUARANTINE ||
	    (policy == TESSERA_STALE_KILL &&
	     look_once(node, rows, count, stale_share(end + STALE_KILL_MS, 2), SIGTERM) == 0))
		return;
	if (wait_until(node, rows, count, end) > 0 && policy == TESSERA_STALE_KILL && hard)
		kill_rest(node, rows, count, end);
}
