/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugin/health.h"

void health_unusable(const struct node *node, struct tessera_tileset *tiles)
{
	(void)node;
	tessera_tileset_clear(tiles);
}
