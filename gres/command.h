/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share: each is a function that gets its own name as argv[0] and returns the exit code.
 */
#ifndef TESSERA_COMMAND_H
#define TESSERA_COMMAND_H

#include "lib/conf.h"
#include "lib/error.h"
#include "lib/platform.h"

int command_mask(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_conf_lines(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_health(int argc, char **argv);
int command_mark(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_pool(int argc, char **argv);
int command_reap(int argc, char **argv);
int command_status(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_report(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_guard(int argc, char **argv);
int command_task(int argc, char **argv);
int command_topology(int argc, char **argv);

/* Print what ERR says on standard error. Returns the exit code. */
int command_fail(const struct tessera_error *err);

/*
 * The command was called wrongly: print why, and where help is. Returns the exit code. command_bad_option() does so
 * for the '?' or ':' that getopt_long() returned (option string with a leading ':').
 */
int command_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int command_bad_option(char **argv, int got);

/*
 * Read PATH, or, if that is NULL, tessera.conf as conf_path_beside_slurm() finds it; only the latter may be missing.
 * Returns NULL with ERR. To be freed with tessera_conf_free().
 */
struct tessera_conf *command_conf(const char *path, struct tessera_error *err);

/*
 * The platform called NAME, or, if that is NULL, the one that all the configuration's partitions share. Returns
 * NULL with ERR: TESSERA_ERR_USAGE, with a list of platforms, when nothing says which.
 */
const struct tessera_platform *command_platform(const struct tessera_conf *conf, const char *name,
						struct tessera_error *err);

#endif /* TESSERA_COMMAND_H */
