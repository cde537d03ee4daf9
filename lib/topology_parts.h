/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts that a table is made with: topology.c asks hwloc, topology_rdus.c puts the RDUs where they are.
 */
#ifndef TESSERA_TOPOLOGY_PARTS_H
#define TESSERA_TOPOLOGY_PARTS_H

#include <hwloc.h>
#include <hwloc/distances.h>

#include "topology.h"

/* A topology, and what is asked of it again and again. */
struct view {
	hwloc_topology_t topology;
	struct hwloc_distances_s *distances; /* between NUMA nodes; NULL: not known */
	const struct tessera_platform *platform;
	struct tessera_locality *table;
};

/* The RDUs' lines of the table, whose NUMA nodes are there. As topology_read() returns. */
int topology_put_rdus(struct view *v, struct tessera_error *why);

/* Returns -1. */
int topology_no_memory(struct tessera_error *why);

#endif /* TESSERA_TOPOLOGY_PARTS_H */
