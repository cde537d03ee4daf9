/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that several commands have, and what they are for.
 */
#ifndef TESSERA_COMMON_H
#define TESSERA_COMMON_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "gres/table.h"
#include "lib/error.h"
#include "plugin/node.h"

struct common {
	const char *node;    /* NULL: this machine's */
	const char *conf;    /* NULL: where it usually is */
	const char *columns; /* NULL: the usual ones */
	enum table_form form;
};

/* Lines for getopt_long(); the letters are common_option()'s. */
#define COMMON_WHERE                                 \
	{"conf", required_argument, NULL, 'c'},      \
	{                                            \
		"node", required_argument, NULL, 'N' \
	}
#define COMMON_FORM                                                                  \
	{"columns", required_argument, NULL, 'o'}, {"json", no_argument, NULL, 'j'}, \
	{                                                                            \
		"raw", no_argument, NULL, 'r'                                        \
	}

/*
 * Take the option that getopt_long() GOT, if it is one of these. False also for the second of --json and --raw, to which
 * command_bad_option() has the sentence.
 */
bool common_option(struct common *c, int got);

/* Where tessera.conf is: --conf, or beside the slurm.conf in use. May point into BUF. */
const char *common_conf_path(const struct common *c, char *buf, size_t len);

/*
 * The node that the command is about, by --node or where we are; to be given back with node_close() in any case. Returns
 * 0, or -1 with ERR, also for a node that --node names, tessera.conf has no platform for, and no job has left a note on.
 */
int common_node(const struct common *c, struct node *node, struct tessera_error *err);

/* The sentence for that. Returns -1. */
int common_unknown_node(const char *node, const char *conf_path, struct tessera_error *err);

/* The name of a user, or the number if nobody has it; in BUF. */
const char *common_user(uint32_t uid, char *buf, size_t len);

/* A time as Slurm's commands write it, in BUF. */
const char *common_time(time_t when, char *buf, size_t len);

#endif /* TESSERA_COMMON_H */
