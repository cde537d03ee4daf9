/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share: the option parser, error messages, and reading tessera.conf.
 */
#ifndef TESSERA_CLI_H
#define TESSERA_CLI_H

#include <unistd.h> /* optind */

#include "command/view/cli_options.h"
#include "lib/conf/conf.h"
#include "lib/tile/platform.h"
#include "lib/util/error.h"

#define CLI_ROWS_MAX 32
#define CLI_GO_ON    (-1) /* returned by cli_parse(): no error, run the command */

enum cli_kind {
	CLI_TEXT,  /* const char *: the argument */
	CLI_SET,   /* bool: true */
	CLI_UNSET, /* bool: false */
	CLI_JSON,  /* enum table_form; the user may give only one of the three */
	CLI_RAW,
	CLI_CSV,
	CLI_READ,          /* calls read() with the argument */
	CLI_READ_OPTIONAL, /* calls read() with the argument, or NULL if there is none */
	CLI_REMOVED,       /* char[]: an option of an earlier release, and what to do instead */
};

struct cli_row {
	const char *name; /* without dashes; NULL ends the table */
	char letter;      /* short option; 0: none */
	enum cli_kind kind;
	void *to;
	/* Returns TESSERA_OK, or the exit code after cli_usage(COMMAND, ...). */
	int (*read)(const char *command, const char *text, void *to);
};

/*
 * Rows that fill a struct cli_options: CLI_WHERE selects the node and tessera.conf, CLI_FORM the
 * columns and format of a table.
 */
#define CLI_WHERE(c)                                 \
	{"conf", 0, CLI_TEXT, &(c).conf, NULL},      \
	{                                            \
		"node", 0, CLI_TEXT, &(c).node, NULL \
	}
#define CLI_FORM(c)                                                                             \
	{"columns", 'o', CLI_TEXT, &(c).columns, NULL}, {"json", 0, CLI_JSON, &(c).form, NULL}, \
	{                                                                                       \
		"raw", 0, CLI_RAW, &(c).form, NULL                                              \
	}
#define CLI_END                              \
	{                                    \
		NULL, 0, CLI_SET, NULL, NULL \
	}

enum cli_operands {
	CLI_NO_OPERANDS, /* any is an error */
	CLI_OPERANDS,    /* before, between or after options */
	CLI_COMMAND,     /* the first operand ends the options */
};

/*
 * Parse the options of the command argv[0] and store them where ROWS point. --help and -h call
 * HELP and need no row. Returns CLI_GO_ON with the first operand at argv[optind], or the exit
 * code: TESSERA_OK after --help, TESSERA_ERR_USAGE after a message on standard error.
 */
int cli_parse(int argc, char **argv, const struct cli_row *rows, enum cli_operands operands,
	      void (*help)(void));

/* Print ERR on standard error. Returns the exit code. */
int cli_fail(const struct tessera_error *err);

/* Print a usage error of COMMAND, with a hint at --help. Returns TESSERA_ERR_USAGE. */
int cli_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Read PATH, or, if that is NULL, tessera.conf as cli_usual_conf_path() finds it; it may be
 * missing unless plugstack.conf names it. Returns NULL with ERR. Free it with tessera_conf_free().
 */
struct tessera_conf *cli_read_conf(const char *path, struct tessera_error *err);

/*
 * Find the platform NAME, or, if that is NULL, the platform common to all partitions of CONF.
 * Returns NULL with ERR: TESSERA_ERR_USAGE with a list of platforms if the partitions differ.
 */
const struct tessera_platform *cli_platform(const struct tessera_conf *conf, const char *name,
					    struct tessera_error *err);

#endif /* TESSERA_CLI_H */
