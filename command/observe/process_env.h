/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of another process. The process can overwrite it: do not trust it.
 */
#ifndef TESSERA_PROCESS_ENV_H
#define TESSERA_PROCESS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/node/device_users.h"
#include "lib/util/error.h"

#define PROCESS_ENV_MIB 8 /* Linux starts no program with more */

struct process_env {
	char *text; /* NAME=VALUE, each ended by a NUL, and one more NUL */
	size_t len; /* without that */
};

/*
 * Read the environment of PID. PROC is "/proc", or a test's substitute. A process can block a
 * reader of its memory, so reading takes a few seconds at most, and at most *LEFT milliseconds,
 * which are reduced by the time taken. LEFT NULL: no such limit. Free ENV in any case. Returns 0,
 * or -1 with ERR: TESSERA_ERR_DENIED without permission, else TESSERA_ERR_UNAVAILABLE.
 */
int process_env_read(const char *proc, pid_t pid, int64_t *left, struct process_env *env,
		     struct tessera_error *err);

/* The value of the first NAME, or NULL. */
const char *process_env_find(const struct process_env *env, const char *name);

/*
 * Has it no variable at all? Then the process has ended, or has overwritten its environment with a
 * title for ps(1).
 */
bool process_env_empty(const struct process_env *env);

void process_env_free(struct process_env *env);

/* Is the pid still that of PROCESS? If not, what was read may be of another process. */
bool process_is_same(const char *proc, const struct device_user *process);

#endif /* TESSERA_PROCESS_ENV_H */
