/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/request_parts.h"

int request_check_licenses(const struct tessera_options *opt, unsigned count, const char *what,
			   struct tessera_error *err)
{
	const char *licenses = gres_given(opt->licenses);

	if (licenses == NULL || strchr(licenses, '|') == NULL)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%u %s are asked for, and these are licences here, but --licenses=" SHOWN
				 " names alternatives; join licences with commas",
				 count, what, licenses);
}

static int read_pool(const struct tessera_pool *pool, const char *value, const struct tessera_options *opt,
		     unsigned *count, struct tessera_error *err)
{
	char option[TESSERA_NAME_MAX + 2];
	struct gres_sum licenses;
	unsigned asked = 0;

	snprintf(option, sizeof(option), "--%s", pool->option);
	if (value != NULL && gres_option_count(option, value, &asked, err) < 0)
		return -1;
	if (gres_sum(opt->licenses, GRES_LIST_LICENSES, pool->license, "--licenses", &licenses, err) < 0)
		return -1;
	if (value != NULL && licenses.given && licenses.count != asked)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s=%u and --licenses=%s:%u differ; ask once, with %s=N", option, asked,
					 pool->license, licenses.count, option);
	if (value == NULL)
		asked = licenses.count;
	if (asked == 0)
		return 0;
	if (tessera_pool_allows(pool, asked, err) < 0 || request_check_licenses(opt, asked, pool->name, err) < 0)
		return -1;
	*count = asked;
	return 0;
}

int request_read_pools(const struct tessera_conf *conf, const struct tessera_options *opt,
		       struct tessera_request *req, struct tessera_error *err)
{
	const struct tessera_pool *pool;

	for (size_t i = 0; i < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		if (read_pool(pool, opt->pools[i], opt, &req->pools[i], err) < 0)
			return -1;
	return 0;
}
