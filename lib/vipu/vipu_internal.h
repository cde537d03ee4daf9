/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection to a V-IPU controller, for vipu.c and partition.c. Not installed. */
#ifndef TESSERA_VIPU_INTERNAL_H
#define TESSERA_VIPU_INTERNAL_H

#include "lib/vipu/vipu.h"

struct tessera_vipu {
	const struct tessera_vipu_site *site;
	struct vipu_rpc *rpc;
	int64_t deadline;
	int grpc_status; /* of the last call; GRPC_NONE: no status came */
	bool lasting; /* the last call failed for certificates or version: a retry would fail too */
	bool unsent;  /* the last request was not sent */
};

#endif /* TESSERA_VIPU_INTERNAL_H */
