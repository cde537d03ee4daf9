/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose a process of this node is.
 */
#ifndef TESSERA_PROCESS_JOB_H
#define TESSERA_PROCESS_JOB_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "plugin/node.h"

/*
 * Ask the slurmd of NODE to which job's step the process belongs: slurmd knows the processes of its steps, while what a
 * process says of itself, in its environment say, it may have made up. Returns 1 with *JOB; 0 if it is of no step that
 * runs here, or there is no such process; or -1 with ERR (TESSERA_ERR_MISSING) if slurmd does not say.
 */
int process_job(const struct node *node, pid_t pid, uint32_t *job, struct tessera_error *err);

/* The same, but at END (deadline.h) there is no answer: Slurm itself waits as long as MessageTimeout says. */
int process_job_until(const struct node *node, pid_t pid, int64_t end, uint32_t *job, struct tessera_error *err);

#endif /* TESSERA_PROCESS_JOB_H */
