/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugin/closeness.h"
#include "plugin/slurm_compat.h"

struct tessera_locality *closeness_table(const struct node *node)
{
	struct tessera_locality *table = NULL;
	struct tessera_error err = {0};
	char boot[TESSERA_BOOT_MAX];

	if (tessera_locality_boot(boot, &err) < 0 ||
	    tessera_locality_read(node->dir, node->platform, boot, &table, &err) < 0)
		slurm_error("tessera: it is not known which RDUs are near: %s", err.text);
	return table;
}

/*
 * The job's cores as the table numbers them. Where slurm.conf only says CPUs=, each thread is a core to Slurm, and the
 * threads of a core have numbers side by side. Returns false if Slurm sees another machine than hwloc.
 */
static bool find_cores(const struct tessera_locality *table, const struct slurm_job *job,
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

const unsigned *closeness_of_job(const struct node *node, const struct slurm_job *job, unsigned *cost)
{
	struct tessera_locality *table = closeness_table(node);
	struct tessera_cpuset cores;
	bool known = table != NULL && find_cores(table, job, &cores) &&
		     tessera_locality_cost(table, &cores, false, cost);

	tessera_locality_free(table);
	return known ? cost : NULL;
}
