/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tasks of a step find in their environment. All of it runs as root: the checks in
 * slurmstepd, the rest in the task's process before it becomes the user's.
 */
#ifndef TESSERA_STEP_ENV_H
#define TESSERA_STEP_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/node/node.h"
#include "lib/slurm/compat.h"
#include "lib/state/job_record.h"

/*
 * In a partition whose Unasked is not leave, tasks without tiles get an empty mask, so that the
 * vendor's runtime does not use tiles of other jobs.
 *
 * In slurmd at its start: leave to every slurmstepd which partitions these are and how NODE writes
 * an empty mask, so that steps of jobs that asked for nothing need not read tessera.conf.
 */
void step_env_export_empty_mask(const struct node *node);

/*
 * In slurmstepd: find the mask of tasks without tiles, from NODE's configuration, or from what
 * slurmd left if that was not read. The partition is the one in the step's environment: a user who
 * forges it changes only a mask of their own.
 */
void step_env_find_empty_mask(spank_t sp, const struct node *node);

/*
 * In a task without tiles: set the empty mask, if step_env_find_empty_mask() found one, in place of
 * a mask of the user's. Returns 0, or -1 with ERR.
 */
int step_env_set_empty_mask(spank_t sp, struct tessera_error *err);

/*
 * TILES, which the task was granted, become what the user's mask leaves of them, as UserMask of
 * tessera.conf allows. LEDGER names the owner of a foreign tile. Returns 0, or -1 with ERR if the
 * mask is refused. ERR may be NULL.
 */
int step_env_narrow_tiles(spank_t sp, const struct node *node, struct tessera_ledger *ledger,
			  struct tessera_tileset *tiles, struct tessera_error *err);

/*
 * The same, and set the task's mask to TILES. A task without tiles gets what
 * step_env_set_empty_mask() sets. Returns 0, or -1 with ERR.
 */
int step_env_set_tiles(spank_t sp, const struct node *node, struct tessera_ledger *ledger,
		       struct tessera_tileset *tiles, struct tessera_error *err);

/* Was an option for IPUs or a pool given for the step or its job? */
bool step_env_has_option(void);

/*
 * Do these options name more than the job has? RECORD may be zeros: it has nothing. Returns 0, or
 * -1 with ERR (TESSERA_ERR_INPUT) if they do.
 */
int step_env_check(const struct node *node, const struct tessera_job_record *record,
		   struct tessera_error *err);

/*
 * Set the task's variables for IPUs and pools. SCRIPT: a batch script or interactive step, which
 * has no task number. Returns 0, or -1 with ERR.
 */
int step_env_set_pools(spank_t sp, const struct node *node, const struct tessera_job_record *record,
		       bool script, struct tessera_error *err);

/*
 * For a batch script or interactive step whose job has something of ours. hydra, MPICH's process
 * manager, passes mpirun's environment to its ranks, and so the mask of the first node. With
 * VAR_HYDRA_ENV a rank has the environment of its proxy instead, which is a task of a step and has
 * its own node's mask. Set only in a job on several nodes, unless ALWAYS, and not if the user has
 * set it.
 */
void step_mpi_set_environment(spank_t sp, bool always);

/*
 * Is the step a proxy that starts ranks for hydra's mpirun in a batch script? If such a step fails,
 * mpirun waits for it forever, and the job keeps its tiles.
 */
bool step_mpi_is_proxy(spank_t sp);

/* Write WHY the step fails to the output of JOB: the step's own may be lost when mpirun ends. */
void step_mpi_write_reason(uint32_t job, const char *why);

/*
 * End JOB: SIGTERM to all its processes. To be called when the step has ended and its messages have
 * been sent.
 */
void step_mpi_end_job(uint32_t job);

#endif /* TESSERA_STEP_ENV_H */
