/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of grants: what needs libmunge, and what tiles a mask may name. Not installed: for libtessera, for
 * tessera_grant.so and for the command.
 */
#ifndef TESSERA_GRANT_PARTS_H
#define TESSERA_GRANT_PARTS_H

#include <stdint.h>

#include "lib/error.h"
#include "lib/platform.h"
#include "lib/tileset.h"

#define GRANT_CREDENTIAL_MAX 65536 /* far more than any of ours has; what is longer is none */

/*
 * A credential with TEXT in it, to be freed. It says that whoever calls this made it. NULL with ERR
 * (TESSERA_ERR_MISSING) when munged at SOCKET gives none.
 */
char *grant_munge_encode(const char *text, const char *socket, struct tessera_error *err);

/*
 * *TEXT becomes what is in CREDENTIAL, to be freed, and *UID who made it. Returns 0, or -1 with ERR: TESSERA_ERR_FORGED
 * when it is none, TESSERA_ERR_ALTERED, or TESSERA_ERR_MISSING when munged gives no answer.
 */
int grant_munge_decode(const char *credential, const char *socket, char **text, uint32_t *uid,
		       struct tessera_error *err);

/*
 * May who was granted TILES, of which there is one at least, have MASK for SF_RNT_TILE_AFFINITY? Returns 0, or -1 with ERR
 * (TESSERA_ERR_OUTSIDE): it is none, or names other tiles.
 */
int grant_check_mask(const struct tessera_platform *p, const char *mask, const struct tessera_tileset *tiles,
		     struct tessera_error *err);

#endif /* TESSERA_GRANT_PARTS_H */
