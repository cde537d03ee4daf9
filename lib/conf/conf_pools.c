/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf_internal.h"
#include "lib/tile/hostlist.h"

static void set_vipu_defaults(struct tessera_vipu_site *site)
{
	*site = (struct tessera_vipu_site){
		.port = 8090,
		.prefix = "slurm_",
		.reconfigurable = 1,
		.leftover = TESSERA_VIPU_LEFTOVER_REMOVE,
		.create_wait = 60,
		.remove_wait = 20,
		.call_wait = 10,
		.task_timeout = 120,
	};
}

/* Is HOST a host name or an IP address? */
static bool is_valid_host(const char *host)
{
	return host[0] != '\0' && host[0] != '-' &&
	       host[strspn(host,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")] ==
		       '\0';
}

static int check_vipu(struct reading *r, const struct block *b,
		      const struct tessera_vipu_site *site)
{
	if (!is_valid_host(site->host))
		return conf_fail_at(
			r, b->line,
			"vipu \"%.64s\" has no host: write Host = NAME between its braces",
			b->title);
	if (site->port == 0)
		return conf_fail_at(r, b->line,
				    "vipu \"%.64s\" has Port = 0: write one from 1 to 65535",
				    b->title);
	/* The job ID follows the prefix, and must be recognizable. */
	if (strchr("0123456789", site->prefix[strlen(site->prefix) - 1]) != NULL)
		return conf_fail_at(r, b->line,
				    "Prefix = %s ends in a digit: the job ID follows it, so end "
				    "it with _",
				    site->prefix);
	if (site->create_wait == 0 || site->remove_wait == 0 || site->call_wait == 0)
		return conf_fail_at(r, b->line,
				    "vipu \"%.64s\" has a wait of 0 seconds: write 1 or more",
				    b->title);
	if (!site->tls &&
	    (site->ca_file[0] != '\0' || site->cert_file[0] != '\0' || site->cert_key[0] != '\0'))
		return conf_fail_at(r, b->line,
				    "vipu \"%.64s\" names certificates, but has no Tls = yes",
				    b->title);
	if ((site->cert_file[0] == '\0') != (site->cert_key[0] == '\0'))
		return conf_fail_at(r, b->line,
				    "vipu \"%.64s\": CertFile and CertKey must be set together",
				    b->title);
	return 0;
}

int conf_add_vipu(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	struct tessera_vipu_site *site = &conf->vipus[conf->vipu_count];
	char host[256];

	set_vipu_defaults(site);
	if (tessera_hostlist_check(b->title, r->err) < 0)
		return conf_wrong_at(r, b->line);
	if (conf_store_values(r, b, site) < 0 || check_vipu(r, b, site) < 0)
		return -1;
	for (size_t i = 0; i < conf->vipu_count; i++)
		if (tessera_hostlist_common(b->title, conf->vipus[i].nodes, host, sizeof(host)))
			return conf_fail_at(
				r, b->line,
				"node %s has two V-IPU controllers: %s here, %s on line %d", host,
				site->host, conf->vipus[i].host,
				conf_line_of(r, VIPU, conf->vipus[i].nodes));
	site->nodes = strdup(b->title);
	if (site->nodes == NULL)
		return conf_fail_memory(r);
	conf->vipu_count++;
	return 0;
}

int conf_add_pool(struct reading *r, struct tessera_conf *conf, const struct block *b)
{
	struct tessera_pool *pool = &conf->pools[conf->pool_count];

	if (conf->pool_count == TESSERA_POOLS_MAX)
		return conf_fail_at(r, b->line, "there are more than %d pools", TESSERA_POOLS_MAX);
	if (conf_check_name(r, b->line, "pool", b->title) < 0)
		return -1;
	*pool = (struct tessera_pool){.sizes = "any"};
	snprintf(pool->name, sizeof(pool->name), "%s", b->title);
	memcpy(pool->option, pool->name, sizeof(pool->option));
	memcpy(pool->license, pool->name, sizeof(pool->license));
	if (conf_store_values(r, b, pool) < 0)
		return -1;
	if (tessera_pool_check(pool, r->err) < 0)
		return conf_wrong_at(r, b->line);
	for (size_t i = 0; i < conf->pool_count; i++)
		if (strcmp(pool->option, conf->pools[i].option) == 0 ||
		    strcmp(pool->license, conf->pools[i].license) == 0)
			return conf_fail_at(
				r, b->line,
				"pool %s has the same option or license as pool %s on line %d",
				pool->name, conf->pools[i].name,
				conf_line_of(r, POOL, conf->pools[i].name));
	if (strcmp(pool->license, conf->ipu_name) == 0)
		return conf_fail_at(r, b->line, "pool %s has the license %s, which counts IPUs",
				    pool->name, pool->license);
	conf->pool_count++;
	return 0;
}
