/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The IPUs and counted pools that slurmctld allocated to a job. */
#ifndef TESSERA_JOB_INFO_POOLS_H
#define TESSERA_JOB_INFO_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/conf/conf.h"
#include "lib/slurm/job_info.h"
#include "lib/util/error.h"

struct job_pools {
	bool found; /* slurmctld knows the job, on NODE */
	uint32_t uid;
	uint32_t restarts;
	unsigned nodes;                    /* of the job */
	unsigned tasks;                    /* that it requested; at least 1 */
	bool first;                        /* NODE is the first of them */
	char first_node[256];              /* which creates the job's V-IPU partition */
	unsigned ipus;                     /* of the whole job */
	unsigned pools[TESSERA_POOLS_MAX]; /* by the index of the pool in tessera.conf */
	bool any;                          /* ipus or one of pools is not 0 */
	int loaded;                        /* as job_info_read_pools() returned */
	struct tessera_error err;          /* if that is -1 */
};

/*
 * As job_info_load(), and read in the same RPC what JOB has of CONF's pools; pools->loaded has the
 * result of that.
 */
int job_info_load_with_pools(uint32_t job, const char *node, const struct tessera_conf *conf,
			     struct job_alloc *out, struct job_pools *pools,
			     struct tessera_error *err);

/*
 * Read the pools from slurmctld's record. Returns 0; 1 if the job is not on NODE; or -1 with ERR
 * and zero counts: TESSERA_ERR_INPUT if the job's request cannot be parsed, TESSERA_ERR_UNAVAILABLE
 * if the record lacks a count.
 */
int job_info_read_pools(const job_info_t *info, const char *node, const struct tessera_conf *conf,
			struct job_pools *out, struct tessera_error *err);

#endif /* TESSERA_JOB_INFO_POOLS_H */
