/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the tasks that run together a process is, by what its launcher put into its environment.
 */
#ifndef TESSERA_RANK_H
#define TESSERA_RANK_H

#include <stdbool.h>

#include "lib/error.h"

struct rank {
	const char *launcher; /* for messages: "Open MPI"; NULL: there is none */
	bool shared_out;      /* by srun, which has given each task what is its own */
	unsigned here;        /* number among those on the node, from 0 */
	unsigned count_here;
	unsigned number; /* and among all */
	unsigned count;
};

/*
 * Look into the environment: hydra (MPICH, Intel MPI), Open MPI, MVAPICH, and after these srun, whose variables are in the
 * environment of the others, too. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): a variable is not a number, or one
 * that belongs to it is missing or too small.
 */
int rank_find(struct rank *rank, struct tessera_error *err);

#endif /* TESSERA_RANK_H */
