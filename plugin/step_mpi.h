/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps an mpirun in a batch script from giving its ranks the tiles of another node.
 */
#ifndef TESSERA_STEP_MPI_H
#define TESSERA_STEP_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/slurm_compat.h"

/*
 * Set the environment of a batch script or interactive step, SP, whose job has something of ours. hydra, the process
 * manager of MPICH, gives its ranks mpirun's own environment, that is the mask of the first node; with CLIENT_HYDRA_ENV
 * they have that of their proxy, which is a task of a step, and so its node's mask. Nothing is changed in a job on one
 * node, unless ALWAYS, nor if the user has set the variable.
 */
void step_mpi_environment(spank_t sp, bool always);

/*
 * Is the step the proxy of an mpirun of hydra in a batch script, which starts its ranks? If it is refused, mpirun waits for it for ever, and the
 * job with its tiles.
 */
bool step_mpi_is_proxy(spank_t sp);

/* Say WHY the step was refused in the output of JOB itself: the step's own may be lost when mpirun ends. */
void step_mpi_tell(uint32_t job, const char *why);

/* So JOB is ended: all its processes are sent SIGTERM. When the step has ended, and its messages have been sent. */
void step_mpi_end_job(uint32_t job);

#endif /* TESSERA_STEP_MPI_H */
