/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera health --update: keep slurmctld's GRES counts of a node in line with the node's health.
 * lib/request/gres_counts.h has the rules.
 */
#ifndef TESSERA_UPDATE_H
#define TESSERA_UPDATE_H

#include <stdbool.h>

#include "lib/node/node.h"
#include "lib/request/gres_counts.h"
#include "lib/state/health.h"
#include "lib/util/error.h"

/*
 * Bring slurmctld's counts to the node's health: update them while the node is idle, drain it while
 * jobs hold tiles, and resume it afterwards. Prints each change on standard output, and what must
 * wait for jobs to end on standard error. Waits at most 30 seconds for a requested registration; if
 * slurmd runs this process, a detached one does that and what follows. NODE must have tiles.
 * Returns 0, or -1 with ERR; the next run continues then.
 * TESSERA_ERR_DENIED: not root. TESSERA_ERR_UNAVAILABLE: slurmctld does not answer or apply the
 * change, the node is down or does not register, or another update is running. TESSERA_ERR_INPUT:
 * slurmctld, slurm.conf or the ledger cannot be parsed.
 */
int counts_update(const struct node *node, const struct tessera_health_verdict *verdict,
		  struct tessera_error *err);

/* The counts that slurmctld has for a node, and those that follow from the node's health. */
struct counts_gap {
	struct tessera_counts told, wanted;
	bool used; /* jobs hold some of it: an update must wait for them */
	char because[TESSERA_GRES_COUNTS_REASON_MAX]; /* "3.5 bad"; "" if all tiles are good */
};

/*
 * Compare the two, as any user, and change nothing. Returns 1 if they differ, 0 if not, or -1 with
 * ERR as counts_update().
 */
int counts_compare(const struct node *node, const struct tessera_health_verdict *verdict,
		   struct counts_gap *gap, struct tessera_error *err);

#endif /* TESSERA_UPDATE_H */
