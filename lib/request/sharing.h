/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the tasks of a step share its tiles or have tiles of their own. Not installed.
 */
#ifndef TESSERA_SHARING_H
#define TESSERA_SHARING_H

#include <stdbool.h>

#include "lib/conf/conf.h"

enum sharing {
	SHARING_ALL = 1,   /* every task has all tiles of the step */
	SHARING_ASKED = 2, /* as --tiles-per-task and --tile-bind say; an error if impossible */
	SHARING_EVEN = 3,  /* each task an equal part, or all tiles if they do not divide evenly */
};

/* A number of tasks is 0 if it is unknown. */
struct sharing_case {
	bool typed;         /* --tiles-per-task or --tile-bind was given for this step */
	bool asked;         /* one of them was given for this step or its job */
	bool own;           /* the site's policy: sharing_own() */
	unsigned step_here; /* tasks of the step on this node */
	unsigned step_all;  /* and on all its nodes */
	unsigned job_here;  /* the same for the job, as submitted */
	unsigned job_all;
};

/*
 * Options of a step take precedence. Options and defaults of the job are meant for the job's own
 * tasks: they apply to a step that has as many tasks as the job, on this node or on all nodes. A
 * smaller step, such as the daemon with which mpirun starts its ranks, has all tiles.
 */
enum sharing sharing_rule(const struct sharing_case *c);

/*
 * Does each task have tiles of its own by default? Yes if the site's RduScope counts RDUs for each
 * task.
 */
bool sharing_own(const struct tessera_policy *policy);

/*
 * The maximum number of tasks on one of NODES nodes, of a job with NTASKS tasks and PER_NODE on
 * each node; together with NTASKS, PER_NODE is only an upper limit, see sbatch(1). Arguments are 0
 * if not given. Returns 0 if unknown.
 */
unsigned sharing_tasks(unsigned ntasks, unsigned per_node, unsigned nodes);

#endif /* TESSERA_SHARING_H */
