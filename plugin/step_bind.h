/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --tile-bind=closest: each task gets those of its step's tiles that are NUMA-local to the CPUs it
 * is bound to.
 *
 * slurmstepd binds a task after it has forked it; before that only what the user typed is known.
 * slurmstepd calls task_post_fork right after it has bound a task. In the last of these calls the
 * tiles are divided for all tasks, which wait for that in task_init_privileged. slurmstepd itself
 * does not wait for tasks in between: seen in the code of 22.05, 24.11 and 26.05.
 */
#ifndef TESSERA_STEP_BIND_H
#define TESSERA_STEP_BIND_H

#include "lib/node/node.h"
#include "lib/slurm/compat.h"
#include "lib/tile/place.h"

/*
 * In slurmstepd, before the tasks are forked. EACH is SPLIT as --tile-bind=block divides it, and
 * stays so if no task is bound or the node has no locality table. The platform must stay valid.
 */
void step_bind_prepare(const struct node *node, const struct tessera_split *split,
		       const struct tessera_tileset *each);

/* In slurmstepd: the task of SP is forked and bound. */
void step_bind_task_bound(spank_t sp);

/*
 * In the task: wait for its TILES. They stay as they are if step_bind_prepare() was not called or
 * found nothing to do. Returns 0, or -1 with ERR if slurmstepd does not divide them in time.
 */
int step_bind_wait(unsigned task, struct tessera_tileset *tiles, struct tessera_error *err);

void step_bind_clear(void);

#endif /* TESSERA_STEP_BIND_H */
