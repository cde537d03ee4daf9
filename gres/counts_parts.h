/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera health --update asks of slurmctld and of slurmd. Each returns 0, or -1 with ERR (TESSERA_ERR_MISSING unless
 * it says more).
 */
#ifndef TESSERA_COUNTS_PARTS_H
#define TESSERA_COUNTS_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/counts.h"
#include "lib/error.h"

/* A node as slurmctld has it. */
struct counts_node {
	enum tessera_counts_node stands;
	bool refused;               /* slurmctld does not take its registration */
	bool awaited;               /* it was asked to register, and has not yet */
	char *gres;                 /* its Gres; may be NULL */
	struct tessera_counts told; /* in that */
	struct tessera_counts used; /* by jobs */
	char reason[TESSERA_COUNTS_REASON_MAX];
	const char *away; /* why nothing can be done with it, if so */
};

/* To be freed with counts_node_free() in any case. TESSERA_ERR_INPUT: what it says is not understood. */
int counts_node_load(const char *node, struct counts_node *out, struct tessera_error *err);
void counts_node_free(struct counts_node *n);

int counts_node_drain(const char *node, const char *reason, struct tessera_error *err);
int counts_node_resume(const char *node, struct tessera_error *err);
int counts_node_tell(const char *node, const char *gres, struct tessera_error *err);

/*
 * Make NODE's slurmd, which must be on this machine, read its configuration anew and register, as scontrol reconfigure does;
 * and wait until slurmctld has taken that, for some seconds at most. 0 does not say that it has.
 */
int counts_node_register(const char *node, struct tessera_error *err);

/*
 * Wait until NODE, which slurmctld has asked to register, has registered, for COUNTS_REGISTER_S seconds at most. 0 does not
 * say that it has.
 */
#define COUNTS_REGISTER_S 30
int counts_node_await(const char *node, struct tessera_error *err);

/*
 * Make NODE, which is drained for REASON, register before it is resumed: slurmctld asks for that when a drain ends, so it is
 * drained again at once. Waits as the above does, and 0 does not say that it has registered either.
 */
int counts_node_settle(const char *node, const char *reason, struct tessera_error *err);

/*
 * slurmctld holds jobs that no node could ever run as it was counted, and forgets them when that changes: let those that ask
 * for RDUs or tiles wait again. TELL is called for each.
 */
int counts_release_jobs(void (*tell)(uint32_t job), struct tessera_error *err);

#endif /* TESSERA_COUNTS_PARTS_H */
