/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A map of a node's tiles: XRDUs below each other, their RDUs side by side, one cell per tile.
 *
 *           rdu0              rdu1
 *   XRDU_0  0 0 0 0 1 1 1 1   . . . . . . . .
 */
#ifndef TESSERA_TILEMAP_H
#define TESSERA_TILEMAP_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/tile/platform.h"

struct tilemap_cell {
	char text[12]; /* what the cell shows; all cells become as wide as the widest */
	int colour;    /* 1 to 6; 0: none */
};

/* Print the map. CELLS has an element for each tile of the platform. COLOUR: use colours. */
void tilemap_print(FILE *out, const struct tessera_platform *p, const struct tilemap_cell *cells,
		   bool colour);

/* Can escape sequences be written to OUT? It must be a terminal, and TERM not "dumb". */
bool tilemap_escapes(FILE *out);

/* Can colours be used in OUT? As tilemap_escapes(), and NO_COLOR must not be set. */
bool tilemap_colour(FILE *out);

#endif /* TESSERA_TILEMAP_H */
