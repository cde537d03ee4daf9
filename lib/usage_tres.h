/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmdbd says that a job was given: "1=4,4=1,1001=2,1002=16", numbers of TRES and counts. Not installed: for the
 * tessera command.
 */
#ifndef TESSERA_USAGE_TRES_H
#define TESSERA_USAGE_TRES_H

#include <stdint.h>

#include "conf.h"
#include "error.h"
#include "usage.h"

struct usage_tres; /* which number means what */

/* Names and pools are CONF's, which must live as long. Returns NULL without memory. To be freed with usage_tres_free(). */
struct usage_tres *usage_tres_new(const struct tessera_conf *conf);
void usage_tres_free(struct usage_tres *tres);

/*
 * TRES number ID is called TYPE/NAME ("gres", "rdu:sn30"); either may be NULL. What is no accelerator is passed over.
 * Returns 0, or -1 with ERR (TESSERA_ERR_MISSING) without memory.
 */
int usage_tres_learn(struct usage_tres *tres, uint32_t id, const char *type, const char *name,
		     struct tessera_error *err);

/*
 * Read TEXT, which may be NULL or empty: nothing. A type's count (gres/rdu:sn30) is part of gres/rdu's and counts only
 * where the latter is not given. IPUs are counted as tessera.conf's IpuModel says, and in the other way only where that
 * has none. Slurm's "not set" is none. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if the text is damaged: then all
 * of *COUNTS is TESSERA_UNKNOWN.
 */
int usage_tres_read(struct usage_tres *tres, const char *text, struct usage_held *counts,
		    struct tessera_error *err);

/*
 * RDUs whose tiles Slurm was not told to count: P's, or unknown if P is NULL, has no RDUs, or does not know its tiles.
 * Tiles that were counted stay as they are.
 */
void usage_tres_tiles(struct usage_held *counts, const struct tessera_platform *p);

#endif /* TESSERA_USAGE_TRES_H */
