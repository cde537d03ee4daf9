/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running another program: without a shell, for so long and no longer. Not installed.
 */
#ifndef TESSERA_RUN_H
#define TESSERA_RUN_H

#include <stdint.h>

#include "error.h"

#define RUN_SAID_MAX 256 /* of what it said last */

/*
 * Run ARGV[0], an absolute path, with ARGV and no environment but a PATH, nothing to read, in a process group of its
 * own, which is killed at DEADLINE (deadline.h), and with us. SAID is set to the last line that it wrote on standard
 * output or standard error, with ? for control characters; the rest is thrown away. Returns its exit status, 128 and
 * the signal's number if one ended it; or -1 with ERR (TESSERA_ERR_MISSING) when it could not be started or had to be
 * killed.
 */
int run_program(char *const argv[], int64_t deadline, char said[RUN_SAID_MAX], struct tessera_error *err);

#endif /* TESSERA_RUN_H */
