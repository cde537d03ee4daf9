/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "plugin/options.h"

void options_remember(const struct tessera_conf *conf)
{
	char names[TESSERA_POOLS_MAX * TESSERA_NAME_MAX] = "";
	const struct tessera_pool *pool;
	size_t used = 0;

	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? "," : "",
					 pool->option);
	setenv(OPTIONS_REMEMBERED, names, 1);
}
