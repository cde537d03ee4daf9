/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running tessera-vipu, which speaks to V-IPU controllers, with a deadline: Slurm's processes never
 * load libcurl and protobuf, and a hanging controller does not block them.
 */
#ifndef TESSERA_VIPU_HELPER_H
#define TESSERA_VIPU_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/util/error.h"

#define HELPER_GRACE_S 5 /* between the helper's own deadline and SIGKILL */

struct vipu_helper {
	const char *program;   /* owner and sole writer must be root or the caller */
	const char *conf_path; /* tessera.conf */
	const char *node;
	unsigned seconds;         /* until it is killed */
	bool (*go_on)(void *arg); /* called every two seconds; false: kill it. NULL: always true */
	void *arg;
	int64_t ask_until; /* go_on() is not called after this deadline; 0 = always */
};

/*
 * Run the helper with the NULL-terminated arguments WORDS, and wait for it. Its standard output
 * goes to OUT, cut to LEN, NUL-terminated; OUT may be NULL. It gets an empty environment and no
 * open files. Returns 0, or -1 with ERR: its standard error, with its exit status as the code;
 * TESSERA_ERR_DENIED if another user could have written it, TESSERA_ERR_UNAVAILABLE if it does not
 * exist, was killed or timed out.
 */
int vipu_helper_run(const struct vipu_helper *helper, const char *const *words, char *out,
		    size_t len, struct tessera_error *err);

/* Format "--name=number" in BUF, for vipu_helper_run(). Returns BUF. */
const char *vipu_helper_number(char *buf, size_t len, const char *name, uint32_t number);

#endif /* TESSERA_VIPU_HELPER_H */
