/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/health.h"
#include "plugin/health.h"
#include "plugin/slurm_compat.h"

void health_unusable(const struct node *node, struct tessera_tileset *bad, struct tessera_tileset *unknown)
{
	static bool told;
	struct tessera_health_verdict verdict;
	struct tessera_error err = {0};

	/* A job that waits for tiles looks again and again. */
	if (tessera_health_of_node(node->conf, node->name, node->platform, &verdict, &err) < 0 && !told) {
		slurm_error("tessera: %s", err.text);
		told = true;
	}
	*bad = verdict.bad;
	*unknown = verdict.unusable;
	tessera_tileset_minus(unknown, bad);
}
