/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tessera.conf is.
 */
#ifndef TESSERA_CONF_PATH_H
#define TESSERA_CONF_PATH_H

#include <stddef.h>

/* The PATH of conf=PATH among the plugin's arguments in plugstack.conf, or NULL. */
const char *conf_path_argument(int argc, char **argv);

/* The same for cache=DIR: where root keeps what it has parsed. */
const char *conf_path_cache(int argc, char **argv);

/*
 * Beside the slurm.conf that $SLURM_CONF names, if there is one, otherwise where configure said. For programs of the
 * user who set that variable, and for daemons that got theirs from their administrator: not for slurmstepd and not
 * for prologs, which take conf_path_argument() or TESSERA_CONF_PATH. The answer may point into BUF.
 */
const char *conf_path_beside_slurm(char *buf, size_t len);

#endif /* TESSERA_CONF_PATH_H */
