/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step of a job, in the slurmstepd that runs it and in its tasks.
 */
#ifndef TESSERA_STEP_H
#define TESSERA_STEP_H

#include "lib/slurm/compat.h"

/*
 * As root, before the tasks are forked: decide what becomes of the step (plugin/step_facts.h), and
 * find each task's tiles. Always returns 0, because a failure here would drain the node: it is
 * saved for the tasks.
 */
int step_init_post_opt(spank_t sp);

/*
 * In each task's process, as root: set the task's environment. Returns 0, or -1 after a message to
 * the user; the first task also requeues a batch job that may run later.
 */
int step_task_init_privileged(spank_t sp);

/* In slurmstepd, as root: a task's process is forked and bound to its CPUs, and waits. */
void step_task_post_fork(spank_t sp);

/* The step has ended: release what it had for itself, and end the job if its mpirun waits. */
void step_exit(void);

#endif /* TESSERA_STEP_H */
