/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step of a job on the node, in slurmstepd: which of the job's tiles it has, and which each task.
 */
#ifndef TESSERA_STEP_H
#define TESSERA_STEP_H

#include "plugin/slurm_compat.h"

/*
 * As root, before the tasks are forked: find the step's tiles and share them out. Always 0: a failure here would
 * drain the node, so it is remembered for the tasks. Nothing is done for a job that asked for no tiles.
 */
int step_init_post_opt(spank_t sp, int argc, char **argv);

/*
 * In each task's process, as root: set the task's environment. Returns 0, or -1 after telling the user why the task
 * cannot run; a batch job that only lacks room is sent back to the queue first.
 */
int step_task_init_privileged(spank_t sp);

/* In slurmstepd, as root: a task's process is there, and bound to its CPUs, but waits. */
void step_task_post_fork(spank_t sp);

/* The step has ended: what it had for itself is the job's again. */
void step_exit(void);

#endif /* TESSERA_STEP_H */
