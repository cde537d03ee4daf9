/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node slurmd is, while it starts: its own processes are told by SLURMD_NODENAME, but it is not.
 */
#ifndef TESSERA_NODE_NAME_H
#define TESSERA_NODE_NAME_H

#include <stddef.h>

/*
 * The name from slurmd's -N option if it has one, else the node that slurm.conf has for this host. Returns 0, or -1 if
 * it cannot be found out.
 */
int node_name_of_slurmd(char *buf, size_t len);

/* The node that slurm.conf has for this host, else the host's own name without its domain. Returns as above. */
int node_name_of_host(char *buf, size_t len);

#endif /* TESSERA_NODE_NAME_H */
