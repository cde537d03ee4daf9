/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that a node's state directory is writable, before a prolog needs it. Not installed. */
#ifndef TESSERA_STATE_DIR_H
#define TESSERA_STATE_DIR_H

#include <stdbool.h>
#include <sys/statvfs.h>

#include "lib/util/error.h"

/*
 * Check DIR without writing to it. Returns 0, or -1 with ERR: TESSERA_ERR_IO when DIR is missing,
 * is not a directory, or its file system is full or read-only; TESSERA_ERR_DENIED when
 * file_check_trust() rejects its owner or mode.
 */
int state_dir_check(const char *dir, struct tessera_error *err);

/*
 * The errno that a write to the file system would fail with: EROFS, ENOSPC (no free blocks or
 * inodes), or 0. ROOT may also use the reserved blocks.
 */
int state_dir_errno(const struct statvfs *fs, bool root);

/* Create DIR (mode 755) if it is missing, but not its parents; then check it as above. */
int state_dir_make(const char *dir, struct tessera_error *err);

#endif /* TESSERA_STATE_DIR_H */
