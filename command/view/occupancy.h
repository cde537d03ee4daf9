/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs hold which tiles, IPUs and units of pools: on one node from its own files, or on all
 * nodes from slurmctld. For status and metrics.
 */
#ifndef TESSERA_OCCUPANCY_H
#define TESSERA_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/conf/conf.h"
#include "lib/node/node.h"
#include "lib/state/ledger.h"
#include "lib/util/error.h"

/* Resources: a stable interface of --json and metrics. Others are names of pools. */
#define OCCUPANCY_TILES "tiles"
#define OCCUPANCY_IPUS  "ipus"

#define OCCUPANCY_WITHHELD "withheld" /* the job has ended, its processes still use the device */

/* States other than those of the ledger and of job records. */
#define OCCUPANCY_FREE    "free"
#define OCCUPANCY_DAMAGED "damaged" /* the job record cannot be read; the text says why */
#define OCCUPANCY_OUTSIDE "outside" /* holds nothing, but samples saw it use tiles */
#define OCCUPANCY_BAD     "bad"     /* not allocated; the text names the source */
#define OCCUPANCY_UNKNOWN "unknown" /* free, but not allocated: not known to be good */

/* Tiles that slurmctld does not count; the node knows which ones. */
#define OCCUPANCY_UNCOUNTED "uncounted"

/*
 * What one job holds of one resource on one node; or, without a job, tiles or units in one state.
 */
struct occupancy_item {
	char node[256];                  /* "": counted for the whole cluster */
	char resource[TESSERA_NAME_MAX]; /* tiles, ipus, or a pool's name */
	uint32_t job;                    /* 0: none */
	uint32_t uid;
	const char *state;
	unsigned count;
	bool has_tiles; /* tiles is valid */
	struct tessera_tileset tiles;
	char partition[2 * TESSERA_NAME_MAX];
	bool first;       /* this is the job's first node, which counts its IPUs */
	bool has_outside; /* outside is valid: samples were taken */
	uint64_t outside; /* tile-seconds on tiles that the job does not hold */
	char text[sizeof(((struct tessera_error *)0)->text)];
};

struct occupancy {
	struct occupancy_item *items;
	size_t count;
};

/*
 * Append an item of NODE, otherwise zero. It is valid until the next call. Returns NULL with ERR
 * when out of memory.
 */
struct occupancy_item *occupancy_add(struct occupancy *s, const char *node, const char *resource,
				     struct tessera_error *err);
void occupancy_free(struct occupancy *s);

/* Does the job hold the IPUs of ITEM? A failed or refused one does not. */
bool occupancy_has_ipus(const struct occupancy_item *item);

/* Are its tiles bad, or not counted by slurmctld? */
bool occupancy_is_out(const struct occupancy_item *item);

/* Are its tiles withheld, because processes of an ended job still use them? */
bool occupancy_is_withheld(const struct occupancy_item *item);

/*
 * Read NODE's files, without a lock: tiles by job, then the free tiles, then IPUs and pools by job.
 * Needs only read permission. Returns 0, or -1 with ERR; free S in either case.
 */
int occupancy_node(struct occupancy *s, const struct node *node, struct tessera_error *err);

/*
 * Add unauthorized use that samples saw to the items of the jobs, or as new items. Returns as
 * above.
 */
int occupancy_outside(struct occupancy *s, const struct node *node, struct tessera_error *err);

/*
 * Read the jobs of all nodes and the licenses from slurmctld, which knows counts but no tile
 * numbers. Returns as above (TESSERA_ERR_UNAVAILABLE: slurmctld does not respond).
 */
int occupancy_cluster(struct occupancy *s, const struct tessera_conf *conf,
		      struct tessera_error *err);

/*
 * Sort by node, with cluster-wide items last; then by resource; then by job, with items without a
 * job after these and free ones last.
 */
void occupancy_sort(struct occupancy *s);

/*
 * Read JOB from slurmctld, with all parts of an array or heterogeneous job. *STATE is set to
 * running, suspended, completing or pending; NULL if there is no such job or it has ended. Returns
 * as above.
 */
int occupancy_job(struct occupancy *s, const struct tessera_conf *conf, uint32_t job,
		  const char **state, struct tessera_error *err);

/*
 * Merge into S what FROM has on JOB and on other jobs in S. FROM is from a node's own files, which
 * have tile numbers and the partition. Returns as above.
 */
int occupancy_merge(struct occupancy *s, const struct occupancy *from, uint32_t job,
		    struct tessera_error *err);

#endif /* TESSERA_OCCUPANCY_H */
