/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node that the plugin runs on: in slurmd, in prologs and epilogs, and in slurmstepd.
 */
#ifndef TESSERA_PLUGIN_NODE_H
#define TESSERA_PLUGIN_NODE_H

#include "lib/node/node.h"

/*
 * To be called before the other functions, as root. ARGC and ARGV are the plugin's arguments in
 * plugstack.conf. In cache=DIR root saves the parsed tessera.conf; a prolog that cannot read that
 * file records its failure there.
 */
void plugin_node_init(int argc, char **argv);

/*
 * Open the node. Its name comes from the environment that slurmd gives its own processes, which no
 * job can change; slurmd itself takes it from its -N option or slurm.conf. lib/node/ logs to
 * Slurm's log. To be closed with node_close() in either case. Returns 0, or -1 with ERR.
 */
int plugin_node_open(struct node *node, struct tessera_error *err);

/* The tessera.conf that plugin_node_open() reads. */
const char *plugin_node_conf_path(void);

/* DIR of plugin_node_init(). */
const char *plugin_node_cache_dir(void);

#endif /* TESSERA_PLUGIN_NODE_H */
