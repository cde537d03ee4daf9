/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A step on this node, and what becomes of it: gathers the facts that lib/request/step_rule.h
 * decides from.
 */
#ifndef TESSERA_STEP_FACTS_H
#define TESSERA_STEP_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/node/node.h"
#include "lib/request/step_rule.h"
#include "lib/slurm/compat.h"
#include "lib/state/job_record.h"
#include "plugin/step_tiles.h"

/* Filled in slurmstepd, and used by its tasks, which are forked from it. */
struct step {
	uint32_t job;
	uint32_t id;
	unsigned tasks; /* on this node */
	struct node node;
	struct tessera_ledger *ledger; /* as it was read: names the owner of a foreign tile */
	const struct tessera_row *row; /* the job's, in ledger; NULL: it has no tiles here */
	bool has_record;               /* the job has IPUs or part of a pool here */
	struct tessera_job_record record;
	struct step_tiles tiles; /* the tasks' parts of the row's tiles */
	struct step_verdict verdict;
	struct tessera_error why; /* why the step does not run */
	bool ends_job;            /* a task fails, and an mpirun waits for it */
};

/* A batch script or interactive step. */
bool step_is_script(const struct step *step);

/* MaxRequeue of tessera.conf, or its default if that cannot be read. */
unsigned step_max_requeue(const struct step *step);

/*
 * In slurmstepd, as root, with job, id and tasks of STEP set and the rest zeros: decide what
 * becomes of it, and fill STEP. Reads the node's files only if the job may have something of ours,
 * and queries slurmctld only if these are not enough. With STEP_RUN and a row, tiles.each has each
 * task's tiles; why has the user's message if the step does not run. The caller releases tiles,
 * ledger and node.
 */
void step_decide(spank_t sp, struct step *step);

#endif /* TESSERA_STEP_FACTS_H */
