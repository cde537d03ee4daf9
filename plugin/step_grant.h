/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grant that a task carries: TESSERA_GRANT (lib/grant.h). A job never fails for want of one.
 */
#ifndef TESSERA_STEP_GRANT_H
#define TESSERA_STEP_GRANT_H

#include "lib/tileset.h"
#include "plugin/node.h"
#include "plugin/slurm_compat.h"

struct step_grant {
	const struct node *node;
	uint32_t job;
	uint32_t restarts;
	uint32_t step;
	const char *partition; /* the job's; "": none */
};

/*
 * In slurmstepd, when it is known what its TASKS have: make the grants for EACH, one for all that have the same tiles. One
 * process asks munged for all of them, which is cheaper than one for each task. When it fails, slurmd's log says why, and no
 * task tries again. Nothing is loaded if there is nothing to grant.
 */
void step_grant_make(spank_t sp, const struct step_grant *about, const struct tessera_tileset *each,
		     unsigned tasks);

/* In the task: set TESSERA_GRANT for these TILES, or take away what the task inherited. */
void step_grant_give(spank_t sp, const struct tessera_tileset *tiles);

void step_grant_forget(void);

#endif /* TESSERA_STEP_GRANT_H */
