/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld granted: its detail text for a job on one node.
 *
 *   rdu(CNT:2),rdu_tile(CNT:16)         where units have no numbers
 *   rdu:sn30:2(IDX:0-1),rdu_tile:16(IDX:0-7,16-23)   where they have
 */
#ifndef TESSERA_GRANTED_H
#define TESSERA_GRANTED_H

#include <stddef.h>

#include "error.h"

struct tessera_granted {
	unsigned rdus;
	unsigned tiles;
};

/*
 * Read how many rdu and rdu_tile DETAIL grants; types are summed, other names passed over. NULL or "" grants
 * nothing. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) when the text is not understood: unknown is not zero.
 */
int tessera_granted_read(const char *detail, struct tessera_granted *granted, struct tessera_error *err);

/* What a job asked for, as its record has it: Slurm's tres_per_node and tres_per_task (NULL: not given). */
struct tessera_granted_asked {
	const char *per_node;
	const char *per_task;
	unsigned tasks; /* on the node, or at least as many */
};

/*
 * What the job may have on a node: the smaller of what ASKED says and what DETAIL grants, for --exclusive grants all
 * that the node has. Where nothing is asked for DETAIL is not looked at. Returns 0, or -1 with ERR: TESSERA_ERR_INPUT
 * when a text is not understood, TESSERA_ERR_MISSING when DETAIL does not name what was asked for.
 */
int tessera_granted_within(const char *detail, const struct tessera_granted_asked *asked,
			   struct tessera_granted *granted, struct tessera_error *err);

/*
 * The same for a GRES of one NAME over all nodes of a job: the sum of what each of the COUNT texts in DETAILS grants, of
 * each node no more than EACH.
 */
int tessera_granted_total(char *const *details, size_t count, const char *name, unsigned each, unsigned *total,
			  struct tessera_error *err);

#endif /* TESSERA_GRANTED_H */
