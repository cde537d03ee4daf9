/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld granted: its detail text for a job on one node.
 *
 *   rdu(CNT:2),rdu_tile(CNT:16)         where units have no numbers
 *   rdu:sn30:2(IDX:0-1),rdu_tile:16(IDX:0-7,16-23)   where they have
 */
#ifndef TESSERA_GRANTED_H
#define TESSERA_GRANTED_H

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

#endif /* TESSERA_GRANTED_H */
