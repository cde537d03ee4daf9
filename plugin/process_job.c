/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "plugin/process_job.h"
#include "plugin/slurm_compat.h"

int process_job(const struct node *node, pid_t pid, uint32_t *job, struct tessera_error *err)
{
	/* By this name it finds the slurmd to ask, where a machine has several. */
	setenv("SLURMD_NODENAME", node->name, 1);
	errno = 0;
	if (slurm_pid2jobid(pid, job) == SLURM_SUCCESS)
		return 1;
	if (errno == ESLURM_INVALID_JOB_ID)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmd does not say whose process %jd is: %s",
				 (intmax_t)pid, slurm_strerror(errno));
}
