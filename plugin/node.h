/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compute node that root code runs on: its name, its platform, and where its ledger is.
 */
#ifndef TESSERA_NODE_H
#define TESSERA_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/conf.h"
#include "lib/error.h"
#include "lib/failure.h"
#include "lib/ledger.h"

#define NODE_LOCK_WAIT_MS 5000 /* for the ledger's lock, which nobody holds for more than a moment */

struct node {
	char name[256];
	struct tessera_conf *conf;
	char conf_path[1024];
	const struct tessera_platform *platform; /* NULL: the node has no tiles; then there is no ledger */
	const struct tessera_platform *ipus;     /* the pool that it is a host of; NULL: none */
	const struct tessera_vipu_site *site;    /* the pool's controller; NULL: tessera.conf names none */
	bool keeps;                              /* what jobs have on it may be written down in dir */
	char dir[512];                           /* of the ledger, and of what jobs hold besides tiles */
	const char *voice; /* before what is logged: the command's name is put there by Slurm */
	int64_t opened;    /* when, as deadline.h counts: the prolog's or epilog's beginning */
	pid_t parent;      /* slurmd, for a prolog or an epilog */
};

/*
 * Find out where we are. The name is the one that slurmd put into its own processes' environment, which no job can
 * change; slurmd itself, while it starts, is asked in another way. Reads tessera.conf, which must be root's. To be
 * given back with node_close() in either case. Returns 0, or -1 with ERR.
 */
int node_open(struct node *node, int argc, char **argv, struct tessera_error *err);

/* The same for who knows the node's name and the file. */
int node_open_as(struct node *node, const char *name, const char *conf_path, struct tessera_error *err);

void node_close(struct node *node);

/* Did our parent end since the node was opened? Without slurmd no epilog follows a prolog. */
bool node_orphaned(const struct node *node);

/*
 * The prolog could not do its work: write down WHY in the state directory, so that the job's steps query slurmctld
 * instead of taking a missing row for a job that asked for nothing. And forget it.
 */
void node_mark_failed(const struct node *node, uint32_t job, const struct tessera_error *why);

/*
 * Where such a mark goes when tessera.conf could not be read, which says where the state directory is: for processes of
 * slurmd, which find it there again. DIR must stay.
 */
void node_use_spare_dir(const char *dir);

void node_unmark_failed(const struct node *node, uint32_t job);

/*
 * Why the prolog could not do its work: what it wrote, or what is wrong with the state directory, where it could not
 * write. Returns 0 with *F, or 1 if neither says anything.
 */
int node_read_failure(const struct node *node, uint32_t job, struct failure *f);

/*
 * slurmd is starting: remember where the ledger is in slurmd's environment, which every slurmstepd inherits, so that
 * a step that asked for nothing need not read tessera.conf. Makes the state directory if it is missing.
 */
void node_remember(int argc, char **argv);

/*
 * In slurmstepd: did slurmd load this plugin when it started? If not, no prolog of ours has run, and nothing that was
 * written says what a job was granted.
 */
bool node_prepared(void);

/*
 * Might JOB have something of ours here? False means no. Cheap: it looks at tessera.conf's time, and on a node that
 * keeps something into its directory, but reads no configuration. True if slurmd remembered nothing, or something else
 * than the file that is there now, if the prolog left a mark, and if it could not have written anything: the state
 * directory is missing, not to be trusted, read-only or full.
 */
bool node_may_hold(uint32_t job);

/* The name of the node as slurmd told its processes; NULL if it did not. */
const char *node_name(void);

#endif /* TESSERA_NODE_H */
