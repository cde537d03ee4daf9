/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks without tiles in a partition whose Unasked is not leave find an empty mask, so that the vendor's runtime does not
 * take tiles of other jobs.
 */
#ifndef TESSERA_STEP_UNASKED_H
#define TESSERA_STEP_UNASKED_H

#include "plugin/node.h"
#include "plugin/slurm_compat.h"

/*
 * In slurmd while it starts: leave to every slurmstepd which partitions these are and how NODE writes an empty mask, so that
 * jobs that asked for nothing need not have tessera.conf read. Nothing of SPANK is used here.
 */
#define UNASKED_REMEMBERED "TESSERA_NODE_EMPTY_MASK"
void step_unasked_remember(const struct node *node);

/*
 * In slurmstepd: what do tasks without tiles find? NODE's configuration says, or what slurmd remembered if it was not
 * read. The partition is the one in the step's environment: who forges it harms a mask of their own.
 */
void step_unasked_find(spank_t sp, const struct node *node);

/*
 * For a task that has no tiles: set its mask if it shall find an empty one, else leave its environment alone. The mask of
 * the user's own goes: there is nothing that it could narrow. Returns 0, or -1 with ERR.
 */
int step_unasked_give(spank_t sp, struct tessera_error *err);

#endif /* TESSERA_STEP_UNASKED_H */
