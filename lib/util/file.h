/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading whole files, and checking their owner and mode. Not installed. */
#ifndef TESSERA_FILE_H
#define TESSERA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "lib/util/error.h"

/*
 * Check that PATH, a file or directory whose contents root acts upon, is owned by root or the
 * effective user and is not writable by group or others. Returns 0, or -1 with ERR
 * (TESSERA_ERR_DENIED).
 */
int file_check_trust(const char *path, const struct stat *st, struct tessera_error *err);

/*
 * Read all of the regular file open as FD; PATH is for messages. If TRUSTED, file_check_trust()
 * must accept it. Returns its *LEN bytes with a NUL after them, to be freed by the caller; or NULL
 * with ERR (TESSERA_ERR_DENIED; TESSERA_ERR_IO when it is not a regular file, is larger than
 * MAX_MIB, or cannot be read; TESSERA_ERR_NOMEM).
 */
char *file_read(int fd, const char *path, size_t max_mib, bool trusted, size_t *len,
		struct tessera_error *err);

/*
 * Do A and B describe the same, unchanged file? Any change to a file changes its inode, size or one
 * of its times.
 */
bool file_same_version(const struct stat *a, const struct stat *b);

/* The error code for errno after a failed write: TESSERA_ERR_DENIED or TESSERA_ERR_IO. */
enum tessera_errcode file_errno_code(void);

#endif /* TESSERA_FILE_H */
