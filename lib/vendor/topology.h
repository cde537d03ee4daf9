/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA locality of RDUs and cores, from hwloc and tessera.conf. Not installed, and not in the core
 * library: nothing that Slurm loads may link hwloc.
 */
#ifndef TESSERA_TOPOLOGY_H
#define TESSERA_TOPOLOGY_H

#include "lib/state/locality_table.h"
#include "lib/tile/platform.h"
#include "lib/util/error.h"

/* Where the topology comes from; both NULL: this machine. */
struct topology_source {
	const char *xml;       /* a file that lstopo wrote */
	const char *synthetic; /* "pack:2 numa:1 core:64 pu:1", as hwloc(7) has it */
};

/*
 * Fill the locality table of P's RDUs, except for its boot ID. The RDUs are at the NUMA nodes that
 * Numa lists; else at the only NUMA node, if there is one; else where the PCI devices of PciId are,
 * in the order of their bus numbers.
 *
 * Returns 0; 1 with WHY if the location of the RDUs is unknown, and the table has no lines for
 * them: TESSERA_ERR_UNAVAILABLE if tessera.conf has neither Numa nor PciId, TESSERA_ERR_INPUT if
 * they do not fit the machine; or -1 with WHY if hwloc cannot read the topology.
 */
int topology_read(const struct topology_source *from, const struct tessera_platform *p,
		  struct tessera_locality *l, struct tessera_error *why);

/* A node's CPUs, in the terms of slurm.conf. */
struct topology_shape {
	unsigned sockets;
	unsigned cores;   /* per socket */
	unsigned threads; /* per core */
};

/* Returns 0, or -1 if sockets or cores differ, or hwloc cannot read the topology. */
int topology_shape(const struct topology_source *from, struct topology_shape *shape);

#endif /* TESSERA_TOPOLOGY_H */
