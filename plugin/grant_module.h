/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera_grant.so is asked for. Plain C types only: plugin and module may be of two builds while one is replaced.
 */
#ifndef TESSERA_GRANT_MODULE_H
#define TESSERA_GRANT_MODULE_H

#include <stddef.h>

#define GRANT_MODULE        "tessera_grant.so" /* beside the plugin */
#define GRANT_MODULE_ENCODE "tessera_grant_module_encode"

/* A munge credential with TEXT in it, to be freed; or NULL, and WHY says why. SOCKET may be "": munge's own. */
typedef char *(*grant_module_encode_fn)(const char *text, const char *socket, char *why, size_t len);

__attribute__((visibility("default"))) char *tessera_grant_module_encode(const char *text, const char *socket,
									 char *why, size_t len);

#endif /* TESSERA_GRANT_MODULE_H */
