/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A configuration as a row of bytes: tessera_conf.so hands it to the plugin in this form, and root keeps it in a file, so
 * that the processes of a job need not parse tessera.conf again. Only the build that wrote it can read it. Not installed.
 */
#ifndef TESSERA_CONF_PACK_H
#define TESSERA_CONF_PACK_H

#include <stddef.h>

#include "conf.h"

/* The bytes of CONF, to be freed; *LEN is set to their number. NULL when out of memory. */
char *conf_pack(const struct tessera_conf *conf, size_t *len);

/*
 * The configuration in LEN bytes at PACKED, which may stand at any address; to be freed with tessera_conf_free(). NULL if
 * another build wrote it, if it is damaged, or when out of memory: then the caller reads tessera.conf.
 */
struct tessera_conf *conf_unpack(const char *packed, size_t len);

#endif /* TESSERA_CONF_PACK_H */
