/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a function in a child process: because it may hang and cannot be interrupted, or because
 * the caller cannot wait for it. Not installed.
 */
#ifndef TESSERA_CHILD_H
#define TESSERA_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/util/error.h"

/*
 * Call WORK with ARG in a forked child, which exits when WORK returns, dies with this process, and
 * is killed at DEADLINE (deadline.h). What WORK writes to FD is copied to BUF and terminated with a
 * NUL; it must be shorter than LEN bytes. Returns the number of bytes, or -1 with ERR
 * (TESSERA_ERR_UNAVAILABLE): the child could not be started, wrote too much, or timed out. WORK
 * may call malloc(), but must not need any other lock that a thread of this process may hold.
 */
ssize_t child_call(void (*work)(int fd, void *arg), void *arg, int64_t deadline, char *buf,
		   size_t len, struct tessera_error *err);

/*
 * Wait at most one second for PID, a killed child of this process, and set *STATUS. Returns false
 * if it has not ended by then (it hangs in the kernel, or a tracer stops it); it then stays
 * unreaped.
 */
bool child_has_ended(pid_t pid, int *status);

/*
 * Call WORK with ARG in a detached process, which is not a child of this one and is not waited for.
 * Returns 0, or -1 with errno if it cannot be forked.
 */
int child_detach(void (*work)(const void *arg), const void *arg);

#endif /* TESSERA_CHILD_H */
