/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/ledger.h"

static bool has_tiles(const struct tessera_row *row)
{
	return row->state == TESSERA_ROW_HELD;
}

enum tessera_claim tessera_row_claim(const struct tessera_row *now, const struct tessera_row *run, unsigned tiles,
				     const struct tessera_tileset *wish)
{
	if (now == NULL)
		return TESSERA_CLAIM_FREE;
	if (now->uid != run->uid || now->restarts > run->restarts)
		return TESSERA_CLAIM_OTHER;
	if (!has_tiles(now))
		return TESSERA_CLAIM_FREE;
	if (now->restarts == run->restarts && tessera_tileset_count(&now->tiles) == tiles &&
	    (wish == NULL || tessera_tileset_equal(wish, &now->tiles)))
		return TESSERA_CLAIM_KEEP;
	return TESSERA_CLAIM_OTHER;
}
