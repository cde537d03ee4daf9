/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is secret about a controller: keys and access keys, in files that are root's alone. Not installed.
 */
#ifndef TESSERA_VIPU_METADATA_H
#define TESSERA_VIPU_METADATA_H

#include <stddef.h>

#include "error.h"

/*
 * The whole of a file that decides whom we trust: root's or the effective user's, written by nobody else; if SECRET,
 * also closed to all others. To be given back with vipu_secret_free(). NULL with ERR: TESSERA_ERR_DENIED if it is too
 * open, TESSERA_ERR_MISSING if it cannot be read.
 */
char *vipu_secret_read(const char *path, int secret, size_t *len, struct tessera_error *err);

/* Wipe LEN bytes, and free them. NULL is fine. */
void vipu_secret_free(char *text, size_t len);

/*
 * TEXT has lines "name: value", empty ones and comments (#); it is changed. TAKE is called for each with "name: value",
 * the name in small letters, and returns 0 or -1 (no memory). Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): the
 * sentence has PATH, the line and the name, never a value.
 */
int vipu_metadata_parse(const char *path, char *text, int (*take)(const char *line, void *arg), void *arg,
			struct tessera_error *err);

#endif /* TESSERA_VIPU_METADATA_H */
