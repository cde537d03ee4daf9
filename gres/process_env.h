/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of another process, as it was started with, or as it has made it up since: nothing in it is to be
 * trusted.
 */
#ifndef TESSERA_PROCESS_ENV_H
#define TESSERA_PROCESS_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/holders.h"

#define PROCESS_ENV_MIB 8 /* Linux starts no program with more */

struct process_env {
	char *text; /* NAME=VALUE, each ended by a NUL, and one more NUL */
	size_t len; /* without that */
};

/*
 * Read it. PROC is "/proc", or what a test puts in its place. A process can make a reader of its memory wait, so that
 * is given a few seconds, and no more than *LEFT milliseconds, from which what it took is subtracted: with none left
 * nothing is read. LEFT NULL: nobody counts. ENV is to be freed in any case. Returns 0, or -1 with ERR:
 * TESSERA_ERR_DENIED if we may not, TESSERA_ERR_MISSING otherwise.
 */
int process_env_read(const char *proc, pid_t pid, int64_t *left, struct process_env *env,
		     struct tessera_error *err);

/* The value of the first NAME, or NULL. */
const char *process_env_find(const struct process_env *env, const char *name);

/*
 * Is there no variable in it at all? So it is of a process that has ended, and of one that writes what it is doing over its
 * environment, for ps(1) to show: then nothing is known of what it was started with.
 */
bool process_env_empty(const struct process_env *env);

void process_env_free(struct process_env *env);

/* Has it been PROCESS all the time? What was read by its number may be another's otherwise. */
bool process_is_same(const char *proc, const struct holder *process);

#endif /* TESSERA_PROCESS_ENV_H */
