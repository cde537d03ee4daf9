/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>

#include "lib/node/release.h"
#include "lib/slurm/compat.h"
#include "lib/util/deadline.h"

struct wait {
	const struct node *node;
	struct leftovers *leftovers;
	struct tessera_row *rows;
	size_t count;
	/* the last inspection logged an error: five lines a second would bury all others */
	bool logged;
};

static void log_error(const struct wait *w, uint32_t job, const struct tessera_error *err)
{
	if (w->logged)
		return;
	if (job == 0)
		node_log(w->node, NODE_ERROR, "%s", err->text);
	else
		node_log(w->node, NODE_ERROR, "job %u: %s", job, err->text);
}

/*
 * Release the tiles of ROW if no process uses them, otherwise send SIGNAL unless it is 0. Returns
 * what release_or_withhold() returned.
 */
static int inspect_row(const struct wait *w, const struct tessera_ledger *ledger,
		       struct tessera_row *row, int64_t end, int signal)
{
	uint32_t ended = release_ended_job(ledger, row, &w->leftovers->again);
	struct tessera_error err = {0};
	int rc = release_or_withhold(w->node, w->leftovers, row, ended, end, &err);

	if (rc < 0)
		log_error(w, row->job, &err);
	if (rc == RELEASE_DONE)
		release_log_released(w->node, row);
	if (rc == RELEASE_DONE || rc == RELEASE_GONE)
		tessera_tileset_clear(&row->tiles);
	else if (release_is_withheld(rc) && signal != 0)
		leftover_signal(w->node, w->leftovers, row, ended, end, signal);
	return rc;
}

/*
 * Inspect all rows, until END. Returns how many are worth waiting for; all of them if the ledger
 * cannot be read.
 */
static size_t inspect_rows(struct wait *w, int64_t end, int signal)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_error err = {0};
	size_t waiting = 0, failed = 0;

	/* An inspection without time would replace the rows' texts by an error. */
	if (deadline_left(end) == 0)
		return w->count;
	if (tessera_ledger_read(w->node->dir, w->node->platform, &ledger, &err) < 0) {
		log_error(w, 0, &err);
		w->logged = true;
		return w->count;
	}
	leftovers_renew(w->leftovers);
	for (size_t i = 0; i < w->count; i++) {
		int rc;

		if (tessera_tileset_empty(&w->rows[i].tiles))
			continue;
		rc = inspect_row(w, ledger, &w->rows[i], release_share(end, w->count - i), signal);
		waiting += release_is_worth_waiting(rc);
		failed += rc < 0;
	}
	w->logged = failed > 0;
	tessera_ledger_close(ledger);
	return waiting;
}

static size_t take_step(struct wait *w, const struct release_step *step)
{
	unsigned pause = RELEASE_PAUSE_MS;

	switch (step->kind) {
	case RELEASE_STEP_WAIT:
		deadline_pause(step->pause_until, &pause, RELEASE_PAUSE_MS);
		return inspect_rows(w, step->inspect_until, 0);
	case RELEASE_STEP_TERM:
		return inspect_rows(w, step->inspect_until, SIGTERM);
	case RELEASE_STEP_KILL:
		return inspect_rows(w, step->inspect_until, SIGKILL);
	case RELEASE_STEP_END:
		break;
	}
	return 0;
}

void release_wait(const struct node *node, struct leftovers *leftovers, struct tessera_row *rows,
		  size_t count, int64_t end, bool may_kill)
{
	struct wait w = {.node = node, .leftovers = leftovers, .rows = rows, .count = count};
	struct release_run run = {
		.policy = tessera_conf_leftover(node->conf)->policy,
		.end = end,
		.may_kill = may_kill,
	};
	struct release_step step = release_rule_step(&run, count, deadline_now());

	while (step.kind != RELEASE_STEP_END)
		step = release_rule_step(&run, take_step(&w, &step), deadline_now());
}
