/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asking the tools that tessera.conf names which tiles or IPUs are bad.
 */
#ifndef TESSERA_HEALTH_ASK_H
#define TESSERA_HEALTH_ASK_H

#include "lib/health.h"
#include "plugin/node.h"

#define HEALTH_SNFADM    "snfadm"
#define HEALTH_SNCONFIG  "snconfig"
#define HEALTH_GCIPUINFO "gcipuinfo"

/*
 * Ask all of NODE's, each for HealthWait seconds at most, and put what they say into HEALTH, and into the node's file after
 * each answer. What one that fails said before stays with its time, so that it grows old, and its text becomes why it
 * failed, which is also given to TELL. What is not configured any more is forgotten. Returns TESSERA_OK,
 * TESSERA_ERR_MISSING if one failed, or what TELL made of a file that could not be written; then nobody else is asked.
 */
int health_ask(const struct node *node, struct tessera_health *health, int (*tell)(const struct tessera_error *));

#endif /* TESSERA_HEALTH_ASK_H */
