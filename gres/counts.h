/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera health --update: what slurmctld counts on a node follows the node's health. lib/counts.h has the rules.
 */
#ifndef TESSERA_GRES_COUNTS_H
#define TESSERA_GRES_COUNTS_H

#include <stdbool.h>

#include "lib/counts.h"
#include "lib/error.h"
#include "lib/health.h"
#include "plugin/node.h"

struct counts_wish {
	bool dry_run; /* only say what would be told */
	bool open;    /* rather leave the counts too high than the node drained while jobs run */
	bool keep;    /* who looks after the node ends the drains that lasted while jobs ran */
};

/*
 * Tell slurmctld what differs; each change is a line on standard output, and what must wait for jobs to end one on
 * standard error. Waits, for COUNTS_REGISTER_S seconds at most, until the node has registered, if slurmctld has asked it to.
 * NODE must have tiles. Only for root, unless it is a dry run. Returns 0, or -1 with ERR: what was begun then,
 * the next run ends. TESSERA_ERR_DENIED when not root, TESSERA_ERR_MISSING when slurmctld does not answer or does not take the
 * counts, the node is down or does not register, or another such run goes on, TESSERA_ERR_INPUT when what slurmctld,
 * slurm.conf or the ledger say cannot be understood.
 */
int counts_update(const struct node *node, const struct tessera_health_verdict *verdict,
		  const struct counts_wish *wish, struct tessera_error *err);

/* What slurmctld counts on a node, and what it should by the node's health. */
struct counts_gap {
	struct tessera_counts told, wanted;
	bool used;                               /* jobs have some of it: an update must wait for them */
	char because[TESSERA_COUNTS_REASON_MAX]; /* "3.5 bad"; "" if all tiles are good */
};

/* Compare the two, for anyone, and change nothing. Returns 1 if they differ, 0 if not, or -1 with ERR as counts_update(). */
int counts_compare(const struct node *node, const struct tessera_health_verdict *verdict, struct counts_gap *gap,
		   struct tessera_error *err);

#endif /* TESSERA_GRES_COUNTS_H */
