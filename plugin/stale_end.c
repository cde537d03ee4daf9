/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <time.h>

#include "lib/deadline.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale.h"

#define LOOK_MS 200

/* What is waited for. */
struct wait {
	const struct node *node;
	struct stale_crowd *crowd;
	struct tessera_row *rows;
	size_t count;
	bool told; /* what went wrong in the last look: five lines a second would hide all others */
};

/*
 * One look at all, until END: what nobody holds any more is given back, the holders of the rest get a signal unless it is
 * 0. Returns how many rows are worth to wait for; all, if the ledger cannot be read. A row is not if it is not even known
 * who holds it: a look later on finds out.
 */
static size_t look_once(struct wait *w, int64_t end, int signal)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	size_t kept = 0, failed = 0;

	/* What the last look found shall stay written down. */
	if (deadline_left(end) == 0)
		return w->count;
	if (tessera_ledger_read(w->node->dir, w->node->platform, &ledger, &err) < 0) {
		if (!w->told)
			slurm_error("%s%s", w->node->voice, err.text);
		w->told = true;
		return w->count;
	}
	stale_crowd_renew(w->crowd);
	for (size_t i = 0; i < w->count; i++) {
		struct tessera_row *row = &w->rows[i];
		uint32_t ended = stale_ended(ledger, row, &w->crowd->again);
		int64_t share = stale_share(end, w->count - i);
		int rc;

		if (tessera_tileset_empty(&row->tiles))
			continue;
		rc = stale_settle(w->node, w->crowd, row, ended, share, &err);
		if (rc == STALE_GIVEN_BACK)
			stale_log_given_back(w->node, row);
		if (rc == STALE_GIVEN_BACK || rc == STALE_GONE) {
			tessera_tileset_clear(&row->tiles);
			continue;
		}
		kept += rc != STALE_KEPT_IN_DOUBT;
		failed += rc < 0;
		if (rc < 0 && !w->told)
			slurm_error("%sjob %u: %s", w->node->voice, row->job, err.text);
		else if (stale_is_kept(rc) && signal != 0)
			stale_signal(w->node, w->crowd, row, ended, share, signal);
	}
	w->told = failed > 0;
	tessera_ledger_close(ledger);
	return kept;
}

/* The last look, which begins at END, needs time, too. */
static size_t wait_until(struct wait *w, int64_t end)
{
	size_t kept = w->count;

	while (kept > 0 && deadline_left(end) > 0) {
		unsigned pause = LOOK_MS;

		deadline_pause(end, &pause, LOOK_MS);
		kept = look_once(w, end + STALE_LOOK_MS, 0);
	}
	return kept;
}

/* Twice: a process may have had a child while the first was looked for. One that hangs in the driver stays. */
static void kill_rest(struct wait *w, int64_t end)
{
	for (unsigned tries = 1; tries <= 2; tries++) {
		int64_t until = end + (int64_t)tries * STALE_KILL_MS / 2;

		if (look_once(w, until, SIGKILL) == 0 || wait_until(w, until) == 0)
			return;
	}
}

void stale_end(const struct node *node, struct stale_crowd *crowd, struct tessera_row *rows, size_t count,
	       int64_t end, bool hard)
{
	enum tessera_stale_policy policy = tessera_conf_stale(node->conf)->policy;
	struct wait w = {.node = node, .crowd = crowd, .rows = rows, .count = count};

	/* Those who are told to end shall have some of the time for it. */
	if (policy == TESSERA_STALE_QUARANTINE ||
	    (policy == TESSERA_STALE_KILL && look_once(&w, stale_share(end + STALE_KILL_MS, 2), SIGTERM) == 0))
		return;
	if (wait_until(&w, end) > 0 && policy == TESSERA_STALE_KILL && hard)
		kill_rest(&w, end);
}
