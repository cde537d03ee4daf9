/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running another program: without a shell, for so long and no longer. Not installed: for libtessera and the plugins.
 */
#ifndef TESSERA_RUN_H
#define TESSERA_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define RUN_SAID_MAX  512 /* of what it said last */
#define RUN_WORDS_MAX 32  /* of a command line */

struct run {
	const char *const *argv;  /* the first is an absolute path; a NULL after the last */
	int64_t deadline;         /* deadline.h: it is killed then */
	bool (*go_on)(void *arg); /* asked every other second; false: it is killed. NULL: always wanted */
	void *arg;
	int64_t ask_until; /* it is not asked after that: its answer might come too late; 0: to the end */
	char *out; /* for its standard output, cut to LEN, with a NUL; NULL: that goes where its errors go */
	size_t len;
};

/*
 * Cut COMMAND, which is changed, at blanks, into ARGV with a NULL after the last. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT) when there is no word, or more than RUN_WORDS_MAX.
 */
int run_words(char *command, const char *argv[RUN_WORDS_MAX + 1], struct tessera_error *err);

/*
 * Run it with no environment but a PATH, no files but these outputs, nothing to read, in a process group of its own,
 * which is killed when it has ended, and with us. SAID is set to the last line that it wrote on standard error, fit to
 * be shown (text.h); the rest is thrown away. Returns its exit status, 128 and the signal's number if one ended it; or -1 with ERR
 * (TESSERA_ERR_MISSING) when it could not be started or had to be killed. One that hangs in a driver outlives that: it is
 * left behind after another second, and ERR says so.
 */
int run_program(const struct run *run, char said[RUN_SAID_MAX], struct tessera_error *err);

#endif /* TESSERA_RUN_H */
