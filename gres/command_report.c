/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera report: who held how many accelerators for how long, and how much of that was used.
 */
#include "config.h"

#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/accounting.h"
#include "gres/command.h"
#include "gres/common.h"
#include "gres/report.h"
#include "plugin/slurm_compat.h"

#define USUAL_DAYS 30

struct options {
	const char *conf;
	const char *start, *end; /* as typed; NULL: not given */
	struct accounting_query query;
	enum usage_by by;
	enum table_form form;
	const char *columns;
	bool chart;
	const char *svg;
};

static void print_help(void)
{
	puts("Usage: tessera report [OPTION]...\n"
	     "\n"
	     "Who held RDUs, tiles and IPUs, for how long, and how much of that was used.\n"
	     "\n"
	     "  -S, --start=TIME      from here on, as sacct reads it: 2026-11-01, now-7days\n"
	     "  -E, --end=TIME        up to here (now); the usual start is 30 days before\n"
	     "  -u, --user=LIST       these users' jobs\n"
	     "  -A, --account=LIST    these accounts' jobs\n"
	     "  -r, --partition=LIST  jobs of these partitions\n"
	     "  -j, --job=LIST        these jobs, whenever they ran if there is no --start\n"
	     "      --by=WHAT         a row for each user (usual), account, job, day or node\n"
	     "  -o, --columns=LIST    these columns; +LIST adds to the usual ones\n"
	     "      --json, --csv     for programs: seconds; null or nothing if unknown\n"
	     "      --raw             a table without padding\n"
	     "      --chart           bars in the terminal\n"
	     "      --svg=FILE        the same as a picture\n"
	     "      --conf=FILE       instead of tessera.conf beside slurm.conf\n"
	     "\n"
	     "Example: tessera report --start=now-7days --account=physics --by=day");
}

static bool read_by(const char *text, enum usage_by *by)
{
	static const struct {
		const char *word;
		enum usage_by by;
	} words[] = {{"user", USAGE_BY_USER},
		     {"account", USAGE_BY_ACCOUNT},
		     {"job", USAGE_BY_JOB},
		     {"day", USAGE_BY_DAY},
		     {"node", USAGE_BY_NODE}};

	for (size_t n = 0; n < sizeof(words) / sizeof(*words); n++) {
		if (strcmp(text, words[n].word) == 0) {
			*by = words[n].by;
			return true;
		}
	}
	return false;
}

/* Slurm's reader of times says on standard error what it does not like, in words of its own: ours shall do. */
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
	return tessera_error_set(
		err, TESSERA_ERR_INPUT,
		"%s: '%s' is not a time as sacct reads it: 2026-11-01, 2026-11-01T12:00, today, now-7days, "
		"12:00",
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
	/* Whoever asks for a job wants all of it. */
	if (query->jobs != NULL || query->start < 1)
		query->start = 1;
	if (options->start != NULL && read_time("--start", options->start, &query->start, err) < 0)
		return -1;
	if (query->end > query->start)
		return 0;
	common_time(query->start, from, sizeof(from));
	common_time(query->end, to, sizeof(to));
	return tessera_error_set(err, TESSERA_ERR_INPUT, "the end, %s, is not after the start, %s", to, from);
}

static int show(const struct options *options, const struct report *report, struct tessera_error *err)
{
	if (options->svg != NULL)
		return report_svg(report, options->svg, err);
	if (options->chart) {
		setlocale(LC_CTYPE, "");
		report_chart(report, stdout, table_width(stdout), strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
		return 0;
	}
	return report_table(report, options->columns, options->form, stdout, err);
}

/* What the reader must know about the sums. Returns the exit code. */
static int remarks(struct accounting *acc, const struct report *report)
{
	const struct accounting_trouble *trouble = accounting_trouble(acc);
	char from[32], to[32];

	if (accounting_is_private(acc))
		fputs("tessera: slurmdbd keeps other people's jobs private (PrivateData): the sums are of those "
		      "that you may "
		      "see\n",
		      stderr);
	if (report->count == 0) {
		common_time(report->start, from, sizeof(from));
		common_time(report->end, to, sizeof(to));
		fprintf(stderr, "tessera: no such job held accelerators from %s to %s\n", from, to);
	}
	if (report->total->outside > 0)
		fputs("tessera: jobs used tiles that they did not hold: --by=job -o+outside_tile_seconds names "
		      "them\n",
		      stderr);
	if (trouble->comments + trouble->tres == 0)
		return TESSERA_OK;
	fprintf(stderr, "tessera: what is kept of %zu jobs is damaged, and unknown here; the first is job %s: %s\n",
		trouble->comments + trouble->tres, trouble->job, trouble->text);
	return TESSERA_ERR_INPUT;
}

static int add(const struct usage_record *record, void *arg, struct tessera_error *err)
{
	return usage_add(arg, record, err) < 0 ? -1 : 0;
}

static int run(struct options *options)
{
	struct tessera_error err = {0};
	struct accounting_query *query = &options->query;
	struct tessera_conf *conf = NULL;
	struct accounting *acc = NULL;
	struct usage *usage = NULL;
	struct report report = {.by = options->by};
	time_t now = time(NULL);
	int code = TESSERA_OK;

	slurm_init(NULL);
	query->nodes = options->by == USAGE_BY_NODE;
	conf = command_conf(options->conf, &err);
	if (conf == NULL || read_window(options, now, &err) < 0)
		goto failed;
	acc = accounting_open(conf, &err);
	if (acc == NULL)
		goto failed;
	usage = usage_new(options->by, query->start, query->end, now, &err);
	if (usage == NULL || accounting_read(acc, query, add, usage, &err) < 0)
		goto failed;
	report.conf = conf;
	report.start = query->start;
	report.end = query->end;
	report.total = usage_total(usage);
	if (usage_rows(usage, &report.rows, &report.count, &err) < 0 || show(options, &report, &err) < 0)
		goto failed;
	code = remarks(acc, &report);
	goto cleanup;
failed:
	code = command_fail(&err);
cleanup:
	free(report.rows);
	usage_free(usage);
	accounting_close(acc);
	tessera_conf_free(conf);
	return code;
}

static int set_form(const char *command, struct options *options, enum table_form form)
{
	if (options->form != TABLE_PLAIN && options->form != form)
		return command_usage(command, "only one of --json, --csv and --raw can be had");
	options->form = form;
	return TESSERA_OK;
}

/* One option. Returns 0, or the exit code. */
static int read_option(char **argv, int got, struct options *options)
{
	switch (got) {
	case 'A':
		options->query.accounts = optarg;
		break;
	case 'b':
		if (!read_by(optarg, &options->by))
			return command_usage(argv[0], "--by is user, account, job, day or node, not '%s'", optarg);
		break;
	case 'c':
		options->conf = optarg;
		break;
	case 'C':
		return set_form(argv[0], options, TABLE_CSV);
	case 'E':
		options->end = optarg;
		break;
	case 'g':
		options->chart = true;
		break;
	case 'J':
		return set_form(argv[0], options, TABLE_JSON);
	case 'j':
		options->query.jobs = optarg;
		break;
	case 'o':
		options->columns = optarg;
		break;
	case 'r':
		options->query.partitions = optarg;
		break;
	case 'R':
		return set_form(argv[0], options, TABLE_RAW);
	case 's':
		options->svg = optarg;
		break;
	case 'S':
		options->start = optarg;
		break;
	case 'u':
		options->query.users = optarg;
		break;
	default:
		return command_bad_option(argv, got);
	}
	return TESSERA_OK;
}

int command_report(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"account", required_argument, NULL, 'A'},   {"by", required_argument, NULL, 'b'},
		{"chart", no_argument, NULL, 'g'},           {"columns", required_argument, NULL, 'o'},
		{"conf", required_argument, NULL, 'c'},      {"csv", no_argument, NULL, 'C'},
		{"end", required_argument, NULL, 'E'},       {"help", no_argument, NULL, 'h'},
		{"job", required_argument, NULL, 'j'},       {"json", no_argument, NULL, 'J'},
		{"partition", required_argument, NULL, 'r'}, {"raw", no_argument, NULL, 'R'},
		{"start", required_argument, NULL, 'S'},     {"svg", required_argument, NULL, 's'},
		{"user", required_argument, NULL, 'u'},      {NULL, 0, NULL, 0},
	};
	struct options options = {.by = USAGE_BY_USER, .form = TABLE_PLAIN};
	int got, code;

	while ((got = getopt_long(argc, argv, ":A:E:S:hj:o:r:u:", long_options, NULL)) != -1) {
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		code = read_option(argv, got, &options);
		if (code != TESSERA_OK)
			return code;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	if ((options.chart || options.svg != NULL) && (options.form != TABLE_PLAIN || options.columns != NULL))
		return command_usage(argv[0], "a chart has no columns, and is neither JSON, CSV nor raw");
	return run(&options);
}
