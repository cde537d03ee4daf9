/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MPI rank of this process, from the environment variables that its launcher set.
 */
#ifndef TESSERA_RANK_H
#define TESSERA_RANK_H

#include <stdbool.h>

#include "lib/util/error.h"

struct rank {
	const char *launcher; /* for messages, such as "Open MPI"; NULL: not a rank */
	bool shared_out;      /* srun has already set each task's own share */
	unsigned here;        /* rank on the node, from 0 */
	unsigned count_here;  /* ranks on the node */
	unsigned number;      /* rank in the job, from 0 */
	unsigned count;       /* ranks in the job */
};

/*
 * Find the launcher by its environment variables: hydra (MPICH, Intel MPI), Open MPI, MVAPICH, then
 * srun, whose variables the others inherit. Returns 0, also if there is no launcher; or -1 with ERR
 * (TESSERA_ERR_INPUT) if a variable is not a number, is missing, or contradicts another.
 */
int rank_find(struct rank *rank, struct tessera_error *err);

#endif /* TESSERA_RANK_H */
