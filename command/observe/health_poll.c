/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/observe/health_poll.h"
#include "lib/node/vendor_tool.h"
#include "lib/vendor/gcipuinfo.h"
#include "lib/vendor/snconfig.h"
#include "lib/vendor/snfadm.h"

static int read_snfadm(const char *text, const struct node *node,
		       struct tessera_health_source *source, struct tessera_error *err)
{
	return snfadm_read(text, node->platform, source, err);
}

static int read_snconfig(const char *text, const struct node *node,
			 struct tessera_health_source *source, struct tessera_error *err)
{
	const struct tessera_health_conf *conf = tessera_conf_health(node->conf);

	return snconfig_read(text, node->platform, conf->snconfig_bad, conf->snconfig_good, source,
			     err);
}

/* A tool that reports on tiles. */
struct source {
	const char *name, *key, *command;
	int (*read)(const char *text, const struct node *node, struct tessera_health_source *source,
		    struct tessera_error *err);
};

/* Store the error of a failed tool in TEXT, and report it. */
static void record_failure(const char *name, struct tessera_error *err, char *text, size_t len,
			   int (*tell)(const struct tessera_error *))
{
	snprintf(text, len, "%s", err->text);
	tessera_error_prefix(err, "%s", name);
	tell(err);
}

/* Does the result cover all tiles, and are some bad? */
static bool explains(const struct node *node, const struct tessera_health_source *answer)
{
	return !tessera_tileset_empty(&answer->bad) &&
	       tessera_tileset_count(&answer->known) == tessera_platform_tiles(node->platform);
}

/*
 * The time of a result is that of the query. A tool with a nonzero exit status has failed, unless
 * its result explains the status.
 */
static int query_tiles(const struct node *node, const struct source *tool,
		       struct tessera_health_source *known,
		       int (*tell)(const struct tessera_error *))
{
	struct tessera_health_source answer = {.time = time(NULL)};
	struct tessera_error err = {0};
	int status, rc = -1;
	char *text = vendor_tool_ask(tool->key, tool->command, node->name,
				     tessera_conf_health(node->conf)->wait, &status, &err);

	if (text != NULL)
		rc = tool->read(text, node, &answer, status == 0 ? &err : NULL);
	if (status != 0 && !explains(node, &answer))
		rc = -1;
	free(text);
	snprintf(answer.name, sizeof(answer.name), "%s", tool->name);
	if (rc == 0)
		*known = answer;
	else
		record_failure(tool->name, &err, known->text, sizeof(known->text), tell);
	return rc;
}

static int query_ipus(const struct node *node, struct tessera_health_ipus *known,
		      int (*tell)(const struct tessera_error *))
{
	const struct tessera_health_conf *conf = tessera_conf_health(node->conf);
	struct tessera_health_ipus answer = {.time = time(NULL)};
	struct tessera_error err = {0};
	int status, rc = -1;
	char *text = vendor_tool_ask("IpuHealthCommand", conf->ipus, node->name, conf->wait,
				     &status, &err);

	if (text != NULL)
		rc = gcipuinfo_read(text, &answer, status == 0 ? &err : NULL);
	if (status != 0 && answer.bad == 0)
		rc = -1;
	free(text);
	snprintf(answer.name, sizeof(answer.name), "%s", HEALTH_GCIPUINFO);
	if (rc == 0)
		*known = answer;
	else
		record_failure(HEALTH_GCIPUINFO, &err, known->text, sizeof(known->text), tell);
	return rc;
}

/* The last result of the tool NAME; an empty one if there is none. */
static struct tessera_health_source find_last_result(const struct tessera_health *health,
						     const char *name)
{
	struct tessera_health_source none = {0};

	for (size_t i = 0; i < health->count; i++)
		if (strcmp(health->sources[i].name, name) == 0)
			return health->sources[i];
	snprintf(none.name, sizeof(none.name), "%s", name);
	return none;
}

/* Called after each result, so that a slow tool does not delay those of the others. */
static int save_results(const struct node *node, const struct tessera_health *health,
			int (*tell)(const struct tessera_error *))
{
	const struct tessera_platform *p = node->platform != NULL ? node->platform : node->ipus;
	struct tessera_error err = {0};

	return tessera_health_write(node->dir, p, health, &err) < 0 ? tell(&err) : TESSERA_OK;
}

/*
 * Save the results of the first ASKED tools before the others are queried. If another tool has no
 * current result, save only bad tiles: it may yet report a tile as bad that these call good.
 */
static int save_partial_results(const struct node *node, const struct tessera_health *health,
				size_t asked, int (*tell)(const struct tessera_error *))
{
	struct tessera_health known = *health;
	bool all = true;

	for (size_t i = asked; i < known.count; i++)
		all = all && tessera_health_counts(tessera_conf_health(node->conf),
						   known.sources[i].time, time(NULL));
	for (size_t i = 0; i < asked && !all; i++)
		known.sources[i].known = known.sources[i].bad;
	return save_results(node, &known, tell);
}

int health_poll(const struct node *node, struct tessera_health *health,
		int (*tell)(const struct tessera_error *))
{
	const struct tessera_health_conf *conf = tessera_conf_health(node->conf);
	const struct source sources[] = {
		{HEALTH_SNFADM, "SnfadmCommand", conf->snfadm, read_snfadm},
		{HEALTH_SNCONFIG, "SnconfigCommand", conf->snconfig, read_snconfig},
	};
	const size_t count = sizeof(sources) / sizeof(sources[0]);
	struct tessera_health before = *health;
	int rc = 0, kept;

	*health = (struct tessera_health){0};
	for (size_t i = 0; node->platform != NULL && i < count; i++)
		if (sources[i].command[0] != '\0')
			health->sources[health->count++] =
				find_last_result(&before, sources[i].name);
	if (node->ipus != NULL && conf->ipus[0] != '\0') {
		health->ipus = before.ipus;
		snprintf(health->ipus.name, sizeof(health->ipus.name), "%s", HEALTH_GCIPUINFO);
		rc = query_ipus(node, &health->ipus, tell);
	}
	kept = save_results(node, health, tell);
	for (size_t i = 0, n = 0; i < count && n < health->count && kept == TESSERA_OK; i++) {
		if (sources[i].command[0] == '\0')
			continue;
		if (query_tiles(node, &sources[i], &health->sources[n++], tell) < 0)
			rc = -1;
		kept = save_partial_results(node, health, n, tell);
	}
	return kept == TESSERA_OK && rc < 0 ? TESSERA_ERR_UNAVAILABLE : kept;
}
