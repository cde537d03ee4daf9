/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sntilestat, SambaNova's view of a node's tiles, prints: for each tile how busy it is, and the process that owns it.
 *
 *   TILE                 %idle %exec %pload %aload %chkpt %quiesce    PID     USER COMMAND
 *   /XRDU_0/RDU_0/TILE_0   8.0  91.6    0.3    0.1    0.0      0.0 2750333  vsastry /opt/sambaflow/apps/nlp/tr
 *   /XRDU_0/RDU_0/TILE_1 100.0   0.0    0.0    0.0    0.0      0.0
 *
 * A tile is owned when there is a PID. %idle says nothing of that: an owner may compute on the host for a while. Not
 * installed: for the tessera command.
 */
#ifndef TESSERA_SNTILESTAT_H
#define TESSERA_SNTILESTAT_H

#include <sys/types.h>

#include "error.h"
#include "platform.h"
#include "tileset.h"

struct sntilestat {
	struct tessera_tileset told;    /* the tiles that it told of; nothing is known of others */
	pid_t owner[TESSERA_TILES_MAX]; /* 0: none */
};

/*
 * Read TEXT, which sntilestat printed on a node of platform P: its table, or the same with commas. Columns are found by
 * the head above the first row; a time before the tile, lines that a long COMMAND was wrapped into, and blank lines are
 * passed over. COMMAND is any user's text: a line behind an owned row that is not a valid row is taken for the rest of one,
 * a head there too, and a tile whose rows differ is unknown. So of several tables (-i, --count) only what they agree on is
 * known. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when it was not understood: no head, no tile, a tile that P does not
 * have, a row that has not as many columns or its tile in another one, a last line without an end.
 */
int sntilestat_read(const char *text, const struct tessera_platform *p, struct sntilestat *stat,
		    struct tessera_error *err);

#endif /* TESSERA_SNTILESTAT_H */
