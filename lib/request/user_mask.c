/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/request/user_mask.h"

#define LIST_MAX 160

static int refuse_foreign(const struct tessera_platform *p, const struct tessera_tileset *foreign,
			  const struct tessera_tileset *tiles, const char *mask,
			  const char *held_by, struct tessera_error *err)
{
	char named[LIST_MAX], allocated[LIST_MAX];

	tessera_tileset_format(p, foreign, TESSERA_FORM_RDUS, named, sizeof(named));
	tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, allocated, sizeof(allocated));
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"SF_RNT_TILE_AFFINITY=%.80s names tiles that are not allocated to this task: %s%s; "
		"it has %s: unset the variable, or ask for the tiles with --tile-affinity",
		mask, named, held_by, allocated);
}

int tessera_user_mask_apply(const struct tessera_platform *p, enum tessera_user_mask policy,
			    const char *mask, struct tessera_tileset *tiles, tessera_owner_fn owner,
			    void *arg, struct tessera_error *err)
{
	struct tessera_tileset wish, foreign;
	char name[128] = "", held_by[160] = "";

	if (mask == NULL || policy == TESSERA_MASK_IGNORE)
		return 0;
	if (policy == TESSERA_MASK_REFUSE)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "SF_RNT_TILE_AFFINITY=%.80s was set by hand, which this "
					 "site does not allow: unset it, or use --tile-affinity",
					 mask);
	if (tessera_tileset_parse(p, mask, &wish, err) < 0)
		return tessera_error_prefix(err, "SF_RNT_TILE_AFFINITY=%.80s", mask);
	if (tessera_tileset_subset(&wish, tiles)) {
		*tiles = wish;
		return 0;
	}
	foreign = wish;
	tessera_tileset_minus(&foreign, tiles);
	if (owner != NULL)
		owner(tessera_tileset_next(&foreign, 0), name, sizeof(name), arg);
	if (name[0] != '\0')
		snprintf(held_by, sizeof(held_by), " (held by %s)", name);
	return refuse_foreign(p, &foreign, tiles, mask, held_by, err);
}
