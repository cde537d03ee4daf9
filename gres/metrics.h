/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's state as Prometheus reads it: the text format, version 0.0.4. What is not known has no sample.
 */
#ifndef TESSERA_METRICS_H
#define TESSERA_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "gres/health_view.h"
#include "gres/survey.h"

#define METRICS_STATES 7 /* that a V-IPU partition can be in */

struct metrics {
	const struct node *node;
	const struct survey *survey;      /* NULL: the node's files could not be read */
	const struct health_view *health; /* NULL: the same of what is known of its health */
	bool asked;                       /* the node has a V-IPU controller that can be asked */
	bool answered;                    /* and it said what partitions there are */
	unsigned partitions[METRICS_STATES];
};

/* Count a partition in that state. */
void metrics_count_partition(struct metrics *m, const char *state);

void metrics_print(FILE *out, const struct metrics *m);

#endif /* TESSERA_METRICS_H */
