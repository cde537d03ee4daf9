/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IPUs and counted pools in a step: what its tasks find in their environment.
 */
#ifndef TESSERA_STEP_POOLS_H
#define TESSERA_STEP_POOLS_H

#include <stdbool.h>

#include "lib/holding.h"
#include "plugin/node.h"
#include "plugin/slurm_compat.h"

/* What the vendor's runtime reads, and our copy of the partition's name: one that is equal was inherited from us. */
#define STEP_API_HOST      "IPUOF_VIPU_API_HOST"
#define STEP_API_PORT      "IPUOF_VIPU_API_PORT"
#define STEP_API_PARTITION "IPUOF_VIPU_API_PARTITION_ID"
#define STEP_API_GCD       "IPUOF_VIPU_API_GCD_ID"
#define STEP_API_TIMEOUT   "IPUOF_VIPU_API_TIMEOUT"
#define STEP_CONFIG_PATH   "IPUOF_CONFIG_PATH"
#define STEP_PARTITION     "TESSERA_PARTITION"
#define STEP_GCDS          "TESSERA_PARTITION_GCDS" /* how many it has, for tessera task */

/* Did the step, or its job, ask for IPUs or for one of the pools by an option? */
bool step_pools_asked(void);

/*
 * May the step have what it asked for, of what its job holds? H's job may hold nothing. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT): more than the job has.
 */
int step_pools_check(const struct node *node, const struct tessera_holding *h, struct tessera_error *err);

/*
 * Set the environment of the task that SP is about; SCRIPT: a batch script, which is no task of a step. Returns 0, or -1
 * with ERR.
 */
int step_pools_environment(spank_t sp, const struct node *node, const struct tessera_holding *h, bool script,
			   struct tessera_error *err);

#endif /* TESSERA_STEP_POOLS_H */
