/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/conf_path.h"
#include "plugin/node.h"
#include "plugin/node_name.h"
#include "plugin/slurm_compat.h"

/* Where slurmd's environment has the ledger's directory; empty on a node without tiles. */
#define REMEMBERED "TESSERA_NODE_LEDGER"

int node_open_as(struct node *node, const char *name, const char *conf_path, struct tessera_error *err)
{
	memset(node, 0, sizeof(*node));
	if (snprintf(node->name, sizeof(node->name), "%s", name) >= (int)sizeof(node->name))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%.80s... is too long for the name of a node",
					 name);
	node->conf = tessera_conf_read_trusted(conf_path, err);
	if (node->conf == NULL)
		return -1;
	node->platform = tessera_conf_node_platform(node->conf, node->name);
	if (node->platform != NULL && node->platform->kind != TESSERA_KIND_RDU)
		node->platform = NULL;
	if (node->platform == NULL)
		return 0;
	return tessera_conf_state_dir(node->conf, node->name, node->dir, sizeof(node->dir), err);
}

int node_open(struct node *node, int argc, char **argv, struct tessera_error *err)
{
	const char *path = conf_path_argument(argc, argv);
	const char *name = getenv("SLURMD_NODENAME");
	char own[sizeof(node->name)];

	memset(node, 0, sizeof(*node));
	if (name == NULL && node_name_of_slurmd(own, sizeof(own)) < 0)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "slurmd did not say which node this is");
	return node_open_as(node, name != NULL ? name : own, path != NULL ? path : TESSERA_CONF_PATH, err);
}

void node_close(struct node *node)
{
	tessera_conf_free(node->conf);
	node->conf = NULL;
	node->platform = NULL;
}

void node_remember(int argc, char **argv)
{
	struct tessera_error err = {0};
	struct node node;

	/* A file that is wrong now may be right when a job comes: the job will hear what is wrong. */
	if (node_open(&node, argc, argv, &err) < 0)
		slurm_error("tessera: %s", err.text);
	else
		setenv(REMEMBERED, node.platform != NULL ? node.dir : "", 1);
	node_close(&node);
}

bool node_may_hold(uint32_t job)
{
	const char *dir = getenv(REMEMBERED);

	if (dir == NULL)
		return true;
	return dir[0] != '\0' && tessera_ledger_mentions(dir, job);
}
