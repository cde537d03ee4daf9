/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera.conf in the processes that load the plugin. conf_cache.c implements tessera_conf_read()
 * and tessera_conf_read_trusted() of lib/conf/conf.h for them: tessera_conf.so parses the file, so
 * that only processes that need it load libconfuse. On a node, root caches the result in a file,
 * because three processes of each job need it.
 */
#ifndef TESSERA_CONF_CACHE_H
#define TESSERA_CONF_CACHE_H

#define CONF_CACHE_DIR "/run/tessera" /* default of cache=DIR in plugstack.conf */

/* Enable the cache in DIR, which must stay allocated. For root, before tessera.conf is read. */
void conf_cache_use(const char *dir);

#endif /* TESSERA_CONF_CACHE_H */
