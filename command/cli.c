/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/view/cli_options.h"
#include "lib/util/strbuf.h"

#define HELP       'h'
#define FIRST_LONG 256 /* getopt_long()'s value for the first row; above any letter */

int cli_fail(const struct tessera_error *err)
{
	fprintf(stderr, "tessera: %s\n", err->text);
	return tessera_error_exit(err);
}

int cli_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	fputs("tessera: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see tessera %s --help\n", command);
	return TESSERA_ERR_USAGE;
}

struct tessera_conf *cli_read_conf(const char *path, struct tessera_error *err)
{
	char buf[1024];
	const char *usual = cli_usual_conf_path(buf, sizeof(buf));
	struct tessera_conf *conf;

	/* A file that plugstack.conf names must exist. */
	if (path != NULL || strcmp(usual, TESSERA_CONF_PATH) != 0 || access(usual, F_OK) == 0)
		return tessera_conf_read(path != NULL ? path : usual, err);
	conf = tessera_conf_default();
	if (conf == NULL)
		tessera_error_nomem(err);
	return conf;
}

const struct tessera_platform *cli_platform(const struct tessera_conf *conf, const char *name,
					    struct tessera_error *err)
{
	const struct tessera_platform *p = NULL;
	char buf[sizeof(err->text)];
	struct strbuf names = strbuf_start(buf, sizeof(buf));

	if (name != NULL)
		return tessera_conf_platform(conf, name, err);
	if (tessera_conf_partition_platform(conf, NULL, &p, err) < 0)
		return NULL;
	if (p != NULL)
		return p;
	for (size_t n = 0; (p = tessera_conf_platform_at(conf, n)) != NULL; n++)
		strbuf_put(&names, "%s%s", n > 0 ? " " : "", p->name);
	tessera_error_set(err, TESSERA_ERR_USAGE,
			  "which platform? Add --platform=P, where P is one of: %s", buf);
	return NULL;
}

/* GOT: '?' or ':', as getopt_long() returned it for an option string that starts with ':'. */
static int report_bad_option(char **argv, int got)
{
	if (got == ':')
		return cli_usage(argv[0], "option '%s' needs a value", argv[optind - 1]);
	/* A short option may be in the middle of an argument that getopt has not finished. */
	if (optopt != 0 && strncmp(argv[optind - 1], "--", 2) != 0)
		return cli_usage(argv[0], "'-%c' is not an option", optopt);
	if (optopt != 0)
		return cli_usage(argv[0], "option '%s' takes no value", argv[optind - 1]);
	return cli_usage(argv[0], "'%s' is not an option", argv[optind - 1]);
}

static int argument_kind(enum cli_kind kind)
{
	if (kind == CLI_TEXT || kind == CLI_READ)
		return required_argument;
	return kind == CLI_READ_OPTIONAL || kind == CLI_REMOVED ? optional_argument : no_argument;
}

/* Fill LONGS and LETTERS for getopt_long(). */
static void build_tables(const struct cli_row *rows, enum cli_operands operands,
			 struct option *longs, char *letters)
{
	size_t n = 0;

	if (operands == CLI_COMMAND)
		*letters++ = '+';
	*letters++ = ':';
	*letters++ = HELP;
	for (; n < CLI_ROWS_MAX && rows[n].name != NULL; n++) {
		int argument = argument_kind(rows[n].kind);

		longs[n] = (struct option){rows[n].name, argument, NULL, FIRST_LONG + (int)n};
		/* A short option takes no optional argument: the 5 of -w 5 is an operand. */
		if (rows[n].letter != 0)
			*letters++ = rows[n].letter;
		if (rows[n].letter != 0 && argument == required_argument)
			*letters++ = ':';
	}
	*letters = '\0';
	longs[n] = (struct option){"help", no_argument, NULL, HELP};
	longs[n + 1] = (struct option){0};
}

static const struct cli_row *find_row(const struct cli_row *rows, int got)
{
	if (got >= FIRST_LONG)
		return &rows[got - FIRST_LONG];
	for (; rows->name != NULL; rows++)
		if (rows->letter != 0 && rows->letter == got)
			return rows;
	return NULL;
}

static int set_form(const char *command, const struct cli_row *rows, enum table_form *form,
		    enum table_form wanted)
{
	bool csv = false;

	for (; rows->name != NULL; rows++)
		csv |= rows->kind == CLI_CSV;
	if (*form != TABLE_PLAIN && *form != wanted)
		return cli_usage(command, "only one of --json%s and --raw can be given",
				 csv ? ", --csv" : "");
	*form = wanted;
	return TESSERA_OK;
}

static int store_option(const char *command, const struct cli_row *rows, const struct cli_row *row)
{
	switch (row->kind) {
	case CLI_TEXT:
		*(const char **)row->to = optarg;
		break;
	case CLI_SET:
	case CLI_UNSET:
		*(bool *)row->to = row->kind == CLI_SET;
		break;
	case CLI_JSON:
		return set_form(command, rows, row->to, TABLE_JSON);
	case CLI_RAW:
		return set_form(command, rows, row->to, TABLE_RAW);
	case CLI_CSV:
		return set_form(command, rows, row->to, TABLE_CSV);
	case CLI_READ:
	case CLI_READ_OPTIONAL:
		return row->read(command, optarg, row->to);
	case CLI_REMOVED:
		return cli_usage(command, "--%s was removed: %s", row->name, (const char *)row->to);
	}
	return TESSERA_OK;
}

int cli_parse(int argc, char **argv, const struct cli_row *rows, enum cli_operands operands,
	      void (*help)(void))
{
	struct option longs[CLI_ROWS_MAX + 2];
	char letters[2 * CLI_ROWS_MAX + sizeof("+:h")];
	const struct cli_row *row;
	int got, code;

	build_tables(rows, operands, longs, letters);
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (got == HELP) {
			help();
			return TESSERA_OK;
		}
		row = find_row(rows, got);
		if (row == NULL)
			return report_bad_option(argv, got);
		code = store_option(argv[0], rows, row);
		if (code != TESSERA_OK)
			return code;
	}
	if (operands == CLI_NO_OPERANDS && optind != argc)
		return cli_usage(argv[0], "'%s' is not an option", argv[optind]);
	return CLI_GO_ON;
}
