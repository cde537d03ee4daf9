/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera report: held and used accelerator time by user, account, job, day or node.
 */
#include "config.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "command/view/report.h"
#include "gres/accounting/accounting.h"
#include "lib/slurm/compat.h"

#define USUAL_DAYS 30

struct options {
	const char *conf;
	const char *start, *end; /* as typed; NULL: not given */
	struct accounting_query query;
	enum tessera_usage_by by;
	enum table_form form;
	const char *columns;
	bool chart;
	const char *svg;
};

static void print_help(void)
{
	puts("Usage: tessera report [OPTION]...\n"
	     "\n"
	     "Show how long jobs held RDUs, tiles and IPUs, and how much of that they used.\n"
	     "\n"
	     "  -S, --start=TIME      start of the report, as for sacct: 2026-11-01, now-7days\n"
	     "                        (default: 30 days before the end)\n"
	     "  -E, --end=TIME        end of the report (default: now)\n"
	     "  -u, --user=LIST       only jobs of these users\n"
	     "  -A, --account=LIST    only jobs of these accounts\n"
	     "  -r, --partition=LIST  only jobs of these partitions\n"
	     "  -j, --job=LIST        only these jobs; without --start, at any time\n"
	     "      --by=WHAT         one row per user (default), account, job, day or node\n"
	     "  -o, --columns=LIST    columns to print; +LIST adds to the default ones\n"
	     "      --json, --csv     print seconds, for programs; null or empty if unknown\n"
	     "      --raw             print the table without padding\n"
	     "      --chart           draw bars in the terminal\n"
	     "      --svg=FILE        write the chart as an SVG image\n"
	     "      --conf=FILE       use FILE instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera report --start=now-7days --account=physics --by=day");
}

static bool find_by(const char *text, enum tessera_usage_by *by)
{
	static const struct {
		const char *word;
		enum tessera_usage_by by;
	} words[] = {{"user", TESSERA_USAGE_BY_USER},
		     {"account", TESSERA_USAGE_BY_ACCOUNT},
		     {"job", TESSERA_USAGE_BY_JOB},
		     {"day", TESSERA_USAGE_BY_DAY},
		     {"node", TESSERA_USAGE_BY_NODE}};

	for (size_t n = 0; n < sizeof(words) / sizeof(*words); n++) {
		if (strcmp(text, words[n].word) == 0) {
			*by = words[n].by;
			return true;
		}
	}
	return false;
}

/* Silences slurm_parse_time(), which prints errors of its own on standard error. */
static time_t parse_time(const char *text)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *copy = strdup(text);
	time_t when = 0;

	if (saved >= 0 && null >= 0)
		dup2(null, STDERR_FILENO);
	if (copy != NULL && *copy != '\0')
		when = slurm_parse_time(copy, 1);
	if (saved >= 0) {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	if (null >= 0)
		close(null);
	free(copy);
	return when;
}

static int read_time(const char *option, const char *text, time_t *when, struct tessera_error *err)
{
	*when = parse_time(text);
	if (*when > 0)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s: '%s' is not a time that sacct accepts, such as 2026-11-01, "
				 "2026-11-01T12:00, today, now-7days, 12:00",
				 option, text);
}

static int read_window(struct options *options, time_t now, struct tessera_error *err)
{
	struct accounting_query *query = &options->query;
	char from[32], to[32];

	query->end = now;
	if (options->end != NULL && read_time("--end", options->end, &query->end, err) < 0)
		return -1;
	query->start = query->end - (time_t)USUAL_DAYS * 24 * 3600;
	/* A report on selected jobs covers their whole run. */
	if (query->jobs != NULL || query->start < 1)
		query->start = 1;
	if (options->start != NULL && read_time("--start", options->start, &query->start, err) < 0)
		return -1;
	if (query->end > query->start)
		return 0;
	cli_time(query->start, from, sizeof(from));
	cli_time(query->end, to, sizeof(to));
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "the end, %s, is not after the start, %s: change --start or --end",
				 to, from);
}

static int print_report(const struct options *options, const struct report *report,
			struct tessera_error *err)
{
	if (options->svg != NULL)
		return report_svg(report, options->svg, err);
	if (options->chart) {
		setlocale(LC_CTYPE, "");
		report_chart(report, stdout, table_width(stdout),
			     strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
		return 0;
	}
	return report_table(report, options->columns, options->form, stdout, err);
}

/* Print on standard error what limits the sums. Returns the exit code. */
static int print_remarks(struct accounting *acc, const struct report *report)
{
	const struct accounting_trouble *trouble = accounting_trouble(acc);
	char from[32], to[32];

	if (accounting_is_private(acc))
		fputs("tessera: slurmdbd hides other users' jobs (PrivateData): the sums only "
		      "include jobs that you may see\n",
		      stderr);
	if (report->count == 0) {
		cli_time(report->start, from, sizeof(from));
		cli_time(report->end, to, sizeof(to));
		fprintf(stderr, "tessera: no matching job held accelerators from %s to %s\n", from,
			to);
	}
	if (report->total->outside > 0)
		fputs("tessera: jobs used tiles that they did not hold: list them with --by=job "
		      "-o+outside_tile_seconds\n",
		      stderr);
	if (trouble->comments + trouble->tres == 0)
		return TESSERA_OK;
	fprintf(stderr,
		"tessera: the accounting records of %zu jobs are damaged, their use counts as "
		"unknown; the first is job %s: %s\n",
		trouble->comments + trouble->tres, trouble->job, trouble->text);
	return TESSERA_ERR_INPUT;
}

static int add_record(const struct tessera_usage_record *record, void *arg,
		      struct tessera_error *err)
{
	return tessera_usage_add(arg, record, err) < 0 ? -1 : 0;
}

static int run_report(struct options *options)
{
	struct tessera_error err = {0};
	struct accounting_query *query = &options->query;
	struct tessera_conf *conf = NULL;
	struct accounting *acc = NULL;
	struct tessera_usage *usage = NULL;
	struct report report = {.by = options->by};
	time_t now = time(NULL);
	int code = TESSERA_OK;

	slurm_init(NULL);
	query->nodes = options->by == TESSERA_USAGE_BY_NODE;
	conf = cli_read_conf(options->conf, &err);
	if (conf == NULL || read_window(options, now, &err) < 0)
		goto failed;
	acc = accounting_open(conf, &err);
	if (acc == NULL)
		goto failed;
	usage = tessera_usage_new(options->by, query->start, query->end, now, &err);
	if (usage == NULL || accounting_read(acc, query, add_record, usage, &err) < 0)
		goto failed;
	report.conf = conf;
	report.start = query->start;
	report.end = query->end;
	report.total = tessera_usage_total(usage);
	if (tessera_usage_rows(usage, &report.rows, &report.count, &err) < 0 ||
	    print_report(options, &report, &err) < 0)
		goto failed;
	code = print_remarks(acc, &report);
	goto cleanup;
failed:
	code = cli_fail(&err);
cleanup:
	free(report.rows);
	tessera_usage_free(usage);
	accounting_close(acc);
	tessera_conf_free(conf);
	return code;
}

static int read_by(const char *command, const char *text, void *to)
{
	if (find_by(text, to))
		return TESSERA_OK;
	return cli_usage(command, "--by=%s must be user, account, job, day or node", text);
}

int cmd_report(int argc, char **argv)
{
	struct options o = {.by = TESSERA_USAGE_BY_USER, .form = TABLE_PLAIN};
	const struct cli_row rows[] = {
		{"account", 'A', CLI_TEXT, &o.query.accounts, NULL},
		{"by", 0, CLI_READ, &o.by, read_by},
		{"chart", 0, CLI_SET, &o.chart, NULL},
		{"columns", 'o', CLI_TEXT, &o.columns, NULL},
		{"conf", 0, CLI_TEXT, &o.conf, NULL},
		{"csv", 0, CLI_CSV, &o.form, NULL},
		{"end", 'E', CLI_TEXT, &o.end, NULL},
		{"job", 'j', CLI_TEXT, &o.query.jobs, NULL},
		{"json", 0, CLI_JSON, &o.form, NULL},
		{"partition", 'r', CLI_TEXT, &o.query.partitions, NULL},
		{"raw", 0, CLI_RAW, &o.form, NULL},
		{"start", 'S', CLI_TEXT, &o.start, NULL},
		{"svg", 0, CLI_TEXT, &o.svg, NULL},
		{"user", 'u', CLI_TEXT, &o.query.users, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	if ((o.chart || o.svg != NULL) && (o.form != TABLE_PLAIN || o.columns != NULL))
		return cli_usage(
			argv[0],
			"--chart and --svg cannot be combined with --columns, --json, --csv "
			"or --raw");
	return run_report(&o);
}
