/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera.conf in the processes that load the plugin. site_conf.c has tessera_conf_read() and tessera_conf_read_trusted()
 * of lib/conf.h for them: tessera_conf.so parses the file, so that a process which does not need it does not load
 * libconfuse. On a node root keeps what was parsed in a file, because each job brings three processes that want it.
 */
#ifndef TESSERA_SITE_CONF_H
#define TESSERA_SITE_CONF_H

/* Where that is kept, unless plugstack.conf says cache=DIR. */
#define SITE_CONF_CACHE "/run/tessera"

/*
 * On a node, before tessera.conf is read: these are the plugin's arguments. Without this call nothing is kept.
 */
void site_conf_keep(int argc, char **argv);

#endif /* TESSERA_SITE_CONF_H */
