/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a controller's connection needs: certificates, keys, and metadata such as access keys.
 * Not installed.
 */
#ifndef TESSERA_SECRETS_H
#define TESSERA_SECRETS_H

#include <stddef.h>

#include "lib/util/error.h"

/*
 * Read a file that must belong to root or the effective user and be writable by its owner only; if
 * SECRET, it must also be accessible to its owner only. The result is to be freed with
 * vipu_secret_free(). Returns NULL with ERR: TESSERA_ERR_DENIED if owner or mode are wrong,
 * TESSERA_ERR_UNAVAILABLE if it cannot be read.
 */
char *vipu_secret_read(const char *path, int secret, size_t *len, struct tessera_error *err);

/* Wipe LEN bytes of TEXT and free it. TEXT may be NULL. */
void vipu_secret_free(char *text, size_t len);

/*
 * Parse TEXT, which has lines "name: value", empty lines and comments (#), and is modified. ADD is
 * called for each with "name: value", the name in lower case, and returns 0, or -1 if out of
 * memory. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT), whose text has PATH, the line's number and
 * the name, never a value.
 */
int secrets_parse(const char *path, char *text, int (*add)(const char *line, void *arg), void *arg,
		  struct tessera_error *err);

#endif /* TESSERA_SECRETS_H */
