/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/node/node.h"
#include "lib/node/prolog_time.h"
#include "lib/node/release.h"
#include "lib/slurm/job_info.h"
#include "lib/util/deadline.h"
#include "plugin/job_pools.h"
#include "plugin/plugin_node.h"
#include "plugin/prolog.h"

#define SCAN_S 3 /* to look for device users: longer than any node should need */

/*
 * Did a later run of the job start on this node before this epilog? Then the job is running here,
 * and ROW is of that run. If slurmctld does not answer, assume that none did: that is rare, and
 * otherwise the row would stay. A first run is never a later one, so most epilogs need no query.
 */
static bool is_later_run(const struct node *node, const struct tessera_row *row)
{
	struct prolog_time left;

	return row->restarts > 0 && prolog_time_find(node, SCAN_S, &left) == 0 &&
	       deadline_left(left.ask_until) > 0 &&
	       job_info_runs(row->job, node->name, row->uid, row->restarts, NULL) > 0;
}

/*
 * Tiles that leftover processes still use are withheld before the epilog waits for these processes:
 * Slurm may kill the epilog while it waits. Returns 0, RELEASE_GONE, RELEASE_WITHHELD with *ROW, or
 * -1 with ERR.
 */
static int release_tiles(const struct node *node, struct leftovers *leftovers, uint32_t job,
			 struct tessera_row *row, struct tessera_error *err)
{
	struct prolog_time left;
	int64_t end;
	int rc;

	if (!tessera_ledger_may_have_job(node->dir, job))
		return 0;
	rc = release_find_row(node, job, row, err);
	if (rc != 0)
		return rc < 0 ? -1 : RELEASE_GONE;
	if (is_later_run(node, row))
		return RELEASE_GONE;
	end = deadline_after(SCAN_S);
	/* Half of the time is left for ending leftover processes. */
	if (prolog_time_find(node, 2 * SCAN_S, &left) == 0)
		end = release_share(left.end, 2);
	return release_or_withhold_job(node, leftovers, row, end, err);
}

static void end_leftovers(const struct node *node, struct leftovers *leftovers,
			  struct tessera_row *row)
{
	const struct tessera_leftover_conf *conf = tessera_conf_leftover(node->conf);
	unsigned kill_ms = conf->policy == TESSERA_LEFTOVER_KILL ? RELEASE_KILL_MS : 0;
	struct prolog_time left;
	bool known = prolog_time_find(node, conf->wait + kill_ms / 1000, &left) == 0;

	/* The time limit is unknown: signal the processes, but do not wait for them. */
	if (!known)
		left.end = deadline_now() + kill_ms + RELEASE_LOOK_MS;
	release_wait(node, leftovers, row, 1, left.end - kill_ms, known);
}

int epilog_run(spank_t sp)
{
	struct leftovers leftovers = {0};
	struct tessera_error err = {0};
	struct tessera_row row;
	struct node node;
	uint32_t job = 0;
	bool known = spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS;
	int released = 0, rc = plugin_node_open(&node, &err);

	if (known)
		node_unmark_failed(&node, job);
	if (rc == 0 && node.has_state && known) {
		TESSERA_READY_TO_ASK();
		if (node.platform != NULL)
			released = release_tiles(&node, &leftovers, job, &row, &err);
		if (released < 0)
			slurm_error("tessera: job %u: cannot release its tiles: %s", job, err.text);
		rc = job_pools_epilog(&node, job, &err);
	}
	if (rc < 0)
		slurm_error("tessera: job %u: %s", job, err.text);
	if (released == RELEASE_WITHHELD)
		end_leftovers(&node, &leftovers, &row);
	leftovers_free(&leftovers);
	node_close(&node);
	return 0;
}
