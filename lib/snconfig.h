/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `snconfig show Node dynamic`, SambaNova's view of a node in lines "Key: value", prints. Its words for a tile's state
 * are not documented, so the site says which text means bad and which good (SnconfigBad, SnconfigGood). Not installed:
 * for the tessera command.
 *
 *   Platform Name: DataScale SN30-8
 *       XRDU Name: XRDU_0
 *           RDU name: RDU_0
 *               TILE Name: TILE_0
 *                   State: perfect
 *               PCIE Name: PCIE_0
 *
 * A line is about the tile, or else the RDU or XRDU, whose heading stands above it (not about a PCIE or a DIMM), or
 * about the tiles whose path it has in it.
 */
#ifndef TESSERA_SNCONFIG_H
#define TESSERA_SNCONFIG_H

#include "error.h"
#include "health.h"

/*
 * Read TEXT into SOURCE's known and bad tiles and its text, which has the line of each bad one; its name and time stay.
 * BAD or GOOD in a line, as it is written, makes its tiles so; BAD if both are there ("not perfect"). GOOD "" means
 * every tile that has a heading or a line. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and no tiles: neither text is
 * set, no tile was found or called good or bad, another platform, a tile that the platform does not have or that
 * stands below no RDU, a line without an end.
 */
int snconfig_read(const char *text, const struct tessera_platform *p, const char *bad, const char *good,
		  struct tessera_health_source *source, struct tessera_error *err);

#endif /* TESSERA_SNCONFIG_H */
