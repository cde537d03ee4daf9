/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doing in a process of its own what may hang and cannot be told to give up. Not installed: for libtessera, the plugins
 * and the command.
 */
#ifndef TESSERA_APART_H
#define TESSERA_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

/*
 * Call WORK with ARG in a copy of this process, which ends with it, or with us, or is killed at DEADLINE (deadline.h).
 * What it writes to FD comes into BUF, with a NUL after it; LEN bytes or more are too much. Returns how many, or -1 with
 * ERR (TESSERA_ERR_MISSING): it could not be started, wrote too much, or took too long. It must not touch what threads
 * of this process may have locked; memory it may take.
 */
ssize_t apart_do(void (*work)(int fd, void *arg), void *arg, int64_t deadline, char *buf, size_t len,
		 struct tessera_error *err);

/*
 * Wait a second for PID, a child of ours that was killed, and set *STATUS. False: it is not gone, since the kernel is busy
 * for it or a tracer keeps it, and is left behind.
 */
bool apart_gone(pid_t pid, int *status);

#endif /* TESSERA_APART_H */
