/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What plugstack.conf says after the plugin's path.
 */
#ifndef TESSERA_SETTINGS_H
#define TESSERA_SETTINGS_H

/*
 * Where tessera.conf is: the argument conf=PATH, or TESSERA_CONF_PATH. Points into ARGV or to static text. Slurm
 * hands the same arguments to every call of the plugin.
 */
const char *settings_conf_path(int argc, char **argv);

#endif /* TESSERA_SETTINGS_H */
