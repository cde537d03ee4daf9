/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serializing a configuration: tessera_conf.so passes it to the plugin in this form, and root
 * caches it in a file, so that the processes of a job do not parse tessera.conf again. Only the
 * build that wrote it can read it. Not installed.
 */
#ifndef TESSERA_CONF_PACK_H
#define TESSERA_CONF_PACK_H

#include <stddef.h>

#include "lib/conf/conf.h"

/* Serialize CONF into *LEN bytes, to be freed. NULL when out of memory. */
char *conf_pack(const struct tessera_conf *conf, size_t *len);

/*
 * The configuration in LEN bytes at PACKED, which need not be aligned; to be freed with
 * tessera_conf_free(). NULL if another build wrote it, if it is damaged, or when out of memory: the
 * caller must then parse tessera.conf.
 */
struct tessera_conf *conf_unpack(const char *packed, size_t len);

#endif /* TESSERA_CONF_PACK_H */
