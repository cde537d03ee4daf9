/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `snfadm -l inventory`, SambaNova's list of a node's components and their states, prints; plain or with --csv.
 * Not installed: for the tessera command.
 *
 *   Platform: DataScale SN30-8
 *
 *   Physical Inventory:
 *   Component Name                        | Serial Number       | Inventory State | Functional State
 *   ------------------------------------------------------------------------------------------------
 *   /NODE/XRDU_0/RDU_0                    | 306004356D2D5895    | Present         | Online
 *   /NODE/XRDU_0/RDU_0/TILE_0             | N/A                 | Present         | Online
 *
 * The head says what the columns are, and whether | or a comma is between them; values may be in quotes. Only RDUs and
 * tiles count: a healthy one is Present and Online, in these words. A port without a cable, say, is Absent and nobody's
 * trouble.
 */
#ifndef TESSERA_SNFADM_H
#define TESSERA_SNFADM_H

#include "error.h"
#include "health.h"

/*
 * Read TEXT into SOURCE's known and bad tiles and its text, which says what of them is in which state; its name and time
 * stay. The tiles of an RDU that is not healthy are bad. A tile that was not told of, or whose RDU was not, is not
 * known. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and no tiles: no head, no tile, another platform, a tile that
 * the platform does not have, a row with fewer columns than the head, a line without an end.
 */
int snfadm_read(const char *text, const struct tessera_platform *p, struct tessera_health_source *source,
		struct tessera_error *err);

#endif /* TESSERA_SNFADM_H */
