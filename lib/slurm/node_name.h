/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node's name, for slurmd while it starts: it sets SLURMD_NODENAME only for the processes that
 * it starts.
 */
#ifndef TESSERA_NODE_NAME_H
#define TESSERA_NODE_NAME_H

#include <stddef.h>

/*
 * The name in slurmd's -N option if given, else as node_name_of_host(). Returns 0, or -1 if it
 * cannot be determined.
 */
int node_name_of_slurmd(char *buf, size_t len);

/*
 * The NodeName that slurm.conf has for this host, else the host name without its domain. Returns as
 * above.
 */
int node_name_of_host(char *buf, size_t len);

#endif /* TESSERA_NODE_NAME_H */
