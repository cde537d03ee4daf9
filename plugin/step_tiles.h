/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of its job's tiles a step has, and which of these each of its tasks.
 */
#ifndef TESSERA_STEP_TILES_H
#define TESSERA_STEP_TILES_H

#include "lib/node/node.h"
#include "lib/slurm/compat.h"

struct step_tiles {
	const struct node *node;
	uint32_t job;
	uint32_t step;
	unsigned tasks; /* of the step on the node; at least 1 */
	bool script;    /* a batch script or interactive step */
	/* Set by step_tiles_divide(). */
	bool recorded;                /* the step has a row of its own in the ledger */
	struct tessera_tileset *each; /* of TASKS tasks */
};

/*
 * In slurmstepd, as root: find the tiles of each task. ROW is the job's, and holds tiles. A script
 * has all tiles that the job has here, because it starts the steps. A step that names a number of
 * tiles (VAR_STEP_TILES) gets that many, which no other step of the job has, and a row in the
 * ledger; with srun --overlap any of the job's; with 0 none. To be released with
 * step_tiles_release() in either case. Returns 0, or -1 with ERR.
 */
int step_tiles_divide(spank_t sp, struct step_tiles *share, const struct tessera_row *row,
		      struct tessera_error *err);

/* Drop the step's row, if it has one: its tiles are the job's again. Zeroed SHARE is fine. */
void step_tiles_release(struct step_tiles *share);

#endif /* TESSERA_STEP_TILES_H */
