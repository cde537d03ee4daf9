/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/deadline.h"
#include "plugin/node.h"
#include "plugin/prolog.h"
#include "plugin/prolog_pools.h"
#include "plugin/slurm_job.h"
#include "plugin/stale.h"
#include "plugin/time_left.h"

#define LOOK_S 3 /* for the look at who holds what: longer than any node should need */

/*
 * Did a later run of the job come to this node before this epilog? Then the job is running here, and ROW is that run's.
 * Without an answer from slurmctld it did not: that is rare, and this row would stay. A first run is later than none, so
 * that most epilogs need not ask.
 */
static bool is_later_run(const struct node *node, const struct tessera_row *row)
{
	struct time_left left;

	return row->restarts > 0 && time_left_find(node, LOOK_S, &left) == 0 && deadline_left(left.ask_until) > 0 &&
	       slurm_job_runs(row->job, node->name, row->uid, row->restarts, NULL) > 0;
}

/* What its processes still hold is kept back before anything is waited for: this process may be ended, too. */
static int release(const struct node *node, struct stale_crowd *crowd, uint32_t job, struct tessera_row *kept,
		   struct tessera_error *err)
{
	struct time_left left;
	int64_t end;
	int rc;

	if (!tessera_ledger_mentions(node->dir, job))
		return 0;
	rc = stale_find_job(node, job, kept, err);
	if (rc != 0)
		return rc < 0 ? -1 : STALE_GONE;
	if (is_later_run(node, kept))
		return STALE_GONE;
	end = deadline_after(LOOK_S);
	/* Half of the time is for what is done about it. */
	if (time_left_find(node, 2 * LOOK_S, &left) == 0)
		end = stale_share(left.end, 2);
	return stale_settle_job(node, crowd, kept, end, err);
}

static void end_holders(const struct node *node, struct stale_crowd *crowd, struct tessera_row *kept)
{
	const struct tessera_stale_conf *stale = tessera_conf_stale(node->conf);
	unsigned kill_ms = stale->policy == TESSERA_STALE_KILL ? STALE_KILL_MS : 0;
	struct time_left left;
	bool known = time_left_find(node, stale->wait + kill_ms / 1000, &left) == 0;

	/* Nothing is waited for then, but who shall hear of it does. */
	if (!known)
		left.end = deadline_now() + kill_ms + STALE_LOOK_MS;
	stale_end(node, crowd, kept, 1, left.end - kill_ms, known);
}

int epilog_run(spank_t sp, int argc, char **argv)
{
	struct stale_crowd crowd = {0};
	struct tessera_error err = {0};
	struct tessera_row row;
	struct node node;
	uint32_t job = 0;
	bool known = spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS;
	int kept = 0, rc = node_open(&node, argc, argv, &err);

	if (known)
		node_unmark_failed(&node, job);
	if (rc == 0 && node.keeps && known) {
		TESSERA_READY_TO_ASK();
		if (node.platform != NULL)
			kept = release(&node, &crowd, job, &row, &err);
		if (kept < 0)
			slurm_error("tessera: job %u: its tiles could not be given back: %s", job, err.text);
		rc = epilog_pools(&node, job, &err);
	}
	if (rc < 0)
		slurm_error("tessera: job %u: %s", job, err.text);
	if (kept == STALE_KEPT_BACK)
		end_holders(&node, &crowd, &row);
	stale_crowd_free(&crowd);
	node_close(&node);
	return 0;
}
