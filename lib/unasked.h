/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that ask for no tiles in a partition that has tiles: what Unasked of tessera.conf makes of them. slurmctld decides
 * when a job comes in or is changed, slurmd's processes when its tasks start. Not installed: for the plugins.
 */
#ifndef TESSERA_UNASKED_H
#define TESSERA_UNASKED_H

#include <stdbool.h>

#include "conf.h"
#include "error.h"
#include "request.h"

/* What a job says of tiles. Neither: it says nothing. */
struct unasked {
	bool tiles; /* asks for some, by GRES or by an option */
	bool none;  /* says that it wants none: --gres=none, --gres=rdu:0 */
};

/* What OPT says. Slurm's clients drop --gres=none from what they send. */
struct unasked unasked_read(const struct tessera_options *opt);

enum unasked_act {
	UNASKED_PASS = 0, /* leave the request as it is */
	UNASKED_ADD = 1,  /* it shall ask for the partition's Default */
	UNASKED_TELL = 2, /* leave it, and tell the user that its tasks find an empty mask */
};

struct unasked_decision {
	enum unasked_act act;
	const char *
		gres; /* Default of the partition, "rdu:1": to add, or to recommend. Owned by CONF; NULL with PASS */
};

/*
 * What becomes of a request for PARTITIONS: Slurm's list "a,b", or NULL if nobody knows where the job goes, which is
 * decided only where all partitions of the file agree. Partitions without tiles, and those that the file does not name,
 * leave requests as they are. Returns 0 with *DECISION, or -1 with ERR (TESSERA_ERR_INPUT): a partition refuses such jobs,
 * or a Default cannot be added because the partitions differ.
 */
int unasked_decide(const struct tessera_conf *conf, const char *partitions, const struct unasked *asked,
		   struct unasked_decision *decision, struct tessera_error *err);

/*
 * GRES, which may be NULL, with all of the Default MORE that it does not name; each item of that has PREFIX before it, as
 * slurmctld wants to see ("gres:"). Returns what is to be freed with free(), or NULL when out of memory.
 */
char *unasked_add(const char *gres, const char *more, const char *prefix);

/*
 * Does a task without tiles on a node of PLATFORM find an empty mask, in a job of PARTITIONS (as above)? Only leave
 * leaves its environment alone: whatever came past the decision above must not use tiles of others either. PLATFORM is
 * CONF's, NULL: the node has no tiles.
 */
bool unasked_masks(const struct tessera_conf *conf, const char *partitions,
		   const struct tessera_platform *platform);

#endif /* TESSERA_UNASKED_H */
