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
 * In slurmstepd, when it is known what its TASKS have: load what makes grants, if there is something to be granted in EACH.
 * When it fails, slurmd's log says why, and no task tries.
 */
void step_grant_prepare(spank_t sp, const struct step_grant *about, const struct tessera_tileset *each,
			unsigned tasks);

/*
 * In TASK, numbered on the node from 0, before it becomes the user's: set TESSERA_GRANT for these TILES, or take away what
 * it inherited. munged has a second.
 */
void step_grant_give(spank_t sp, unsigned task, const struct tessera_tileset *tiles);

void step_grant_forget(void);

#endif /* TESSERA_STEP_GRANT_H */
