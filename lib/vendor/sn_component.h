/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parsers of snfadm and snconfig: components by their path, and remarks about bad
 * ones. Not installed: for the tessera command.
 */
#ifndef TESSERA_SN_COMPONENT_H
#define TESSERA_SN_COMPONENT_H

#include <stddef.h>

#include "lib/state/health.h"
#include "lib/util/error.h"

/*
 * /NODE/XRDU_3/RDU_0/TILE_5 is a tile, /NODE/XRDU_3/RDU_0 an RDU. Others, such as switches, ports
 * and DIMMs, have no tiles.
 */
enum component { COMPONENT_OTHER = 0, COMPONENT_RDU = 1, COMPONENT_TILE = 2 };

/*
 * Classify the LEN bytes of PATH and set *TILES to its tiles. Returns an enum component, or -1 with
 * ERR (TESSERA_ERR_INPUT) if it is an RDU or a tile that the platform does not have.
 */
int sn_component_read(const struct tessera_platform *p, const char *path, size_t len,
		      struct tessera_tileset *tiles, struct tessera_error *err);

/*
 * Returns 0 if TITLE, the platform that the tool reports, is P; or -1 with ERR (TESSERA_ERR_INPUT).
 */
int sn_component_check_platform(const struct tessera_platform *p, const char *title, size_t len,
				struct tessera_error *err);

/*
 * Append a remark about bad tiles to SOURCE's text. Remarks are separated by "; "; "..." replaces
 * those that do not fit.
 */
void sn_component_remark(struct tessera_health_source *source, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Format TILES for a message, as "3.5" or "rdu6", into LEN bytes of BUF. Returns BUF. */
const char *sn_component_name(const struct tessera_platform *p, const struct tessera_tileset *tiles,
			      char *buf, size_t len);

#endif /* TESSERA_SN_COMPONENT_H */
