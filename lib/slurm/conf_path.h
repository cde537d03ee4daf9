/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path of tessera.conf. */
#ifndef TESSERA_CONF_PATH_H
#define TESSERA_CONF_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/util/error.h"

/* Where slurmd and sackd link the files that slurmctld sent them, on a host without its own. */
#define CONFIGLESS_DIR "/run/slurm/conf"

/* The PATH of conf=PATH among the plugin's arguments in plugstack.conf, or NULL. */
const char *conf_path_argument(int argc, char **argv);

/* The same for cache=DIR, where root caches the parsed configuration. */
const char *conf_path_cache(int argc, char **argv);

/*
 * The first that exists of: tessera.conf in the directory of $SLURM_CONF; TESSERA_CONF_PATH;
 * tessera.conf in CONFIGLESS_DIR; and the one that slurmctld sent to this process. If there is
 * none, TESSERA_CONF_PATH. The result may point into BUF.
 *
 * On a node $SLURM_CONF comes from slurmd, which sets it on a configless node, for slurmstepd and
 * prologs too; a user cannot change it there. Elsewhere the caller's environment counts.
 */
const char *conf_path_find(char *buf, size_t len);

/*
 * Store the path of the file NAME that slurmctld sent to this process: without any file on the
 * host, libslurm keeps what it received in memory (memfd_create(2)). Included files are among them
 * from 23.11 on. Returns false if there is none.
 */
bool conf_path_received(const char *name, char *buf, size_t len);

/*
 * After PATH, as conf_path_find() returned it, could not be read: if it does not exist, add to ERR
 * where else it was looked for. Always returns -1. ERR may be NULL.
 */
int conf_path_explain(const char *path, struct tessera_error *err);

#endif /* TESSERA_CONF_PATH_H */
