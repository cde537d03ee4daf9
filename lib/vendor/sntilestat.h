/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of SambaNova's sntilestat: for each tile how busy it is, and the process that
 * owns it.
 *
 *   TILE                 %idle %exec %pload %aload %chkpt %quiesce    PID     USER COMMAND
 *   /XRDU_0/RDU_0/TILE_0   8.0  91.6    0.3    0.1    0.0      0.0 2750333  ann /opt/sambaflow/apps
 *   /XRDU_0/RDU_0/TILE_1 100.0   0.0    0.0    0.0    0.0      0.0
 *
 * A tile is owned if its row has a PID, even if it is idle: its owner may be computing on the host.
 * Not installed: for the tessera command.
 */
#ifndef TESSERA_SNTILESTAT_H
#define TESSERA_SNTILESTAT_H

#include <sys/types.h>

#include "lib/tile/platform.h"
#include "lib/tile/tileset.h"
#include "lib/util/error.h"

struct sntilestat {
	struct tessera_tileset listed;  /* the others are unknown */
	pid_t owner[TESSERA_TILES_MAX]; /* 0: none */
};

/*
 * Parse TEXT, which sntilestat printed on a node of platform P: its table, or the same with commas.
 * The header line above the first row defines the columns; a time before the tile, the rest of a
 * wrapped COMMAND and empty lines are ignored. COMMAND is text that any user can choose: a line
 * after an owned row that is not a valid row is taken for the rest of a COMMAND, even if it looks
 * like a header, and a tile whose rows differ is unknown. So of several tables (-i, --count) only
 * what they agree on is known. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): no header line, no
 * tile, a tile that P does not have, a row with fewer columns or with its tile in another column,
 * an incomplete last line.
 */
int sntilestat_read(const char *text, const struct tessera_platform *p, struct sntilestat *stat,
		    struct tessera_error *err);

#endif /* TESSERA_SNTILESTAT_H */
