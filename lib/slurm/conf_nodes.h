/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node definitions of slurm.conf. */
#ifndef TESSERA_CONF_NODES_H
#define TESSERA_CONF_NODES_H

#include "lib/slurm/conf_file.h"

/*
 * The line of slurm.conf that defines NODE; NULL if there is none. *GRES is set to its Gres, or
 * that of NodeName=DEFAULT, to be freed; NULL if it has none.
 */
const struct slurm_line *conf_file_find_node(const struct conf_file *f, const char *node,
					     char **gres);

#endif /* TESSERA_CONF_NODES_H */
