/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can a node's state directory take what a prolog has to write? Not installed: for libtessera and the plugins.
 */
#ifndef TESSERA_STATE_DIR_H
#define TESSERA_STATE_DIR_H

#include <stdbool.h>
#include <sys/statvfs.h>

#include "error.h"

/*
 * Two system calls, and nothing is written. Returns 0, or -1 with ERR: TESSERA_ERR_MISSING when DIR is missing, is not a
 * directory, is full or is on a read-only file system, TESSERA_ERR_DENIED when its owner or mode is not to be trusted.
 */
int state_dir_check(const char *dir, struct tessera_error *err);

/* The errno of a write to the file system: EROFS, ENOSPC (no blocks or no inodes left), or 0. ROOT may use the reserve. */
int state_dir_errno(const struct statvfs *fs, bool root);

/* Make DIR (mode 755; its parents must exist) if it is missing, then check it as above. */
int state_dir_make(const char *dir, struct tessera_error *err);

#endif /* TESSERA_STATE_DIR_H */
