/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formatting of the locality table.
 */
#ifndef TESSERA_LOCALITY_VIEW_H
#define TESSERA_LOCALITY_VIEW_H

#include "lib/state/locality_table.h"
#include "lib/tile/platform.h"
#include "lib/tile/tileset.h"

/* SET as a list such as "0-63,128", which the caller frees; NULL when out of memory. */
char *locality_view_set(const struct tessera_cpuset *set);

/*
 * Set TILES to those of the RDUs to which no NUMA node is closer than the one with index NUMA in L.
 */
void locality_view_rdus(const struct tessera_platform *p, const struct tessera_locality *l,
			unsigned numa, struct tessera_tileset *tiles);

#endif /* TESSERA_LOCALITY_VIEW_H */
