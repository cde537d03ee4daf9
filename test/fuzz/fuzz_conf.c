/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/conf.h"
#include "lib/conf/conf_pack.h"
#include "lib/conf/conf_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_pools(const struct tessera_conf *conf)
{
	const struct tessera_vipu_site *site;
	const struct tessera_pool *pool;
	char name[8], value[8];

	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++) {
		if (i >= TESSERA_POOLS_MAX || tessera_pool_check(pool, NULL) < 0 ||
		    tessera_pool_allows(pool, pool->max + 1, NULL) == 0)
			abort();
		(void)tessera_pool_allows(pool, 1, NULL);
		for (size_t n = 0;
		     tessera_pool_variable(pool, n, 2, 3, name, sizeof(name), value, sizeof(value));
		     n++)
			if (name[0] == '\0' || memchr(value, '\0', sizeof(value)) == NULL)
				abort();
	}
	for (size_t i = 0; (site = tessera_conf_vipu_at(conf, i)) != NULL; i++)
		if (site->host[0] == '\0' || site->port == 0 || site->port > 65535 ||
		    site->prefix[0] == '\0')
			abort();
	site = tessera_conf_vipu(conf, "a1");
	if (site != NULL && site->nodes == NULL)
		abort();
	if (tessera_conf_vipu_helper(conf)[0] != '/')
		abort();
}

static void ask(const struct tessera_conf *conf)
{
	const struct tessera_platform *p;
	char dir[512];

	for (size_t i = 0; (p = tessera_conf_platform_at(conf, i)) != NULL; i++) {
		const struct tessera_platform *found = tessera_conf_platform(conf, p->name, NULL);

		if (found != NULL && (found != p || tessera_platform_check(p, NULL) < 0))
			abort();
	}
	if (tessera_conf_partition_platform(conf, "a,b", &p, NULL) == 0 && p != NULL &&
	    tessera_platform_check(p, NULL) < 0)
		abort();
	p = tessera_conf_node_platform(conf, "a1");
	if (p != NULL && tessera_platform_check(p, NULL) < 0)
		abort();
	if (tessera_conf_ipu_name(conf)[0] == '\0' || tessera_conf_policy(conf)->rdu_scope == 0 ||
	    tessera_conf_ipu_model(conf) == 0 || tessera_conf_user_mask(conf) == 0 ||
	    tessera_conf_place_wait(conf) > 3600)
		abort();
	ask_pools(conf);
	if (tessera_conf_state_dir(conf, "a1", dir, sizeof(dir), NULL) < 0 || dir[0] != '/')
		abort();
}

/* The quick scan of a client agrees with the parser. */
static void compare_scan(const struct tessera_conf *conf, const char *text)
{
	char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX];
	int count = conf_scan_pools(text, options);

	if (conf == NULL || count < 0)
		return;
	for (int i = 0; i < count; i++)
		if (tessera_conf_pool_at(conf, (size_t)i) == NULL ||
		    strcmp(tessera_conf_pool_at(conf, (size_t)i)->option, options[i]) != 0)
			abort();
	if (tessera_conf_pool_at(conf, (size_t)count) != NULL)
		abort();
}

/* A packed configuration is unpacked unchanged, and damaged bytes are refused or harmless. */
static void pack(const struct tessera_conf *conf, const uint8_t *data, size_t size)
{
	size_t len = 0, again = 0;
	char *bytes = conf_pack(conf, &len), *second;
	struct tessera_conf *copy = conf_unpack(bytes, len);

	if (copy == NULL)
		abort();
	second = conf_pack(copy, &again);
	if (again != len || memcmp(bytes, second, len) != 0)
		abort();
	tessera_conf_free(copy);
	/* Damage after the version, since a wrong version ends the reading. */
	for (size_t i = 0; i + 1 < size; i += 2)
		bytes[32 + (size_t)(data[i] * 257 + data[i + 1]) % (len - 32)] ^= (char)data[i];
	tessera_conf_free(conf_unpack(bytes, len));
	free(second);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf;
	char *text = strndup((const char *)data, size);

	if (text == NULL)
		return 0;
	conf = tessera_conf_parse("f", text, &err);
	compare_scan(conf, text);
	if (conf != NULL)
		pack(conf, data, size);
	if (conf != NULL)
		ask(conf);
	else if (err.code != TESSERA_ERR_INPUT || strncmp(err.text, "f:", 2) != 0)
		abort();
	tessera_conf_free(conf);

	/* A failed reading does not affect the next one. */
	conf = tessera_conf_parse("f", "RduScope = task", &err);
	if (conf == NULL || tessera_conf_policy(conf)->rdu_scope != TESSERA_SCOPE_TASK)
		abort();
	tessera_conf_free(conf);
	free(text);
	return 0;
}
