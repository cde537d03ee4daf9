/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "lib/conf/conf_cache.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/conf_path.h"
#include "lib/slurm/node_name.h"
#include "plugin/plugin_node.h"

static const char *conf_path = TESSERA_CONF_PATH;
static char found_path[PATH_MAX];
static const char *cache_dir = CONF_CACHE_DIR;

void plugin_node_init(int argc, char **argv)
{
	const char *path = conf_path_argument(argc, argv), *dir = conf_path_cache(argc, argv);

	conf_path = path != NULL ? path : conf_path_find(found_path, sizeof(found_path));
	if (dir != NULL)
		cache_dir = dir;
	conf_cache_use(cache_dir);
}

const char *plugin_node_conf_path(void)
{
	return conf_path;
}

const char *plugin_node_cache_dir(void)
{
	return cache_dir;
}

static void log_to_slurm(enum node_log level, const char *text)
{
	switch (level) {
	case NODE_ERROR:
		slurm_error("tessera: %s", text);
		break;
	case NODE_INFO:
		slurm_info("tessera: %s", text);
		break;
	default:
		slurm_verbose("tessera: %s", text);
	}
}

int plugin_node_open(struct node *node, struct tessera_error *err)
{
	const char *name = node_name();
	char own[sizeof(node->name)];
	int rc;

	memset(node, 0, sizeof(*node));
	if (name != NULL)
		rc = node_open(node, name, conf_path, log_to_slurm, err);
	else if (node_name_of_slurmd(own, sizeof(own)) == 0)
		rc = node_open(node, own, conf_path, log_to_slurm, err);
	else
		rc = tessera_error_set(err, TESSERA_ERR_UNAVAILABLE,
				       "cannot determine the name of this node: slurmd did not set "
				       "SLURMD_NODENAME");
	node->spare_dir = cache_dir;
	node->log = log_to_slurm;
	return rc;
}
