/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugin/node.h"
#include "plugin/prolog.h"
#include "plugin/prolog_pools.h"

static int release(const struct node *node, uint32_t job, struct tessera_error *err)
{
	struct tessera_ledger *ledger = NULL;
	int rc = 0;

	if (!tessera_ledger_mentions(node->dir, job))
		return 0;
	if (tessera_ledger_open(node->dir, node->platform, NODE_LOCK_WAIT_MS, &ledger, err) < 0)
		return -1;
	if (tessera_ledger_drop(ledger, job))
		rc = tessera_ledger_commit(ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

int epilog_run(spank_t sp, int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;
	uint32_t job = 0;
	int rc = node_open(&node, argc, argv, &err);

	if (rc == 0 && node.keeps && spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS) {
		node_unmark_failed(&node, job);
		if (node.platform != NULL)
			rc = release(&node, job, &err);
		if (rc < 0)
			slurm_error("tessera: job %u: its tiles could not be given back: %s", job, err.text);
		rc = epilog_pools(&node, job, &err);
	}
	if (rc < 0)
		slurm_error("tessera: job %u: %s", job, err.text);
	node_close(&node);
	return 0;
}
