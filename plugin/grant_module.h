/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera_grant.so is asked for. Plain C types only: plugin and module may be of two builds while one is replaced.
 */
#ifndef TESSERA_GRANT_MODULE_H
#define TESSERA_GRANT_MODULE_H

#include <stddef.h>

#define GRANT_MODULE        "tessera_grant.so" /* beside the plugin */
#define GRANT_MODULE_ENCODE "tessera_grant_module_encode_within"

/*
 * A munge credential with TEXT in it, to be freed; or NULL, and WHY says why. SOCKET may be "": munge's own. When munged
 * does not answer within SECONDS, it is given up within another. Only for a process without threads: it uses SIGALRM and
 * the real-time interval timer meanwhile.
 */
typedef char *(*grant_module_encode_fn)(const char *text, const char *socket, unsigned seconds, char *why,
					size_t len);

__attribute__((visibility("default"))) char *
tessera_grant_module_encode_within(const char *text, const char *socket, unsigned seconds, char *why, size_t len);

#endif /* TESSERA_GRANT_MODULE_H */
