/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of tessera_grant.so. Plain C types only: during an upgrade, plugin and module may
 * be of different builds.
 */
#ifndef TESSERA_GRANT_MODULE_H
#define TESSERA_GRANT_MODULE_H

#include <stddef.h>

#define GRANT_MODULE        "tessera_grant.so" /* beside the plugin */
#define GRANT_MODULE_ENCODE "tessera_grant_module_encode_within"

/*
 * Returns a munge credential of TEXT, which the caller frees; or NULL with the reason in WHY, of
 * LEN bytes. SOCKET "" is munge's default. Returns within one second after SECONDS if munged does
 * not respond. Only for a process without threads, because it uses SIGALRM and the real-time
 * interval timer.
 */
typedef char *(*grant_module_encode_fn)(const char *text, const char *socket, unsigned seconds,
					char *why, size_t len);

__attribute__((visibility("default"))) char *
tessera_grant_module_encode_within(const char *text, const char *socket, unsigned seconds,
				   char *why, size_t len);

#endif /* TESSERA_GRANT_MODULE_H */
