/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the tasks of a step share its tiles or have tiles of their own. Not installed.
 */
#ifndef TESSERA_SHARING_H
#define TESSERA_SHARING_H

#include <stdbool.h>

#include "lib/conf.h"

enum sharing {
	SHARING_ALL = 1,   /* every task has all tiles of the step */
	SHARING_ASKED = 2, /* as --tiles-per-task and --tile-bind say; what they say must be possible */
	SHARING_EVEN = 3,  /* each task an equal part, or all if there are no such parts */
};

/* A number of tasks that is not known is 0. */
struct sharing_case {
	bool typed;         /* --tiles-per-task or --tile-bind was given for this very step */
	bool asked;         /* one of them was given, for the step or for its job */
	bool own;           /* the site's choice: sharing_own() */
	unsigned step_here; /* tasks of the step on the node, and on all its nodes */
	unsigned step_all;
	unsigned job_here; /* the same of the job, as it was submitted */
	unsigned job_all;
};

/*
 * What is typed for a step counts. What the job was given, or has by default, is for its own tasks: it divides the tiles
 * of a step that has as many tasks as the job, on the node or on all nodes. A smaller step, such as the daemon by which an
 * mpirun starts its ranks, has all tiles.
 */
enum sharing sharing_rule(const struct sharing_case *c);

/* Do tasks have tiles of their own if the user says nothing? Where RDUs are asked for by the task, they do. */
bool sharing_own(const struct tessera_policy *policy);

/*
 * The tasks on one of NODES nodes, at the most, of a job with NTASKS tasks and PER_NODE on each node; beside NTASKS the latter
 * is only the most that a node may have, as sbatch(1) says. What was not given is 0. 0 if nothing is known.
 */
unsigned sharing_tasks(unsigned ntasks, unsigned per_node, unsigned nodes);

#endif /* TESSERA_SHARING_H */
