/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the node's tiles are not to be handed out, whoever holds them.
 */
#ifndef TESSERA_PLUGIN_HEALTH_H
#define TESSERA_PLUGIN_HEALTH_H

#include "plugin/node.h"

/* As the node's files say it now. A file that cannot be read is logged, once. The node must have tiles. */
void health_unusable(const struct node *node, struct tessera_tileset *tiles);

#endif /* TESSERA_PLUGIN_HEALTH_H */
