/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that use a node's accelerators, and whether they are authorized.
 */
#ifndef TESSERA_GUARD_H
#define TESSERA_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/node/device_users.h"
#include "lib/node/node.h"
#include "lib/util/error.h"

/* One per process, or one per partition for a process that uses several. */
struct guard_item {
	struct device_user process;
	char partition[128]; /* of the IPUs that it uses, from gc-monitor; "": unknown */
	uint32_t job;        /* from slurmd; 0: none */
	bool right;          /* authorized */
	bool unknown;        /* could not be checked */
	/*
	 * "member": belongs to a job that holds tiles or IPUs here; "service": root's, and outside
	 * any job; or grant_verdict() of its grant. Except for services: "outside" if it uses, or
	 * was started to use, what was not granted, and "unknown" if its environment could not be
	 * read.
	 */
	const char *verdict;
	char text[sizeof(((struct tessera_error *)0)->text)]; /* what is wrong; "": nothing */
};

struct guard {
	struct guard_item *items;
	size_t count;
	struct tessera_error incomplete; /* why there may be more; code 0: the list is complete */
};

/*
 * Find the processes that use the tiles and IPUs of NODE in CLUSTER, and check each. PROC is
 * "/proc", or a test's substitute. SECONDS limits three things separately: the search for open
 * devices, the time in which daemons that do not respond are queried again, and the time to read
 * environments. Returns 0, also if the list is incomplete, or -1 with ERR if nothing could be
 * found. Free GUARD with guard_free() in either case.
 */
int guard_look(const struct node *node, const char *cluster, const char *proc, unsigned seconds,
	       struct guard *guard, struct tessera_error *err);

/*
 * The exit code: TESSERA_ERR_INPUT if a process is unauthorized; else TESSERA_ERR_UNAVAILABLE if
 * one could not be checked or the list is incomplete; else TESSERA_OK.
 */
enum tessera_errcode guard_verdict(const struct guard *guard);

void guard_free(struct guard *guard);

#endif /* TESSERA_GUARD_H */
