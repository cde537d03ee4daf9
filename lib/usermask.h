/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mask that the user exported: whether it counts, and for what.
 */
#ifndef TESSERA_USERMASK_H
#define TESSERA_USERMASK_H

#include "conf.h"
#include "error.h"
#include "place.h"
#include "tileset.h"

/*
 * TILES is what a task was granted, MASK the text of the user's SF_RNT_TILE_AFFINITY, or NULL. With POLICY narrow, a
 * mask inside the grant replaces TILES; ignore leaves them. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and TILES
 * untouched: the mask is refused, is none, or names tiles outside the grant (the sentence names them and, through
 * HOLDER and its ARG, who holds the first; HOLDER may be NULL).
 */
int tessera_usermask_apply(const struct tessera_platform *p, enum tessera_user_mask policy, const char *mask,
			   struct tessera_tileset *tiles, tessera_holder_fn holder, void *arg,
			   struct tessera_error *err);

#endif /* TESSERA_USERMASK_H */
