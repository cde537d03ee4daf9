/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the node's tiles are not to be handed out, whoever holds them.
 */
#ifndef TESSERA_PLUGIN_HEALTH_H
#define TESSERA_PLUGIN_HEALTH_H

#include "plugin/node.h"

/*
 * As the node's files say it now: tiles that are bad, and tiles of which too little is known for tessera.conf. What cannot be
 * read is logged, once, and says nothing. The node must have tiles.
 */
void health_unusable(const struct node *node, struct tessera_tileset *bad, struct tessera_tileset *unknown);

#endif /* TESSERA_PLUGIN_HEALTH_H */
