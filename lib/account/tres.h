/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses what slurmdbd records as allocated to a job: "1=4,4=1,1001=2,1002=16", TRES IDs and
 * counts.
 */
#ifndef TESSERA_TRES_H
#define TESSERA_TRES_H

#include <stdint.h>

#include "../conf/conf.h"
#include "../util/error.h"
#include "usage.h"

struct tessera_tres; /* the meaning of each TRES ID */

/*
 * Names and pools come from CONF, which must outlive the result. Returns NULL if out of memory. To
 * be freed with tessera_tres_free().
 */
struct tessera_tres *tessera_tres_new(const struct tessera_conf *conf);
void tessera_tres_free(struct tessera_tres *tres);

/*
 * Record that TRES ID is TYPE/NAME ("gres", "rdu:sn30"); either may be NULL. Other TRES than
 * accelerators are ignored. Returns 0, or -1 with ERR (TESSERA_ERR_NOMEM).
 */
int tessera_tres_learn(struct tessera_tres *tres, uint32_t id, const char *type, const char *name,
		       struct tessera_error *err);

/*
 * Parse TEXT; NULL and "" mean that nothing was allocated. The count of a type (gres/rdu:sn30) is
 * part of that of gres/rdu and used only if the latter is missing. IPUs are counted by
 * tessera.conf's IpuModel, and by the other model only if that has none. Slurm's "not set" counts
 * as none. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if TEXT is malformed: then all of *COUNTS
 * is TESSERA_UNKNOWN.
 */
int tessera_tres_read(struct tessera_tres *tres, const char *text,
		      struct tessera_usage_held *counts, struct tessera_error *err);

/*
 * If Slurm counted RDUs but no tiles, set the tiles to those of P's RDUs; to TESSERA_UNKNOWN if P
 * is NULL or has no RDUs. Tiles that Slurm counted are left as they are.
 */
void tessera_tres_tiles(struct tessera_usage_held *counts, const struct tessera_platform *p);

#endif /* TESSERA_TRES_H */
