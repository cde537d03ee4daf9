/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugstack.conf, as far as it concerns spank_tessera.so. */
#ifndef TESSERA_PLUGSTACK_H
#define TESSERA_PLUGSTACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slurm/conf_file.h"

#define PLUGSTACK_PLUGIN "spank_tessera.so"

/* Store the path of plugstack.conf for SLURM, which was read from SLURM_PATH. */
void plugstack_path(const struct conf_file *slurm, const char *slurm_path, char *buf, size_t len);

/*
 * Store the plugin of a line "required PLUGIN [ARGUMENT]..." if it is ours, and return true; it has
 * no directory if the line has none.
 */
bool plugstack_plugin(const char *line, char *buf, size_t len);

/*
 * The path of tessera.conf for a program that is not the plugin: conf=PATH in the plugin's line of
 * plugstack.conf; if there is none, as conf_path_find(). The result may point into BUF.
 */
const char *plugstack_conf_path(char *buf, size_t len);

#endif /* TESSERA_PLUGSTACK_H */
