/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has to be asked of slurmctld, because nothing on this machine knows it. One RPC each, so only when needed.
 */
#ifndef TESSERA_CLUSTER_H
#define TESSERA_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/*
 * The default partition. *PARTITION is to be freed with free(); NULL if the cluster has none. Returns 0, or -1 with
 * ERR when slurmctld does not say.
 */
int cluster_default_partition(char **partition, struct tessera_error *err);

/* The partition of a job; the same. */
int cluster_job_partition(uint32_t job, char **partition, struct tessera_error *err);

/* Has slurmctld our job_submit plugin? The same; *CHECKS is the answer. */
int cluster_checks_requests(bool *checks, struct tessera_error *err);

/*
 * Seconds after which Slurm ends a prolog or epilog, whichever is shorter; 0: never. And how long an RPC to slurmctld
 * can take (MessageTimeout). Within what slurmd started its own configuration says it, or slurm.conf, and nobody is
 * asked; elsewhere the same. *SECONDS and *ANSWER are the answers.
 */
int cluster_prolog_limit(unsigned *seconds, unsigned *answer, struct tessera_error *err);

#endif /* TESSERA_CLUSTER_H */
