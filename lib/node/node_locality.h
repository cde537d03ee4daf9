/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA distance of RDUs from a job's cores, by the table written at boot (locality.h). */
#ifndef TESSERA_NODE_LOCALITY_H
#define TESSERA_NODE_LOCALITY_H

#include "lib/node/node.h"
#include "lib/slurm/job_info.h"
#include "lib/state/locality.h"

/*
 * The node's table, to be freed with tessera_locality_free(); NULL if there is none, or if it
 * cannot be read, which is logged. The node must have tiles.
 */
struct tessera_locality *node_locality_table(const struct node *node);

/*
 * Fill COST, of TESSERA_TILES_MAX, with the distance of each RDU from the cores that slurmctld
 * allocated to the job on this node. Returns COST, or NULL if the distances are not known. The node
 * must have tiles.
 */
const unsigned *node_locality_of_job(const struct node *node, const struct job_alloc *job,
				     unsigned *cost);

#endif /* TESSERA_NODE_LOCALITY_H */
