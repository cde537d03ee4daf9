/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the tests of grants: a grant of two RDUs of an SN30.
 */
#ifndef TESSERA_GRANT_UNIT_H
#define TESSERA_GRANT_UNIT_H

#include <stdio.h>

#include "lib/grant/grant.h"
#include "test/unit/unit.h"

static const char two_rdus_text[] =
	"tessera-grant 1 cluster lab node sn30-r1-h1 job 4711 restarts 2 step 0 uid 1001 "
	"time 1731750000 platform sn30-8 tiles 0-15 partition -";

static struct tessera_grant two_rdus(void)
{
	struct tessera_grant g = {
		.cluster = "lab",
		.node = "sn30-r1-h1",
		.job = 4711,
		.restarts = 2,
		.step = 0,
		.uid = 1001,
		.time = 1731750000,
		.platform = "sn30-8",
	};

	tessera_tileset_add_range(&g.tiles, 0, 16);
	return g;
}

#endif /* TESSERA_GRANT_UNIT_H */
