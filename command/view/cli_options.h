/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options common to several commands: the node, tessera.conf, and the format of a table; and how
 * all commands print users and times.
 */
#ifndef TESSERA_CLI_OPTIONS_H
#define TESSERA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "command/view/table.h"
#include "lib/node/node.h"
#include "lib/util/error.h"

struct cli_options {
	const char *node;    /* NULL: the node that runs the command */
	const char *conf;    /* NULL: the default path */
	const char *columns; /* NULL: the default columns */
	enum table_form form;
};

/* Path of tessera.conf without --conf: that of the plugin on this host. May point into BUF. */
const char *cli_usual_conf_path(char *buf, size_t len);

/* Path of tessera.conf: --conf, or the usual one. May point into BUF. */
const char *cli_conf_path(const struct cli_options *c, char *buf, size_t len);

/*
 * Read tessera.conf and store its PATH. Returns NULL with ERR. Free it with tessera_conf_free().
 */
struct tessera_conf *cli_open_conf(const struct cli_options *c, char *path, size_t len,
				   struct tessera_error *err);

/*
 * Open the node that --node names, or the one that runs the command. Close NODE with node_close()
 * in either case. Returns 0, or -1 with ERR. It is an error if --node names a node without a
 * platform in tessera.conf and without job records.
 */
int cli_node(const struct cli_options *c, struct node *node, struct tessera_error *err);

/* Set ERR: tessera.conf at CONF_PATH has no platform for NODE. Returns -1. */
int cli_unknown_node(const char *node, const char *conf_path, struct tessera_error *err);

/*
 * Call before topology_read(): hwloc prints errors on standard error, from 2.15 even that it cannot
 * read an XML file, which we report. A user who sets HWLOC_HIDE_ERRORS can see them.
 */
void cli_silence_hwloc(void);

/* The name of the user UID, or the number if there is no such user; in BUF. */
const char *cli_user(uint32_t uid, char *buf, size_t len);

/* A time as Slurm's commands print it, in BUF. */
const char *cli_time(time_t when, char *buf, size_t len);

#endif /* TESSERA_CLI_OPTIONS_H */
