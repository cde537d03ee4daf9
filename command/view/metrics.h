/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's state in the Prometheus text format, version 0.0.4. Unknown values are omitted.
 */
#ifndef TESSERA_METRICS_H
#define TESSERA_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "command/view/health_view.h"
#include "command/view/occupancy.h"

#define METRICS_STATES 7 /* states of a V-IPU partition */

struct metrics {
	const struct node *node;
	const struct occupancy *occupancy; /* NULL: the node's files could not be read */
	const struct health_view *health;  /* NULL: the health files could not be read */
	bool asked;                        /* the node has a V-IPU controller */
	bool answered;                     /* the controller listed its partitions */
	unsigned partitions[METRICS_STATES];
};

/* Count a partition in STATE, which is a name from tessera-vipu. */
void metrics_count_partition(struct metrics *m, const char *state);

void metrics_print(FILE *out, const struct metrics *m);

#endif /* TESSERA_METRICS_H */
