/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The nodes of slurm.conf.
 */
#ifndef TESSERA_SLURM_NODES_H
#define TESSERA_SLURM_NODES_H

#include "plugin/slurm_file.h"

/*
 * The line of slurm.conf that defines NODE; NULL if none does. *GRES is set to its own Gres or the default's, to be freed;
 * NULL if it has none.
 */
const struct slurm_line *slurm_nodes_find(const struct slurm_file *f, const char *node, char **gres);

#endif /* TESSERA_SLURM_NODES_H */
