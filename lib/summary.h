/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job used, as it is kept in its AdminComment in slurmdbd: one compact JSON object with a version, one member for
 * each node that saw something. null is unknown.
 *
 *   {"tessera":1,"nodes":{"sn30-r1-h1":{"tile":1234,"ipu":null,"outside":0,"seen":3600}}}
 *
 * tile and ipu are busy seconds, outside tile-seconds on tiles that the job did not hold, seen the seconds that samples
 * covered. AdminComment may hold other people's text: ours is the object that starts with {"tessera": in it, the rest is
 * kept as it is.
 */
#ifndef TESSERA_SUMMARY_H
#define TESSERA_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "used.h"

#define TESSERA_UNKNOWN UINT64_MAX

struct tessera_summary {
	size_t nodes; /* that said something */
	/* Sums over these nodes; TESSERA_UNKNOWN if one of them does not know. */
	uint64_t tile_seconds;
	uint64_t ipu_seconds;
	uint64_t outside_seconds;
	uint64_t seen_seconds;
};

/*
 * Find our object in COMMENT, which may be NULL. Returns 0; 1 if there is none, with *SUMMARY zeros and unknown; or -1
 * with ERR (TESSERA_ERR_INPUT) if it is damaged or of a version that is not known: then nothing is known.
 */
int tessera_summary_read(const char *comment, struct tessera_summary *summary, struct tessera_error *err);

/*
 * COMMENT with what NODE saw of the job put into our object, or replaced there. Other text stays. If it was seen for no
 * second at all, nothing is known of it. Idempotent. Returns
 * what is to be freed with free(), or NULL with ERR. A damaged object of ours is left where it is, and a new one
 * written behind it.
 */
char *tessera_summary_merge(const char *comment, const char *node, const struct tessera_used *used,
			    struct tessera_error *err);

#endif /* TESSERA_SUMMARY_H */
