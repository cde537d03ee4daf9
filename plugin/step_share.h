/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of its job's tiles that a step asked for.
 */
#ifndef TESSERA_STEP_SHARE_H
#define TESSERA_STEP_SHARE_H

#include "plugin/node.h"
#include "plugin/slurm_compat.h"

/* srun says here how many tiles a node the step named with its own --gres: "4", or "4 overlap". A wish, no right. */
#define STEP_TILES_VARIABLE "TESSERA_STEP_TILES"

struct step_share {
	const struct node *node;
	uint32_t job;
	uint32_t step;
	bool recorded; /* the step has a row of its own in the ledger */
};

/*
 * TILES, which are all of the job's, become the step's: those that nobody else's step has if it named a number,
 * those of --tile-affinity if they are among them, otherwise all. Returns 0, or -1 with ERR.
 */
int step_share_find(spank_t sp, struct step_share *share, const struct tessera_row *row,
		    struct tessera_tileset *tiles, struct tessera_error *err);

/* Give a recorded part back. */
void step_share_return(const struct step_share *share);

#endif /* TESSERA_STEP_SHARE_H */
