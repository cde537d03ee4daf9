/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "gres/common.h"
#include "lib/holding.h"
#include "plugin/conf_path.h"
#include "plugin/node_name.h"
#include "plugin/slurm_compat.h"

/* One form alone. */
static bool take_form(struct common *c, enum table_form form)
{
	if (c->form != TABLE_PLAIN && c->form != form)
		return false;
	c->form = form;
	return true;
}

bool common_option(struct common *c, int got)
{
	switch (got) {
	case 'c':
		c->conf = optarg;
		return true;
	case 'N':
		c->node = optarg;
		return true;
	case 'o':
		c->columns = optarg;
		return true;
	case 'j':
		return take_form(c, TABLE_JSON);
	case 'r':
		return take_form(c, TABLE_RAW);
	default:
		return false;
	}
}

const char *common_conf_path(const struct common *c, char *buf, size_t len)
{
	return c->conf != NULL ? c->conf : conf_path_beside_slurm(buf, len);
}

int common_unknown_node(const char *node, const char *conf_path, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s has no platform for node %.64s: check the name, or write node \"%.64s\" { "
				 "Platform = P } there",
				 conf_path, node, node);
}

/* Jobs may have pools on any node, and notes of them outlive the line that tessera.conf had for it. */
static bool has_notes(const struct node *node)
{
	uint32_t *jobs = NULL;
	int count = node->keeps ? tessera_holding_jobs(node->dir, &jobs, NULL) : 0;

	free(jobs);
	return count != 0;
}

/* Where nobody named the node it may well have nothing: timers run everywhere. */
static int check_named(const struct common *c, const struct node *node, struct tessera_error *err)
{
	if (c->node == NULL || node->platform != NULL || node->ipus != NULL || has_notes(node))
		return 0;
	return common_unknown_node(node->name, node->conf_path, err);
}

int common_node(const struct common *c, struct node *node, struct tessera_error *err)
{
	const char *name = c->node != NULL ? c->node : node_name();
	char own[sizeof(node->name)], path[sizeof(node->conf_path)];

	*node = (struct node){0};
	/* Only slurm.conf knows what this machine is called, and Slurm's library ends us where there is none. */
	if (name == NULL)
		slurm_init(NULL);
	if (name == NULL && node_name_of_host(own, sizeof(own)) < 0)
		return tessera_error_set(err, TESSERA_ERR_USAGE, "which node is this? Name it with --node");
	if (node_open_as(node, name != NULL ? name : own, common_conf_path(c, path, sizeof(path)), err) < 0)
		return -1;
	return check_named(c, node, err);
}

const char *common_user(uint32_t uid, char *buf, size_t len)
{
	const struct passwd *user = getpwuid(uid);

	if (user != NULL)
		snprintf(buf, len, "%s", user->pw_name);
	else
		snprintf(buf, len, "%u", uid);
	return buf;
}

const char *common_time(time_t when, char *buf, size_t len)
{
	struct tm tm = {0};

	localtime_r(&when, &tm);
	strftime(buf, len, "%Y-%m-%dT%H:%M:%S", &tm);
	return buf;
}
