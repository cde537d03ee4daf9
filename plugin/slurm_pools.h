/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld says that a job has of IPUs and of counted pools.
 */
#ifndef TESSERA_SLURM_POOLS_H
#define TESSERA_SLURM_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/conf.h"
#include "lib/error.h"

struct slurm_pools {
	bool found; /* slurmctld knows the job, on NODE */
	uint32_t uid;
	uint32_t restarts;
	unsigned nodes;                    /* of the job */
	unsigned tasks;                    /* that it asked for; at least 1 */
	bool first;                        /* NODE is the first of them */
	char first_node[256];              /* which makes the job's partition */
	unsigned ipus;                     /* of the whole job */
	unsigned pools[TESSERA_POOLS_MAX]; /* by the number of the pool in tessera.conf */
	bool any;                          /* ipus or one of pools is not 0 */
};

/*
 * Ask slurmctld for JOB on NODE: one RPC. Returns 0; 1 if slurmctld does not know the job, or it is not on NODE, with
 * *OUT zeros; or -1 with ERR. If slurmctld answered, found is set even then, and only the counts are zeros:
 * TESSERA_ERR_INPUT says that what the job asks for is not understood, TESSERA_ERR_MISSING that the answer lacks a count.
 */
int slurm_pools_load(uint32_t job, const char *node, const struct tessera_conf *conf, struct slurm_pools *out,
		     struct tessera_error *err);

#endif /* TESSERA_SLURM_POOLS_H */
