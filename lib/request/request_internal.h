/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of tessera_request_read(). Not installed: only libtessera uses them.
 */
#ifndef TESSERA_REQUEST_INTERNAL_H
#define TESSERA_REQUEST_INTERNAL_H

#include "lib/conf/gres_list.h"
#include "lib/request/request.h"

/* Messages quote at most this much of an option, so that their advice is never truncated. */
#define SHOWN "%.80s"

/* What --gres and --licenses request. */
struct request_asked {
	struct gres_sum rdu;
	struct gres_sum rdu_tile;
	struct gres_sum ipu;     /* as GRES */
	struct gres_sum license; /* IPUs as licenses; unset if IPUs are GRES */
	bool none;               /* --gres=none */
};

/*
 * Set the tiles, shape, wish, bind and map of REQ, which has a checked platform with tiles, the
 * tasks, and otherwise zeros. Returns 0, or -1 with ERR.
 */
int request_read_tiles(const struct tessera_conf *conf, const struct tessera_options *opt,
		       const struct request_asked *asked, struct tessera_request *req,
		       struct tessera_error *err);

/*
 * Set the bind (0 if not given), map and wish of REQ from --tile-affinity and --tile-bind. Each
 * entry of a map must have req->tiles_per_task tiles, if that is not 0.
 */
int request_read_bind(const struct tessera_options *opt, struct tessera_request *req,
		      struct tessera_error *err);

/* Set the ipus, domains and gcds of REQ, whose platform has IPUs. Returns 0, or -1 with ERR. */
int request_read_ipus(const struct tessera_conf *conf, const struct tessera_options *opt,
		      const struct request_asked *asked, struct tessera_request *req,
		      struct tessera_error *err);

/*
 * Can COUNT licenses for WHAT be added to --licenses? Returns 0, or -1 with ERR if that has
 * alternatives ("a|b").
 */
int request_check_licenses(const struct tessera_options *opt, unsigned count, const char *what,
			   struct tessera_error *err);

/* The job's number of nodes, 1 if not given. */
unsigned request_nodes(const struct tessera_options *opt);

#endif /* TESSERA_REQUEST_INTERNAL_H */
