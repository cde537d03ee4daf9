/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of SambaNova's tools that tell of bad tiles share: components by their path, and a sentence of what is
 * wrong with them. Not installed: for the tessera command.
 */
#ifndef TESSERA_COMPONENT_H
#define TESSERA_COMPONENT_H

#include <stddef.h>

#include "error.h"
#include "health.h"

/* /NODE/XRDU_3/RDU_0/TILE_5 is a tile, /NODE/XRDU_3/RDU_0 an RDU. Switches, ports, DIMMs and all else concern no tile. */
enum component { COMPONENT_OTHER = 0, COMPONENT_RDU = 1, COMPONENT_TILE = 2 };

/*
 * What LEN bytes of PATH are; *TILES are its tiles, none for others. Returns -1 with ERR (TESSERA_ERR_INPUT) if it is an
 * RDU or a tile that the platform does not have.
 */
int component_read(const struct tessera_platform *p, const char *path, size_t len, struct tessera_tileset *tiles,
		   struct tessera_error *err);

/*
 * TITLE is the platform that the tool says it looked at, or is about to: 0 if it is P, or -1 with ERR
 * (TESSERA_ERR_INPUT).
 */
int component_check_platform(const struct tessera_platform *p, const char *title, size_t len,
			     struct tessera_error *err);

/* Add a remark to what SOURCE says of its bad tiles: "; " between them, and "..." for what does not fit. */
void component_remark(struct tessera_health_source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "3.5" or "rdu6", for a sentence; in BUF, cut to LEN. */
const char *component_name(const struct tessera_platform *p, const struct tessera_tileset *tiles, char *buf,
			   size_t len);

#endif /* TESSERA_COMPONENT_H */
