/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading files whole, and whether to believe them. Not installed: for libtessera and the plugins.
 */
#ifndef TESSERA_FILE_H
#define TESSERA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "error.h"

/*
 * Who can write a file or directory decides what is done because of it, often by root: it must belong to root or the
 * effective user, and neither group nor others may write to it. Returns 0, or -1 with ERR (TESSERA_ERR_DENIED).
 */
int file_check_trust(const char *path, const struct stat *st, struct tessera_error *err);

/*
 * The whole of a regular file that is open as FD, with a NUL after its *LEN bytes; PATH is for sentences. TRUSTED:
 * only if file_check_trust() agrees. To be freed by the caller. NULL with ERR otherwise (TESSERA_ERR_MISSING when it
 * is no regular file, larger than MAX_MIB, or cannot be read).
 */
char *file_read(int fd, const char *path, size_t max_mib, bool trusted, size_t *len, struct tessera_error *err);

/* Are A and B of one version of one file? Whatever is done to a file, its inode or one of its times changes. */
bool file_same_version(const struct stat *a, const struct stat *b);

/* The kind of errno's trouble, where something is to be changed: not permitted, or not possible. */
enum tessera_errcode file_errno_code(void);

#endif /* TESSERA_FILE_H */
