/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compute node that root's code runs on: its name, platform, configuration and StateDir. */
#ifndef TESSERA_NODE_H
#define TESSERA_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/conf/conf.h"
#include "lib/state/failure.h"
#include "lib/state/ledger.h"
#include "lib/util/error.h"

/* for the ledger's lock, which is held for milliseconds */
#define NODE_LOCK_WAIT_MS 5000

/* lib/ does not print: the plugin logs through Slurm, the command to standard error. */
enum node_log { NODE_ERROR, NODE_INFO, NODE_VERBOSE };
typedef void (*node_log_fn)(enum node_log level, const char *text);

struct node {
	char name[256];
	struct tessera_conf *conf;
	char conf_path[1024];
	const struct tessera_platform *platform; /* NULL: the node has no tiles, and no ledger */
	const struct tessera_platform *ipus;     /* the IPU pool it is a host of; NULL: none */
	const struct tessera_vipu_site *site;    /* the pool's V-IPU controller; NULL: none */
	bool has_state;                          /* dir is set: jobs may have state on this node */
	char dir[512];                           /* StateDir: the ledger and the job records */
	/*
	 * Directory for a prolog's failure if tessera.conf, which names dir, cannot be read; NULL:
	 * none
	 */
	const char *spare_dir;
	node_log_fn log; /* NULL: nothing is logged */
	int64_t opened;  /* start of the prolog or epilog, as deadline.h counts */
	pid_t parent;    /* slurmd, for a prolog or an epilog */
};

/*
 * Read tessera.conf at CONF_PATH, which root must own, for the node NAME; LOG may be NULL. Call
 * node_close() in either case. Returns 0, or -1 with ERR.
 */
int node_open(struct node *node, const char *name, const char *conf_path, node_log_fn log,
	      struct tessera_error *err);

void node_close(struct node *node);

/* Write one line, without the prefix "tessera:", to the node's log. */
void node_log(const struct node *node, enum node_log level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Did the parent end since the node was opened? Without slurmd no epilog follows a prolog. */
bool node_orphaned(const struct node *node);

/*
 * Record in StateDir that the prolog failed, and WHY. Otherwise the job's steps would take the
 * missing row as a job without tiles; with it they query slurmctld.
 */
void node_mark_failed(const struct node *node, uint32_t job, const struct tessera_error *why);

/* Remove that record. */
void node_unmark_failed(const struct node *node, uint32_t job);

/*
 * Why the prolog failed: what it recorded, or what is wrong with StateDir, so that it could not
 * record anything. Returns 0 with *F, or 1 if neither shows a failure.
 */
int node_read_failure(const struct node *node, uint32_t job, struct failure *f);

/* The node's name from the environment that slurmd sets; NULL if it is not there. */
const char *node_name(void);

/*
 * The tiles that are bad, and those whose health is unknown and which tessera.conf therefore does
 * not allow, by the health and marks files as they are now. Logs, once, a file that cannot be read,
 * and ignores it. The node must have tiles.
 */
void node_unusable_tiles(const struct node *node, struct tessera_tileset *bad,
			 struct tessera_tileset *unknown);

#endif /* TESSERA_NODE_H */
