/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cluster is this? Several may share a slurmdbd, with jobs of the same numbers.
 */
#ifndef TESSERA_CLUSTER_NAME_H
#define TESSERA_CLUSTER_NAME_H

#include "lib/error.h"

/*
 * ClusterName, as slurmdbd knows it: from slurm.conf, or from slurmctld where there is no such file. To be freed. NULL
 * with ERR (TESSERA_ERR_MISSING) if neither says.
 */
char *cluster_name(struct tessera_error *err);

#endif /* TESSERA_CLUSTER_NAME_H */
