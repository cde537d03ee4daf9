/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running another program without a shell, with a time limit. Not installed. */
#ifndef TESSERA_RUN_H
#define TESSERA_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/util/error.h"

#define RUN_SAID_MAX  512 /* bytes of the last line on standard error, with the final NUL */
#define RUN_WORDS_MAX 32  /* words of a command line */

struct run {
	const char *const *argv; /* argv[0] is an absolute path; ends with NULL */
	int64_t deadline;        /* deadline.h: when to kill the program */
	/* called every two seconds; false: kill the program. NULL: never called */
	bool (*go_on)(void *arg);
	void *arg;
	/* deadline.h: go_on is not called later, since it may take too long; 0: no limit */
	int64_t ask_until;
	/* receives standard output, cut to LEN, with a NUL; NULL: joined with standard error */
	char *out;
	size_t len;
};

/*
 * Split COMMAND, which is modified, at spaces and tabs into ARGV, terminated by NULL. Returns 0, or
 * -1 with ERR (TESSERA_ERR_INPUT) when it has no words, or more than RUN_WORDS_MAX.
 */
int run_words(char *command, const char *argv[RUN_WORDS_MAX + 1], struct tessera_error *err);

/*
 * Run the program with only PATH in its environment, standard input from /dev/null, no other
 * inherited descriptors, and its own process group. The whole group is killed when the program
 * ends, and the program is killed if this process dies. LAST_LINE is set to the last line of
 * standard error, cleaned for display (utf8.h); the rest is discarded. Returns the exit status, or
 * 128 plus the signal number; or -1 with ERR (TESSERA_ERR_UNAVAILABLE) when the program could not
 * be started or was killed. A killed program that hangs in a driver is left running after one more
 * second, and ERR says so.
 */
int run_program(const struct run *run, char last_line[RUN_SAID_MAX], struct tessera_error *err);

#endif /* TESSERA_RUN_H */
