/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a prolog or an epilog may wait for something: Slurm takes away a node where it had to end one.
 */
#ifndef TESSERA_TIME_LEFT_H
#define TESSERA_TIME_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/node.h"

/* Points in time, as deadline.h counts. */
struct time_left {
	int64_t end;       /* of waiting */
	int64_t ask_until; /* slurmctld may be asked something meanwhile: its answer, too, takes time */
};

/*
 * SECONDS from now, or what Slurm leaves of them since NODE was opened, with some to spare. Returns 0, or -1 with both
 * over if Slurm does not say how long we may take: then nothing is waited for. slurmd gives its prologs and epilogs its
 * configuration; only where that is missing slurmctld is asked.
 */
int time_left_find(const struct node *node, unsigned seconds, struct time_left *left);

/* In a prolog or epilog: would slurmctld's answer to one more question come before Slurm ends us, however late it is? */
bool time_left_to_ask(const struct node *node);

#endif /* TESSERA_TIME_LEFT_H */
