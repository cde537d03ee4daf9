/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries about the cluster that only slurmctld can answer. Each is one RPC: call them only if
 * needed.
 */
#ifndef TESSERA_CLUSTER_H
#define TESSERA_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/util/error.h"

/*
 * Query the default partition. *PARTITION is to be freed with free(); NULL if the cluster has none.
 * Returns 0, or -1 with ERR if the query fails.
 */
int cluster_default_partition(char **partition, struct tessera_error *err);

/* Query the partition of a job. Returns as above. */
int cluster_job_partition(uint32_t job, char **partition, struct tessera_error *err);

/* Query whether slurmctld has our job_submit plugin, into *CHECKS. Returns as above. */
int cluster_checks_requests(bool *checks, struct tessera_error *err);

/*
 * Set *SECONDS to the shorter of Slurm's time limits for prologs and epilogs (0: none), and *ANSWER
 * to the longest time of an RPC to slurmctld (MessageTimeout), in seconds. In slurmd and slurmstepd
 * they come from the configuration in memory or slurm.conf; elsewhere slurmctld is queried. Returns
 * as above.
 */
int cluster_prolog_limit(unsigned *seconds, unsigned *answer, struct tessera_error *err);

#endif /* TESSERA_CLUSTER_H */
