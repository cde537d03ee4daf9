/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera_conf.so is asked for: it reads tessera.conf with libconfuse. Plain C types only: plugin and module may be of
 * two builds while one is replaced.
 */
#ifndef TESSERA_CONF_MODULE_H
#define TESSERA_CONF_MODULE_H

#include <stddef.h>

#define CONF_MODULE      "tessera_conf.so" /* beside the plugin */
#define CONF_MODULE_READ "tessera_conf_module_read"

/*
 * Read the file at PATH as conf_pack() has it into *PACKED, to be freed, of *LEN bytes. TRUSTED is not 0: only if nobody
 * but root may write it. Returns 0, or a number of enum tessera_errcode, and WHY says why.
 */
typedef int (*conf_module_read_fn)(const char *path, int trusted, char **packed, size_t *len, char *why,
				   size_t why_len);

__attribute__((visibility("default"))) int tessera_conf_module_read(const char *path, int trusted, char **packed,
								    size_t *len, char *why, size_t why_len);

#endif /* TESSERA_CONF_MODULE_H */
