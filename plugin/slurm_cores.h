/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cores of a node slurmctld gave a job.
 */
#ifndef TESSERA_SLURM_CORES_H
#define TESSERA_SLURM_CORES_H

#include "lib/locality.h"
#include "plugin/slurm_compat.h"

/*
 * The job's cores on the node at INDEX of its host list. Returns how many cores Slurm counts on that node, or 0 with
 * CORES empty when it does not say.
 */
unsigned slurm_cores_read(const job_info_t *info, int index, struct tessera_cpuset *cores);

#endif /* TESSERA_SLURM_CORES_H */
