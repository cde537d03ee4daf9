/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Query the vendor tools of tessera.conf for bad tiles and IPUs.
 */
#ifndef TESSERA_HEALTH_POLL_H
#define TESSERA_HEALTH_POLL_H

#include "lib/node/node.h"
#include "lib/state/health.h"

#define HEALTH_SNFADM    "snfadm"
#define HEALTH_SNCONFIG  "snconfig"
#define HEALTH_GCIPUINFO "gcipuinfo"

/*
 * Query all tools of NODE, each for at most HealthWait seconds, and store their results in HEALTH,
 * and in the node's file after each one. If a tool fails, its last result and time remain, its text
 * becomes the error, and TELL is called with it. Results of tools that are no longer configured are
 * dropped. Returns TESSERA_OK, TESSERA_ERR_UNAVAILABLE if a tool failed, or the result of TELL if
 * the file could not be written; then no further tool is queried.
 */
int health_poll(const struct node *node, struct tessera_health *health,
		int (*tell)(const struct tessera_error *));

#endif /* TESSERA_HEALTH_POLL_H */
