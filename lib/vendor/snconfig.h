/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of SambaNova's `snconfig show Node dynamic`, lines of "Key: value". Its words
 * for a tile's state are not documented, so tessera.conf says which text means bad and which good
 * (SnconfigBad, SnconfigGood). Not installed: for the tessera command.
 *
 *   Platform Name: DataScale SN30-8
 *       XRDU Name: XRDU_0
 *           RDU name: RDU_0
 *               TILE Name: TILE_0
 *                   State: perfect
 *               PCIE Name: PCIE_0
 *
 * A line describes the tiles whose path it contains. Otherwise it describes the tile, RDU or XRDU
 * of the last heading above it; below the heading of a PCIE or a DIMM it describes no tile.
 */
#ifndef TESSERA_SNCONFIG_H
#define TESSERA_SNCONFIG_H

#include "lib/state/health.h"
#include "lib/util/error.h"

/*
 * Parse TEXT into SOURCE's known and bad tiles and its text, which quotes the line of each bad one;
 * its name and time are left as they are. A line that contains BAD, literally, makes its tiles bad;
 * one that contains GOOD but not BAD makes them known. If GOOD is "", every tile that has a heading
 * or a line is known. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and no tiles: BAD and GOOD are
 * both "", no tile is known, the platform is another one, a tile is not on the platform or not
 * below an RDU, or the last line is incomplete.
 */
int snconfig_read(const char *text, const struct tessera_platform *p, const char *bad,
		  const char *good, struct tessera_health_source *source,
		  struct tessera_error *err);

#endif /* TESSERA_SNCONFIG_H */
