/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a prolog or an epilog may wait: Slurm drains a node where it had to kill one. */
#ifndef TESSERA_PROLOG_TIME_H
#define TESSERA_PROLOG_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/node/node.h"

/* Deadlines, as deadline.h counts. */
struct prolog_time {
	int64_t end; /* of waiting */
	/* a query to slurmctld that is sent before this is answered, or times out, before END */
	int64_t ask_until;
};

/*
 * SECONDS from now, or what Slurm's time limit leaves of them since NODE was opened, less a margin.
 * Returns 0; or -1 with both deadlines passed if the limit is not known, so that callers do not
 * wait. The limit comes from the configuration that slurmd passes to its prologs and epilogs;
 * slurmctld is queried only if that is missing.
 */
int prolog_time_find(const struct node *node, unsigned seconds, struct prolog_time *left);

/*
 * In a prolog or epilog: is there time for one more query to slurmctld, even if it times out?
 */
bool prolog_time_to_ask(const struct node *node);

#endif /* TESSERA_PROLOG_TIME_H */
