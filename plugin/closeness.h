/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which RDUs are near a job's cores.
 */
#ifndef TESSERA_CLOSENESS_H
#define TESSERA_CLOSENESS_H

#include "plugin/node.h"
#include "plugin/slurm_job.h"

/*
 * A distance for each RDU of the node from the cores that slurmctld gave the job there, in COST, which has room for
 * TESSERA_TILES_MAX. Returns COST, or NULL when nothing is known: then all are alike. The node must have tiles.
 */
const unsigned *closeness_of_job(const struct node *node, const struct slurm_job *job, unsigned *cost);

#endif /* TESSERA_CLOSENESS_H */
