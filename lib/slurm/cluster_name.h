/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of this cluster. Several clusters may share a slurmdbd, with the same job IDs.
 */
#ifndef TESSERA_CLUSTER_NAME_H
#define TESSERA_CLUSTER_NAME_H

#include "lib/util/error.h"

/*
 * ClusterName as slurmdbd has it, from slurm.conf or, without that file, from slurmctld. To be
 * freed. Returns NULL with ERR (TESSERA_ERR_UNAVAILABLE) if neither is available.
 */
char *cluster_name(struct tessera_error *err);

#endif /* TESSERA_CLUSTER_NAME_H */
