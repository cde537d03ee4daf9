/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's use of accelerators, as stored in its AdminComment in slurmdbd: one compact JSON object
 * with a version, and one member for each node that sampled the job. null is unknown.
 *
 *   {"tessera":1,"nodes":{"sn30-r1-h1":{"tile":1234,"ipu":null,"outside":0,"seen":3600}}}
 *
 * tile and ipu are busy seconds, outside is tile-seconds on tiles that the job did not hold, and
 * seen the seconds that samples covered. AdminComment may have other text: ours is the object that
 * starts with {"tessera":, and the rest is preserved.
 */
#ifndef TESSERA_USAGE_SUMMARY_H
#define TESSERA_USAGE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../state/sample_record.h"
#include "../util/error.h"

#define TESSERA_UNKNOWN UINT64_MAX

struct tessera_usage_summary {
	size_t nodes; /* with a member */
	/* Sums over these nodes; TESSERA_UNKNOWN if a part is. */
	uint64_t tile_seconds;
	uint64_t ipu_seconds;
	uint64_t outside_seconds;
	uint64_t seen_seconds;
};

/*
 * Find and parse our object in COMMENT, which may be NULL. Returns 0; 1 if there is none; or -1
 * with ERR (TESSERA_ERR_INPUT) if it is damaged or of an unknown version. Unless it returns 0,
 * *SUMMARY has no nodes, and its sums are TESSERA_UNKNOWN.
 */
int tessera_usage_summary_read(const char *comment, struct tessera_usage_summary *summary,
			       struct tessera_error *err);

/* Does our object in COMMENT, which may be NULL, have a member of NODE? */
bool tessera_usage_summary_has(const char *comment, const char *node);

/*
 * Returns COMMENT with NODE's samples added to our object, or replaced there, and other text
 * preserved; to be freed with free(). If samples covered 0 seconds, the use is null. Idempotent. A
 * damaged object is left in place, and a new one appended. Returns NULL with ERR on failure.
 */
char *tessera_usage_summary_merge(const char *comment, const char *node,
				  const struct tessera_sample_record *used,
				  struct tessera_error *err);

#endif /* TESSERA_USAGE_SUMMARY_H */
