/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool: an accelerator that is only counted, for the whole cluster. It is a license in
 * slurm.conf; tessera.conf adds an option for it, and environment variables for its tasks.
 *
 *   pool csx {                             # the Wafer-Scale Clusters' systems
 *       Option    = csx                    # srun --csx=N; default: the pool's name
 *       License   = csx                    # Licenses=csx:2 in slurm.conf; default: the same
 *       Max       = 2
 *       Sizes     = any                    # or powers, or a list: "1,2,4-8"
 *       Variables = "TESSERA_CSX=%c"       # %c the count, %j the job, %p the pool's name
 *   }
 */
#ifndef TESSERA_POOL_H
#define TESSERA_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tile/platform.h"
#include "../util/error.h"

#define TESSERA_POOLS_MAX     16  /* in one tessera.conf */
#define TESSERA_VARIABLES_MAX 512 /* size of variables and of sizes, with the final NUL */

struct tessera_pool {
	char name[TESSERA_NAME_MAX];
	char option[TESSERA_NAME_MAX];
	char license[TESSERA_NAME_MAX];
	unsigned max;
	char sizes[TESSERA_VARIABLES_MAX];
	char variables[TESSERA_VARIABLES_MAX];
};

/*
 * Check the description of a pool. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): a Max of 0, sizes
 * that are invalid or all larger than Max, an option that is not made of lower-case letters, digits
 * and -, or already exists, a variable without a name or with an unknown % sequence.
 */
int tessera_pool_check(const struct tessera_pool *pool, struct tessera_error *err);

/*
 * May a job request COUNT? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) for the user. POOL must
 * have passed tessera_pool_check().
 */
int tessera_pool_allows(const struct tessera_pool *pool, unsigned count, struct tessera_error *err);

/*
 * Environment variable N, from 0, of a task of JOB that has COUNT: its name, and its value with %c,
 * %j and %p replaced. Text that does not fit is cut. Returns false after the last.
 */
bool tessera_pool_variable(const struct tessera_pool *pool, size_t n, unsigned count, uint32_t job,
			   char *name, size_t name_len, char *value, size_t value_len);

#endif /* TESSERA_POOL_H */
