/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts that tessera_request_read() is made of. Not installed: only libtessera uses it.
 */
#ifndef TESSERA_REQUEST_PARTS_H
#define TESSERA_REQUEST_PARTS_H

#include "gres.h"
#include "request.h"

/* How much of a typed text a sentence quotes, so that its advice is never cut off. */
#define SHOWN "%.80s"

/* What Slurm's own texts ask for. */
struct request_asked {
	struct gres_sum rdu;
	struct gres_sum rdu_tile;
	struct gres_sum ipu;     /* as GRES */
	struct gres_sum license; /* IPUs as licences; not looked at where they are GRES */
	bool none;               /* --gres=none */
};

/*
 * REQ holds the platform (which has tiles, and passes its check), the tasks and otherwise zeros. Returns 0 with its
 * tiles, shape, wish, bind and map, or -1 with ERR.
 */
int request_read_tiles(const struct tessera_conf *conf, const struct tessera_options *opt,
		       const struct request_asked *asked, struct tessera_request *req, struct tessera_error *err);

/*
 * The part of it that looks only at --tile-affinity and --tile-bind: bind (0 if nothing was said), map, wish. For a
 * map the entries must have req->tiles_per_task tiles each, if that is not 0.
 */
int request_read_bind(const struct tessera_options *opt, struct tessera_request *req, struct tessera_error *err);

/* The same for a platform that is a pool: req->ipus, domains and gcds. */
int request_read_ipus(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct request_asked *asked, struct tessera_request *req, struct tessera_error *err);

/* What is asked for of each pool, on whatever platform: req->pools. */
int request_read_pools(const struct tessera_conf *conf, const struct tessera_options *opt,
		       struct tessera_request *req, struct tessera_error *err);

/*
 * COUNT of WHAT are licences: can they be added to --licenses? Returns 0, or -1 with ERR where that names alternatives.
 */
int request_check_licenses(const struct tessera_options *opt, unsigned count, const char *what,
			   struct tessera_error *err);

/* Nodes of the job, 1 when nobody said. */
unsigned request_nodes(const struct tessera_options *opt);

#endif /* TESSERA_REQUEST_PARTS_H */
