/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of SambaNova's `snfadm -l inventory`, plain or with --csv: a node's components
 * and their states. Not installed: for the tessera command.
 *
 *   Platform: DataScale SN30-8
 *
 *   Physical Inventory:
 *   Component Name | Serial Number | Inventory State | Functional State
 *   ---------------------------------------------------------------------------------
 *   /NODE/XRDU_0/RDU_0         | 306004356D2D5895 | Present | Online
 *   /NODE/XRDU_0/RDU_0/TILE_0  | N/A | Present | Online
 *
 * The header line names the columns, which | or commas separate; values may be quoted. Only RDUs
 * and tiles count: a healthy one is Present and Online, literally. Other components may be Absent,
 * such as a port without a cable.
 */
#ifndef TESSERA_SNFADM_H
#define TESSERA_SNFADM_H

#include "lib/state/health.h"
#include "lib/util/error.h"

/*
 * Parse TEXT into SOURCE's known and bad tiles and its text, which names the bad ones and their
 * states; its name and time are left as they are. The tiles of an RDU that is not healthy are bad.
 * A tile is unknown if it or its RDU is not listed. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT)
 * and no tiles: no header line, no tile, another platform, a tile that the platform does not have,
 * a row with fewer columns than the header, an incomplete last line.
 */
int snfadm_read(const char *text, const struct tessera_platform *p,
		struct tessera_health_source *source, struct tessera_error *err);

#endif /* TESSERA_SNFADM_H */
