/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unasked of tessera.conf: what happens to jobs that request no tiles in a partition with tiles.
 * slurmctld decides when a job is submitted or updated, slurmstepd when its tasks start. Not
 * installed: for the plugins and the command.
 */
#ifndef TESSERA_UNASKED_H
#define TESSERA_UNASKED_H

#include <stdbool.h>

#include "lib/conf/conf.h"
#include "lib/request/request.h"
#include "lib/util/error.h"

/* What a job's options say about tiles; both false if they say nothing. */
struct unasked {
	bool tiles; /* requests tiles, by GRES or by an option */
	bool none;  /* explicitly requests none: --gres=none, --gres=rdu:0 */
};

/* Read OPT. Slurm's clients do not send --gres=none to slurmctld. */
struct unasked unasked_read(const struct tessera_options *opt);

enum unasked_act {
	UNASKED_PASS = 0, /* accept the request unchanged */
	UNASKED_ADD = 1,  /* add the partition's Default */
	UNASKED_TELL = 2, /* accept it, and inform the user that its tasks have an empty mask */
};

struct unasked_decision {
	enum unasked_act act;
	/* the partition's Default, "rdu:1", to add or to recommend; of CONF; NULL with PASS */
	const char *gres;
};

/*
 * Decide about a request for PARTITIONS: Slurm's list "a,b", or NULL if unknown; then the decision
 * is PASS unless all partitions of tessera.conf agree. Partitions without tiles, and those not in
 * tessera.conf, accept requests unchanged. Returns 0 with *DECISION, or -1 with ERR
 * (TESSERA_ERR_INPUT): a partition refuses such jobs, or no Default can be added because the
 * partitions differ.
 */
int unasked_decide(const struct tessera_conf *conf, const char *partitions,
		   const struct unasked *asked, struct unasked_decision *decision,
		   struct tessera_error *err);

/*
 * Append to GRES, which may be NULL, the items of the Default MORE that it does not name, each with
 * PREFIX ("gres:" in slurmctld). Returns a new text, which the caller frees, or NULL when out of
 * memory.
 */
char *unasked_add(const char *gres, const char *more, const char *prefix);

/*
 * Must a task without tiles get an empty mask on a node of PLATFORM, in a job of PARTITIONS (as
 * above)? Yes unless Unasked = leave: a job that bypassed the decision above must not use other
 * jobs' tiles either. PLATFORM is of CONF; NULL: the node has no tiles.
 */
bool unasked_masks(const struct tessera_conf *conf, const char *partitions,
		   const struct tessera_platform *platform);

#endif /* TESSERA_UNASKED_H */
