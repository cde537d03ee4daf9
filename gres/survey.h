/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who holds what on a node, as its own files say it, or on all nodes, as slurmctld says it: one list for status and
 * metrics.
 */
#ifndef TESSERA_SURVEY_H
#define TESSERA_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conf.h"
#include "lib/error.h"
#include "lib/ledger.h"
#include "plugin/node.h"

/* Words of a promise: --json and metrics have them. Others are tessera.conf's names of pools. */
#define SURVEY_TILES "tiles"
#define SURVEY_IPUS  "ipus"

#define SURVEY_STALE "stale" /* kept back: the job has ended, its processes still hold the device */

/* States that are not the ledger's or a note's own. */
#define SURVEY_FREE    "free"
#define SURVEY_DAMAGED "damaged" /* there is a note, but it cannot be read: the text says more */
#define SURVEY_OUTSIDE "outside" /* it holds nothing, but samples saw it use something */
#define SURVEY_BAD     "bad"     /* not handed out, whoever holds it: the text says who says so */
#define SURVEY_UNKNOWN "unknown" /* not handed out either, since nobody knows whether it is good */

/* Tiles that slurmctld does not count: which, and whether they are bad, unknown or stale, only the node knows. */
#define SURVEY_WITHHELD "withheld"

/* One thing that a job has on one node, or that nobody has. */
struct survey_item {
	char node[256];                  /* "": no node's, but the whole cluster's */
	char resource[TESSERA_NAME_MAX]; /* tiles, ipus, or a pool's name */
	uint32_t job;                    /* 0: nobody's */
	uint32_t uid;
	const char *state;
	unsigned count;
	bool has_tiles; /* it is known which */
	struct tessera_tileset tiles;
	char partition[2 * TESSERA_NAME_MAX];
	bool first;       /* the node is the job's first, where IPUs are counted */
	bool has_outside; /* samples were taken */
	uint64_t outside; /* tile-seconds on tiles that it does not hold */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct survey {
	struct survey_item *items;
	size_t count, room;
};

/* A new item of NODE at the end, zeros otherwise; good until the next one. NULL with ERR when out of memory. */
struct survey_item *survey_add(struct survey *s, const char *node, const char *resource, struct tessera_error *err);
void survey_free(struct survey *s);

/* Does its job have the IPUs that it counts? One that failed or was refused asked for them and has none. */
bool survey_has_ipus(const struct survey_item *item);

/* Does no job get it, although no job has it? Bad and withheld tiles. */
bool survey_is_out(const struct survey_item *item);

/* Are its tiles kept back, because processes of a job that has ended still hold them? */
bool survey_is_stale(const struct survey_item *item);

/*
 * What NODE's files say, without a lock: tiles by job, then what is free of them, then IPUs and pools by job. Anyone may
 * who may read the directory. Returns 0, or -1 with ERR; S is to be freed in either case.
 */
int survey_node(struct survey *s, const struct node *node, struct tessera_error *err);

/* What samples saw outside of grants, added to the items of their jobs, or as items of their own. Returns as above. */
int survey_outside(struct survey *s, const struct node *node, struct tessera_error *err);

/*
 * What slurmctld's records of jobs say of all nodes and of the cluster's licences. Which tiles is known to the node
 * alone. CONF says which nodes have how many. Returns as above (TESSERA_ERR_MISSING: no slurmctld).
 */
int survey_cluster(struct survey *s, const struct tessera_conf *conf, struct tessera_error *err);

/* Nodes by name, then what is no node's; resources by name; jobs by number, then nobody's, the free rest last. */
void survey_sort(struct survey *s);

/*
 * What slurmctld's record of JOB says, of an array or a heterogeneous job of all its parts: how many on which nodes. *STATE is
 * set to Slurm's word for it: running, suspended, completing or pending; NULL if slurmctld has no such job, or it has ended.
 * Returns as above.
 */
int survey_job(struct survey *s, const struct tessera_conf *conf, uint32_t job, const char **state,
	       struct tessera_error *err);

/*
 * Put what FROM has of JOB, or of another job in S, into S: FROM is what a node's own files say, and knows which tiles and
 * which partition. Returns as above.
 */
int survey_merge(struct survey *s, const struct survey *from, uint32_t job, struct tessera_error *err);

#endif /* TESSERA_SURVEY_H */
