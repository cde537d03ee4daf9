/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by topology.c, which reads NUMA nodes and cores, and topology_rdus.c, which locates the
 * RDUs.
 */
#ifndef TESSERA_TOPOLOGY_INTERNAL_H
#define TESSERA_TOPOLOGY_INTERNAL_H

#include <hwloc.h>
#include <hwloc/distances.h>

#include "lib/vendor/topology.h"

struct view {
	hwloc_topology_t topology;
	struct hwloc_distances_s *distances; /* between NUMA nodes; NULL: not known */
	const struct tessera_platform *platform;
	struct tessera_locality *table;
};

/* Add the RDUs to a table that has its NUMA nodes. Returns as topology_read() does. */
int topology_put_rdus(struct view *v, struct tessera_error *why);

#endif /* TESSERA_TOPOLOGY_INTERNAL_H */
