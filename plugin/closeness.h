/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which RDUs are near a job's cores, by the table that was written at the boot (locality.h).
 */
#ifndef TESSERA_CLOSENESS_H
#define TESSERA_CLOSENESS_H

#include "lib/locality.h"
#include "plugin/node.h"
#include "plugin/slurm_job.h"

/*
 * slurmd starts: have TopologyCommand write the table, if the node has tiles. In a process of its own: slurmd does not
 * wait for it.
 */
void closeness_at_start(int argc, char **argv);

/*
 * The node's table, to be freed with tessera_locality_free(), or NULL when nothing is known; what is wrong with one is
 * logged. The node must have tiles.
 */
struct tessera_locality *closeness_table(const struct node *node);

/*
 * A distance for each RDU of the node from the cores that slurmctld gave the job there, in COST, which has room for
 * TESSERA_TILES_MAX. Returns COST, or NULL when nothing is known: then all are alike. The node must have tiles.
 */
const unsigned *closeness_of_job(const struct node *node, const struct slurm_job *job, unsigned *cost);

#endif /* TESSERA_CLOSENESS_H */
