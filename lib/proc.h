/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small files of /proc. Not installed: for libtessera.
 */
#ifndef TESSERA_PROC_H
#define TESSERA_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The start of the file NAME in the directory DIR (AT_FDCWD is the working one) into BUF, with a NUL after it. Returns 0; or
 * -1, errno says why not, and BUF is "".
 */
int proc_read(int dir, const char *name, char *buf, size_t size);

/* The first number in the line KEY of STATUS, a text as /proc/PID/status is. False if there is no such line. */
bool proc_number(const char *status, const char *key, unsigned long *number);

/* The parent in STAT, a text as /proc/PID/stat is; 0 if it cannot be read. */
pid_t proc_parent(const char *stat);

#endif /* TESSERA_PROC_H */
