/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tiles of jobs that have ended while processes of their users still hold the device: they are not for the next job.
 */
#ifndef TESSERA_STALE_H
#define TESSERA_STALE_H

#include "plugin/node.h"

/*
 * The tiles that are kept back for want of their holders' end: give those back whose holders are gone by now. Cheap when
 * none are kept back: it reads the ledger. Troubles are logged. The node must have tiles.
 */
void stale_review(const struct node *node);

#endif /* TESSERA_STALE_H */
