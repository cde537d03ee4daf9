/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: from what was typed to what is meant, and from that to the scheduler's terms. Client, controller, node
 * and command all use these functions, so that there is one truth about what is a valid request.
 */
#ifndef TESSERA_REQUEST_H
#define TESSERA_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "conf.h"
#include "error.h"
#include "place.h"
#include "platform.h"
#include "tileset.h"

#define TESSERA_MAP_MAX    256 /* entries of --tile-bind=map: */
#define TESSERA_ADVICE_MAX 256

/* What was typed. A string that was not given is NULL, a number that was not given is 0. */
struct tessera_options {
	const char *gres;                     /* --gres, or Slurm's tres_per_node */
	const char *licenses;                 /* --licenses */
	const char *ipus;                     /* --ipus */
	const char *ipu_gcds;                 /* --ipu-gcds */
	const char *pools[TESSERA_POOLS_MAX]; /* the option of each pool, in the order of tessera.conf */
	const char *tiles_per_task;           /* --tiles-per-task */
	const char *tile_affinity;            /* --tile-affinity */
	const char *tile_bind;                /* --tile-bind */
	unsigned nodes;
	unsigned ntasks;
	unsigned ntasks_per_node;
	const struct tessera_policy *policy; /* of the partition; NULL: the file's own */
	/* Inside an allocation: what is not named is inherited, and checked where the job's tiles are known. */
	bool step;
};

/* What is meant, for one node. */
struct tessera_request {
	const struct tessera_platform *platform; /* owned by the configuration */
	unsigned rdus;                           /* as Slurm counts them; 0: none, or asked for as tiles */
	unsigned tiles;                          /* the one truth; 0: none, or inherited */
	struct tessera_shape shape;
	unsigned tasks;          /* on the node, at the most; 1 when nobody said */
	unsigned tiles_per_task; /* 0: not asked for */
	enum tessera_bind bind;  /* never 0: none if nothing was asked for, block with tiles_per_task */
	bool has_wish;
	struct tessera_tileset wish; /* exactly these tiles: --tile-affinity, or all that a map names */

	/* For the whole job. */
	unsigned job_tasks; /* 0: nobody said */
	unsigned ipus;      /* of the pool */
	unsigned domains;   /* IPU-Link domains that so many span; 0 without IPUs */
	unsigned gcds; /* of their partition: one for each domain, unless --ipu-gcds says more; 0 without IPUs */
	unsigned pools[TESSERA_POOLS_MAX]; /* of each pool, in the order of tessera.conf */

	/* Why the tasks may not find their tiles, and what to type instead; "": nothing is known to be amiss. */
	char advice[TESSERA_ADVICE_MAX];

	unsigned map_len;
	struct tessera_tileset map[TESSERA_MAP_MAX];
};

/*
 * Check OPT against PLATFORM and the site's choices, and say what is meant. PLATFORM may be NULL (nobody knows it):
 * fine as long as nothing of ours is asked for. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): one sentence,
 * without "tessera:" before it, with the number that is wrong, what is allowed, and what to type instead. REQ is
 * about 33 kB; of its map only map_len entries are written.
 *
 * rdu:N is read as the policy's RduScope says: N on each node; N for each task; or, auto, N for each task where the node has
 * as many and no tiles are named, otherwise N on each node. With the last two it is raised to --tiles-per-task, or else the
 * policy's TilesPerTask, for each task, where a node has as many. Beside rdu_tile:N it has been read before, and stays.
 *
 * Where IPUs are GRES, ipu:N in gres is Slurm's N on each node, --ipus=N is N for the job. Pools are asked for on any
 * platform, and on none. Of a step's --ipu-gcds only the form is checked if it names no IPUs: its job has them.
 */
int tessera_request_read(const struct tessera_conf *conf, const struct tessera_platform *platform,
			 const struct tessera_options *opt, struct tessera_request *req, struct tessera_error *err);

/*
 * Is anything of ours asked for? Cheap. CONF may be NULL: then IPUs in gres and licenses are known only by the name
 * "ipu", and pools only by their options. A NULL string asks for nothing, nor does name:0; a count that cannot be read
 * does.
 */
bool tessera_options_any(const struct tessera_conf *conf, const struct tessera_options *opt);

/*
 * Is anything asked for that only the platform of a partition can tell: tiles or IPUs? False if it is pools alone.
 * CONF as above.
 */
bool tessera_options_need_platform(const struct tessera_conf *conf, const struct tessera_options *opt);

/*
 * The GCD of TASK, from 0, of the TASKS of a job or step whose partition has GCDS: tasks side by side share one, and
 * each GCD has its tasks. 0 where there is nothing to share out: one GCD, fewer tasks than GCDs, no such task.
 */
unsigned tessera_request_gcd(unsigned gcds, unsigned tasks, unsigned task);

/*
 * The scheduler's terms: OPT's gres and licences rewritten so that they say REQ, other GRES and licences left as
 * they were. Idempotent. A step asks for nothing that its gres does not name: it has what its job has. Each buffer
 * becomes "" when there is nothing to ask for. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when a text does not
 * fit its buffer, which is "" then.
 */
int tessera_request_scheduler(const struct tessera_conf *conf, const struct tessera_options *opt,
			      const struct tessera_request *req, char *gres, size_t gres_len, char *licenses,
			      size_t licenses_len, struct tessera_error *err);

/*
 * The parts of so many tiles on a node, for tessera_place() without a wish: blocks of TILES_PER_TASK where these are
 * smaller than an RDU and divide TILES, otherwise whole RDUs and at most one part. What the node uses for a granted
 * count. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): none, more than the node has, or a part that cannot be.
 */
int tessera_request_shape(const struct tessera_platform *p, unsigned tiles, unsigned tiles_per_task,
			  struct tessera_shape *shape, struct tessera_error *err);

#endif /* TESSERA_REQUEST_H */
