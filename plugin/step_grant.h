/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grant of a task, in TESSERA_GRANT (lib/grant/grant.h). A job never fails for lack of one.
 */
#ifndef TESSERA_STEP_GRANT_H
#define TESSERA_STEP_GRANT_H

#include "lib/node/node.h"
#include "lib/slurm/compat.h"
#include "lib/tile/tileset.h"

struct step_grant {
	const struct node *node;
	uint32_t job;
	uint32_t restarts;
	uint32_t step;
	const char *partition; /* the job's V-IPU partition; "": none */
};

/*
 * In slurmstepd, when the tiles of each of its TASKS are known: load tessera_grant.so if any task
 * has something to grant. If that fails, slurmd's log says why, and no task tries.
 */
void step_grant_prepare(spank_t sp, const struct step_grant *about,
			const struct tessera_tileset *each, unsigned tasks);

/*
 * In TASK, numbered on the node from 0, as root: set TESSERA_GRANT for TILES, or unset an inherited
 * one. Waits one second for munged.
 */
void step_grant_set(spank_t sp, unsigned task, const struct tessera_tileset *tiles);

void step_grant_clear(void);

#endif /* TESSERA_STEP_GRANT_H */
