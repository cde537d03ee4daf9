/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld allocated: its GRES detail text for a job on one node.
 *
 *   rdu(CNT:2),rdu_tile(CNT:16)                      GRES without device files
 *   rdu:sn30:2(IDX:0-1),rdu_tile:16(IDX:0-7,16-23)   GRES with device files
 */
#ifndef TESSERA_GRES_DETAIL_H
#define TESSERA_GRES_DETAIL_H

#include <stddef.h>

#include "../util/error.h"

struct tessera_gres_detail {
	unsigned rdus;
	unsigned tiles;
};

/*
 * Read how many rdu and rdu_tile DETAIL allocates; types are summed, other names ignored. NULL or
 * "" is nothing. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) if the text cannot be parsed.
 */
int tessera_gres_detail_read(const char *detail, struct tessera_gres_detail *allocated,
			     struct tessera_error *err);

/* What a job requested: tres_per_node and tres_per_task of Slurm's job_info (NULL: not given). */
struct tessera_gres_detail_asked {
	const char *per_node;
	const char *per_task;
	unsigned tasks; /* on the node; may be an upper bound */
};

/*
 * What the job may use on a node: the smaller of what ASKED requests and DETAIL allocates, because
 * --exclusive allocates all that the node has. DETAIL is ignored if nothing was requested. Returns
 * 0, or -1 with ERR: TESSERA_ERR_INPUT if a text cannot be parsed, TESSERA_ERR_UNAVAILABLE if
 * DETAIL lacks what was requested.
 */
int tessera_gres_detail_within(const char *detail, const struct tessera_gres_detail_asked *asked,
			       struct tessera_gres_detail *allocated, struct tessera_error *err);

/*
 * The sum of the GRES called NAME over all nodes of a job: of each of the COUNT texts in DETAILS,
 * one for each node, at most EACH.
 */
int tessera_gres_detail_total(char *const *details, size_t count, const char *name, unsigned each,
			      unsigned *total, struct tessera_error *err);

#endif /* TESSERA_GRES_DETAIL_H */
