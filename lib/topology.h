/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which RDUs are near which cores, as hwloc and tessera.conf say. Not installed, and not in the core: it brings hwloc, which
 * nothing that Slurm loads shall.
 */
#ifndef TESSERA_TOPOLOGY_H
#define TESSERA_TOPOLOGY_H

#include "error.h"
#include "locality_parts.h"
#include "platform.h"

/* Where the topology comes from; both NULL: this machine. */
struct topology_source {
	const char *xml;       /* a file that lstopo wrote */
	const char *synthetic; /* "pack:2 numa:1 core:64 pu:1", as hwloc(7) has it */
};

/*
 * Make a table of P's RDUs, except for its boot. They are at the NUMA nodes that Numa names; otherwise, where there is
 * only one, at that; otherwise where the PCI devices of PciId are, in the order of their bus numbers.
 *
 * Returns 0; 1 with WHY when nothing is known of the RDUs, and the table has no lines for them: TESSERA_ERR_MISSING if
 * nobody says where they are, TESSERA_ERR_INPUT if what is said does not fit the machine; or -1 with WHY when the topology
 * cannot be had.
 */
int topology_read(const struct topology_source *from, const struct tessera_platform *p, struct tessera_locality *l,
		  struct tessera_error *why);

/* What slurm.conf says of a node's CPUs. */
struct topology_shape {
	unsigned sockets;
	unsigned cores;   /* of a socket */
	unsigned threads; /* of a core */
};

/* Returns 0, or -1 when sockets or cores are not all alike, or there is no topology. */
int topology_shape(const struct topology_source *from, struct topology_shape *shape);

#endif /* TESSERA_TOPOLOGY_H */
