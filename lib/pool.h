/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An accelerator that is only counted, for the whole cluster: slurm.conf has it as a licence, and tessera.conf gives it
 * an option of its own and tells the task what it got.
 *
 *   pool csx {                             # the Wafer-Scale Clusters' systems
 *       Option    = csx                    # srun --csx=N; the pool's name if nothing else is said
 *       License   = csx                    # Licenses=csx:2 in slurm.conf; likewise
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

#include "error.h"
#include "platform.h"

#define TESSERA_POOLS_MAX     16  /* of one tessera.conf */
#define TESSERA_VARIABLES_MAX 512 /* characters, with the final NUL; so have sizes */

struct tessera_pool {
	char name[TESSERA_NAME_MAX];
	char option[TESSERA_NAME_MAX];
	char license[TESSERA_NAME_MAX];
	unsigned max;
	char sizes[TESSERA_VARIABLES_MAX];
	char variables[TESSERA_VARIABLES_MAX];
};

/*
 * Is the description itself all right? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): Max that is 0, sizes that cannot
 * be read or that allow nothing up to Max, an option that is not lower-case letters, digits and -, or is one of
 * Tessera's own, a variable without a name or with a % that means nothing.
 */
int tessera_pool_check(const struct tessera_pool *pool, struct tessera_error *err);

/*
 * May a job ask for COUNT? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and the sentence for the user. POOL must have
 * passed tessera_pool_check().
 */
int tessera_pool_allows(const struct tessera_pool *pool, unsigned count, struct tessera_error *err);

/*
 * The N-th variable, from 0, of a task of JOB that has COUNT: its name and its value with what the %s stand for.
 * True; false past the last. What does not fit is cut.
 */
bool tessera_pool_variable(const struct tessera_pool *pool, size_t n, unsigned count, uint32_t job, char *name,
			   size_t name_len, char *value, size_t value_len);

#endif /* TESSERA_POOL_H */
