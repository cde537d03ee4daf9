/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of tessera_conf.so, which parses tessera.conf with libconfuse. Plain C types only:
 * during an upgrade, plugin and module may come from different builds.
 */
#ifndef TESSERA_CONF_MODULE_H
#define TESSERA_CONF_MODULE_H

#include <stddef.h>

#define CONF_MODULE      "tessera_conf.so" /* beside the plugin */
#define CONF_MODULE_READ "tessera_conf_module_read"

/*
 * Parse the file at PATH into *PACKED, the *LEN bytes of conf_pack(), to be freed. If TRUSTED is
 * not 0, as tessera_conf_read_trusted(). Returns 0, or a number of enum tessera_errcode with the
 * message in WHY.
 */
typedef int (*conf_module_read_fn)(const char *path, int trusted, char **packed, size_t *len,
				   char *why, size_t why_len);

__attribute__((visibility("default"))) int tessera_conf_module_read(const char *path, int trusted,
								    char **packed, size_t *len,
								    char *why, size_t why_len);

#endif /* TESSERA_CONF_MODULE_H */
