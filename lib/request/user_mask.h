/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy for a mask that the user exported in SF_RNT_TILE_AFFINITY.
 */
#ifndef TESSERA_USER_MASK_H
#define TESSERA_USER_MASK_H

#include "../conf/conf.h"
#include "../tile/place.h"
#include "../tile/tileset.h"
#include "../util/error.h"

/*
 * Apply MASK, the user's SF_RNT_TILE_AFFINITY or NULL, to TILES, the tiles allocated to a task.
 * With POLICY narrow, a mask within TILES replaces TILES; with ignore, TILES stays. Returns 0, or
 * -1 with ERR (TESSERA_ERR_INPUT) and TILES unchanged: the site refuses masks, the mask is not
 * valid, or it names tiles that are not in TILES. The message lists these and, if OWNER is not
 * NULL, the owner of the first, from OWNER with ARG.
 */
int tessera_user_mask_apply(const struct tessera_platform *p, enum tessera_user_mask policy,
			    const char *mask, struct tessera_tileset *tiles, tessera_owner_fn owner,
			    void *arg, struct tessera_error *err);

#endif /* TESSERA_USER_MASK_H */
