/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPUs and counted pools when a job comes to the node and leaves it.
 */
#ifndef TESSERA_PROLOG_POOLS_H
#define TESSERA_PROLOG_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "plugin/node.h"

/*
 * Can JOB have something of the kind here, or is something written under its number? If not, slurmctld need not be
 * asked. After options_from_prolog().
 */
bool prolog_pools_concern(const struct node *node, uint32_t job);

/*
 * Write down what slurmctld gave the job of pools, and make its partition if there are IPUs among them. What goes wrong
 * with that is written down as well. What an earlier job of that number left is not mistaken for its; what this run has
 * already stays as it is. Returns 0; 1 if this run is not running here any more; or -1 with ERR if nothing could be
 * written.
 */
int prolog_pools(const struct node *node, uint32_t job, struct tessera_error *err);

/*
 * The job has left this node: remove its partition if slurmctld's current node list makes that this node's task
 * (lib/holding_fate.h), and forget the rest. What cannot be removed or decided stays written down for tessera reap. If a
 * later run of the job is active already, what that has stays. Returns 0, or -1 with ERR.
 */
int epilog_pools(const struct node *node, uint32_t job, struct tessera_error *err);

#endif /* TESSERA_PROLOG_POOLS_H */
