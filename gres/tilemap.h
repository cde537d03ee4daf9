/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's tiles as a picture: XRDUs below each other, their RDUs side by side, one cell for each tile.
 *
 *           rdu0              rdu1
 *   XRDU_0  0 0 0 0 1 1 1 1   . . . . . . . .
 */
#ifndef TESSERA_TILEMAP_H
#define TESSERA_TILEMAP_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/platform.h"

struct tilemap_cell {
	char text[12]; /* what the cell shows; all cells become as wide as the widest */
	int colour;    /* 1 to 6; 0: none */
};

/* CELLS has one for each tile of the platform. Colours are used if COLOUR says so. */
void tilemap_print(FILE *out, const struct tessera_platform *p, const struct tilemap_cell *cells, bool colour);

/* Does whoever reads OUT understand escape sequences? It is a terminal, and TERM names one that is not dumb. */
bool tilemap_escapes(FILE *out);

/* And wants colours: NO_COLOR is not set. */
bool tilemap_colour(FILE *out);

#endif /* TESSERA_TILEMAP_H */
