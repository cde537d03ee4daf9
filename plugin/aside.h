/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that slurmd, while it starts, has no time to wait for.
 */
#ifndef TESSERA_ASIDE_H
#define TESSERA_ASIDE_H

#include "plugin/node.h"

/* Do WORK in a process of its own, which nobody waits for: slurmctld may be down, and slurmd must listen soon. */
void aside_do(void (*work)(const struct node *node), const struct node *node);

#endif /* TESSERA_ASIDE_H */
