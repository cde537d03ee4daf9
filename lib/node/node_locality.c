/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/node/node_locality.h"
#include "lib/slurm/compat.h"

struct tessera_locality *node_locality_table(const struct node *node)
{
	struct tessera_locality *table = NULL;
	struct tessera_error err = {0};
	char boot[TESSERA_BOOT_MAX];

	if (tessera_locality_boot(boot, &err) < 0 ||
	    tessera_locality_read(node->dir, node->platform, boot, &table, &err) < 0)
		node_log(node, NODE_ERROR,
			 "cannot read the RDU locality table, ignoring NUMA placement: %s",
			 err.text);
	return table;
}

/*
 * Translate the job's cores to the table's numbers. Where slurm.conf has only CPUs=, Slurm takes
 * each thread for a core, and the threads of a core have consecutive numbers. Returns false if
 * Slurm's number of cores is not a multiple of hwloc's.
 */
static bool find_cores(const struct tessera_locality *table, const struct job_alloc *job,
		       struct tessera_cpuset *cores)
{
	unsigned known = tessera_locality_cores(table);

	*cores = (struct tessera_cpuset){0};
	if (job->node_cores == 0 || job->node_cores % known != 0)
		return false;
	for (unsigned n = 0; n < job->node_cores; n++)
		if (tessera_cpuset_has(&job->cores, n))
			tessera_cpuset_add(cores, n / (job->node_cores / known));
	return true;
}

const unsigned *node_locality_of_job(const struct node *node, const struct job_alloc *job,
				     unsigned *cost)
{
	struct tessera_locality *table = node_locality_table(node);
	struct tessera_cpuset cores;
	bool known = table != NULL && find_cores(table, job, &cores) &&
		     tessera_locality_cost(table, &cores, false, cost);

	tessera_locality_free(table);
	return known ? cost : NULL;
}
