/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What commands say of a table of closeness.
 */
#ifndef TESSERA_NEARNESS_H
#define TESSERA_NEARNESS_H

#include "lib/locality_parts.h"
#include "lib/platform.h"
#include "lib/tileset.h"

/* "0-63,128", to be freed; NULL when out of memory. */
char *nearness_set(const struct tessera_cpuset *set);

/* The tiles of the RDUs to which no NUMA node is nearer than the one at NUMA in the table. */
void nearness_rdus(const struct tessera_platform *p, const struct tessera_locality *l, unsigned numa,
		   struct tessera_tileset *tiles);

#endif /* TESSERA_NEARNESS_H */
