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
 * The file at PATH as conf_pack() has it, to be freed; *LEN is set. TRUSTED is not 0: only if nobody but root may write it.
 * NULL if it cannot be read: then *CODE is a number of enum tessera_errcode, and WHY says why.
 */
typedef char *(*conf_module_read_fn)(const char *path, int trusted, size_t *len, int *code, char *why,
				     size_t why_len);

__attribute__((visibility("default"))) char *tessera_conf_module_read(const char *path, int trusted, size_t *len,
								      int *code, char *why, size_t why_len);

#endif /* TESSERA_CONF_MODULE_H */
