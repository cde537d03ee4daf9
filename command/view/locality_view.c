/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "command/view/locality_view.h"

char *locality_view_set(const struct tessera_cpuset *set)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	locality_print_set(out, set);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static bool is_nearest(const struct tessera_locality *l, unsigned rdu, unsigned numa)
{
	for (unsigned i = 0; i < l->numas; i++)
		if (l->distance[rdu][i] < l->distance[rdu][numa])
			return false;
	return true;
}

void locality_view_rdus(const struct tessera_platform *p, const struct tessera_locality *l,
			unsigned numa, struct tessera_tileset *tiles)
{
	tessera_tileset_clear(tiles);
	for (unsigned rdu = 0; (rdu = tessera_tileset_next(&l->rdus, rdu)) < TESSERA_TILES_MAX;
	     rdu++)
		if (is_nearest(l, rdu, numa))
			tessera_tileset_add_range(tiles, rdu * p->tiles_per_rdu, p->tiles_per_rdu);
}
