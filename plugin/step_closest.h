/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --tile-bind=closest: each task gets those of its step's tiles that are near the CPUs it is bound to.
 *
 * Slurm binds a task from outside, in slurmstepd, when the task's process waits already; what it says of bindings before that
 * is only what the user typed. slurmstepd hears of each task right after it was bound (task_post_fork). When it
 * has seen all of them it shares the tiles out, once for all, and tells the tasks, which wait for that in
 * task_init_privileged. It does not wait for them: seen in the code of 22.05, 24.11 and 26.05.
 */
#ifndef TESSERA_STEP_CLOSEST_H
#define TESSERA_STEP_CLOSEST_H

#include "lib/place.h"
#include "plugin/node.h"
#include "plugin/slurm_compat.h"

/*
 * In slurmstepd, before the tasks are there. SPLIT has been made in block fashion, into EACH: that holds unless tasks are
 * bound, and the node's closeness is known. What it points to must stay.
 */
void step_closest_prepare(const struct node *node, const struct tessera_split *split,
			  const struct tessera_tileset *each);

/* In slurmstepd: the task that SP is about is there, and bound. */
void step_closest_bound(spank_t sp);

/*
 * In the task: its TILES, which are left as they are where step_closest_prepare() found nothing to do. Returns 0, or -1 with
 * ERR when slurmstepd does not share them out in time.
 */
int step_closest_take(unsigned task, struct tessera_tileset *tiles, struct tessera_error *err);

void step_closest_forget(void);

#endif /* TESSERA_STEP_CLOSEST_H */
