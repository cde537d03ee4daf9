/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that speaks with V-IPU controllers, run with a deadline: libcurl and protobuf never come into a Slurm
 * process, and whatever hangs there ends here.
 */
#ifndef TESSERA_HELPER_H
#define TESSERA_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define HELPER_GRACE_S 5 /* that it has beyond the deadline that it was told, before it is killed */

struct helper {
	const char *program;   /* must be root's or ours, and nobody else's to write */
	const char *conf_path; /* tessera.conf */
	const char *node;
	unsigned seconds;         /* after which it is killed */
	bool (*go_on)(void *arg); /* asked every other second; false: it is killed. NULL: always */
	void *arg;
	int64_t ask_until; /* deadline.h: it is not asked after that; 0: to the end */
};

/*
 * Run it with WORDS (a NULL after the last), and wait for its end. Its standard output comes into OUT, cut to LEN, with
 * a NUL; OUT may be NULL. It has an empty environment, and no file of ours. Returns 0, or -1 with ERR: what it said
 * under the code it ended with; TESSERA_ERR_DENIED if it is not to be trusted, TESSERA_ERR_MISSING if it is not there,
 * was killed, or took too long.
 */
int helper_run(const struct helper *helper, const char *const *words, char *out, size_t len,
	       struct tessera_error *err);

/* A word "--name=number" in BUF, for helper_run(). */
const char *helper_number(char *buf, size_t len, const char *name, uint32_t number);

#endif /* TESSERA_HELPER_H */
