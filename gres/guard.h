/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that use a node's accelerators, and by what right.
 */
#ifndef TESSERA_GUARD_H
#define TESSERA_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/holders.h"
#include "plugin/node.h"

/* One for each process; for one that uses several partitions, one for each of these. */
struct guard_item {
	struct holder process;
	char partition[128]; /* whose IPUs it is attached to, as gc-monitor says; "" if it does not */
	uint32_t job;        /* whose process it is, as slurmd says; 0: no job's */
	bool right;          /* it may, for all that is known */
	bool unknown;        /* nobody could say */
	/*
	 * "member": slurmd knows it as part of a job that has tiles or IPUs here; "service": root's, and no job's; or what
	 * grant_verdict() says of its grant. Of all but services: "outside" if it uses, or was started to use, what was not
	 * granted, and "unknown" if what it was started with could not be read.
	 */
	const char *verdict;
	char text[sizeof(((struct tessera_error *)0)->text)]; /* what is wrong; "": nothing */
};

struct guard {
	struct guard_item *items;
	size_t count;
	struct tessera_error incomplete; /* why there may be more; code 0: there are not */
};

/*
 * Look who uses the tiles and IPUs of NODE, which is of CLUSTER, and judge each. PROC is "/proc", or what a test puts in its
 * place. Who has a tile open is looked for SECONDS
 * long at most. After as long daemons that do not answer are not asked any more, and no more environments are read when that
 * has taken as long: what they could have said is not known. Returns 0, also when only some were found, or -1 with ERR when
 * it could not be looked. GUARD is to be freed in either case.
 */
int guard_look(const struct node *node, const char *cluster, const char *proc, unsigned seconds,
	       struct guard *guard, struct tessera_error *err);

/*
 * What is to be said of all together: TESSERA_ERR_INPUT if one may not, which is known whatever else is not;
 * TESSERA_ERR_MISSING if one could not be judged or there may be more; TESSERA_OK.
 */
enum tessera_errcode guard_verdict(const struct guard *guard);

void guard_free(struct guard *guard);

#endif /* TESSERA_GUARD_H */
