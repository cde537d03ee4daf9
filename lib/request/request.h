/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: from a user's options to their meaning, and from that to Slurm's GRES and licenses.
 * Client, controller, node and command all use these functions, so that all accept the same
 * requests.
 */
#ifndef TESSERA_REQUEST_H
#define TESSERA_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "../conf/conf.h"
#include "../tile/place.h"
#include "../tile/platform.h"
#include "../tile/tileset.h"
#include "../util/error.h"

#define TESSERA_MAP_MAX    256 /* entries of --tile-bind=map: */
#define TESSERA_ADVICE_MAX 256

/* A user's options. A string that was not given is NULL, a number that was not given is 0. */
struct tessera_options {
	const char *gres;     /* --gres, or Slurm's tres_per_node */
	const char *licenses; /* --licenses */
	const char *ipus;     /* --ipus */
	const char *ipu_gcds; /* --ipu-gcds */
	/* the option of each pool, in the order of tessera.conf */
	const char *pools[TESSERA_POOLS_MAX];
	const char *tiles_per_task; /* --tiles-per-task */
	const char *tile_affinity;  /* --tile-affinity */
	const char *tile_bind;      /* --tile-bind */
	unsigned nodes;
	unsigned ntasks;
	unsigned ntasks_per_node;
	const struct tessera_policy *policy; /* of the partition; NULL: that of tessera.conf */
	/*
	 * A step inside an allocation: what its options do not name it inherits from the job, and
	 * the node checks it against the job's tiles.
	 */
	bool step;
};

/* The meaning of the options, for one node. */
struct tessera_request {
	const struct tessera_platform *platform; /* owned by the configuration */
	unsigned rdus;  /* in units of Slurm's GRES `rdu`; 0: none, or requested as tiles */
	unsigned tiles; /* 0: none, or inherited; includes the tiles of RDUS */
	struct tessera_shape shape;
	unsigned tasks;          /* on the node, at most; 1 if not given */
	unsigned tiles_per_task; /* 0: not given */
	enum tessera_bind bind;  /* if not given: block with tiles_per_task, otherwise none */
	bool has_wish;
	struct tessera_tileset wish; /* exactly these tiles: --tile-affinity, or a map's */

	/* For the whole job. */
	unsigned job_tasks; /* 0: not given */
	unsigned ipus;      /* of the pool */
	unsigned domains;   /* IPU-Link domains that the IPUs span; 0 without IPUs */
	/* of their partition: one for each domain, unless --ipu-gcds says more; 0 without IPUs */
	unsigned gcds;
	unsigned pools[TESSERA_POOLS_MAX]; /* of each pool, in the order of tessera.conf */

	/* Why tasks may get too few tiles, and what to type instead; "": none. */
	char advice[TESSERA_ADVICE_MAX];

	unsigned map_len;
	struct tessera_tileset map[TESSERA_MAP_MAX];
};

/*
 * Check OPT against PLATFORM and the site's policy, and set REQ to its meaning. PLATFORM may be
 * NULL (unknown) if OPT requests neither tiles nor IPUs. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT): a message for the user, without the prefix "tessera:", with the wrong
 * number, what is allowed, and what to type instead. REQ is about 33 kB; only map_len entries of
 * its map are written.
 *
 * The policy's RduScope determines rdu:N: N on each node; N for each task; or auto, which is N for
 * each task if the node has as many and OPT names no tiles, otherwise N on each node. For task and
 * auto it is raised to --tiles-per-task, or else the policy's TilesPerTask, for each task, if a
 * node has as many. If rdu_tile:N is there as well, this has been done before, and rdu:N stays.
 *
 * If IPUs are GRES, ipu:N in gres is N on each node as usual in Slurm, while --ipus=N is N for the
 * job. Pools need no platform. A step's --ipu-gcds without IPUs applies to the job's IPUs, so that
 * only its syntax is checked.
 */
int tessera_request_read(const struct tessera_conf *conf, const struct tessera_platform *platform,
			 const struct tessera_options *opt, struct tessera_request *req,
			 struct tessera_error *err);

/*
 * Does OPT request tiles, IPUs or a pool? Cheap. CONF may be NULL: then IPUs in gres and licenses
 * are recognized only by the name "ipu", and pools only by their options. name:0 requests nothing;
 * a count that cannot be parsed counts as a request.
 */
bool tessera_options_any(const struct tessera_conf *conf, const struct tessera_options *opt);

/* Does OPT request tiles or IPUs, for which the platform must be known? CONF as above. */
bool tessera_options_need_platform(const struct tessera_conf *conf,
				   const struct tessera_options *opt);

/*
 * The GCD, from 0, of TASK, from 0, of the TASKS of a job or step whose partition has GCDS:
 * consecutive tasks share a GCD, and each GCD has at least one task. 0 if there is one GCD, if
 * there are fewer tasks than GCDs, or if TASK is not less than TASKS.
 */
unsigned tessera_request_gcd(unsigned gcds, unsigned tasks, unsigned task);

/*
 * Rewrite OPT's gres and licenses so that they request REQ; other GRES and licenses stay as they
 * are. Idempotent. Nothing is added for a step, which uses its job's resources. A buffer becomes ""
 * if there is nothing to request. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if a text does not
 * fit its buffer, which is then "".
 */
int tessera_request_scheduler(const struct tessera_conf *conf, const struct tessera_options *opt,
			      const struct tessera_request *req, char *gres, size_t gres_len,
			      char *licenses, size_t licenses_len, struct tessera_error *err);

/*
 * The shape of TILES tiles on a node, for tessera_place() without a wish: blocks of TILES_PER_TASK
 * if these are smaller than an RDU and divide TILES, otherwise whole RDUs and at most one block.
 * The prolog uses it for an allocated count. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if TILES
 * is 0 or more than the node has, or the block is not a valid size.
 */
int tessera_request_shape(const struct tessera_platform *p, unsigned tiles, unsigned tiles_per_task,
			  struct tessera_shape *shape, struct tessera_error *err);

#endif /* TESSERA_REQUEST_H */
