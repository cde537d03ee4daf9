/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job that a process of this node belongs to. */
#ifndef TESSERA_PID_JOB_H
#define TESSERA_PID_JOB_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/util/error.h"

/*
 * Query from slurmd to which job's step the process belongs. slurmd knows the processes of its
 * steps, whereas a process can forge its own environment. On a machine with several slurmds,
 * SLURMD_NODENAME in our environment selects one. Returns 1 with *JOB; 0 if the process belongs to
 * no step that runs here, or does not exist; or -1 with ERR (TESSERA_ERR_UNAVAILABLE) if the query
 * fails.
 */
int pid_job(pid_t pid, uint32_t *job, struct tessera_error *err);

/*
 * The same, in a child process that is given up at END (deadline.h): Slurm itself waits for
 * MessageTimeout.
 */
int pid_job_until(pid_t pid, int64_t end, uint32_t *job, struct tessera_error *err);

#endif /* TESSERA_PID_JOB_H */
