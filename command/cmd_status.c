/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera status: show which jobs hold which tiles and how many IPUs, on one node or all nodes.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/status.h"
#include "command/view/tilemap.h"
#include "lib/slurm/compat.h"

#define WATCH_S    2 /* default of --watch */
#define WATCH_MAX  86400
#define BUFFER_MAX 65536

static void print_help(void)
{
	puts("Usage: tessera status [OPTION]...\n"
	     "\n"
	     "Draw a map of the node's tiles, or of the IPU pool, with one letter per job, and\n"
	     "print a table that explains the letters. Any user may run it.\n"
	     "\n"
	     "  -a, --all              show all nodes and the cluster's licenses: how many,\n"
	     "                         from slurmctld, but not which tiles\n"
	     "  --job=NUMBER           show the nodes and tiles of this job: tile numbers on\n"
	     "                         this node, counts from slurmctld on other nodes\n"
	     "  -w, --watch[=SECONDS]  repeat every SECONDS (default: 2) until Ctrl-C\n"
	     "  --node=NAME            node to show, if this machine has several\n"
	     "  --conf=FILE            use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST     columns to print; +LIST adds to the default ones:\n"
	     "                         node mark job user uid state count resource tiles mask\n"
	     "                         partition outside_seconds text\n"
	     "  --json, --raw          print only the table, for programs\n"
	     "\n"
	     "Examples: tessera status --watch=5, tessera status --job=4711");
}

static int show_node(const struct cli_options *c, int *code, struct tessera_error *err)
{
	struct occupancy s = {0};
	struct health_view health = {0};
	struct node node;
	int rc = cli_node(c, &node, err);

	if (rc == 0 && !node.has_state && c->form == TABLE_PLAIN)
		fprintf(stderr,
			"tessera: node %s has no accelerators in tessera.conf: use tessera status "
			"--all to see those that have\n",
			node.name);
	if (rc == 0)
		rc = occupancy_node(&s, &node, err);
	if (rc == 0)
		rc = occupancy_outside(&s, &node, err);
	/* Without its health, the rest is printed all the same. */
	if (rc == 0 && health_view_read(&health, &node, err) < 0)
		*code = cli_fail(err);
	if (rc == 0)
		rc = occupancy_health(&s, &node, &health, err);
	if (rc == 0 && (node.has_state || c->form != TABLE_PLAIN))
		rc = status_print_node(&s, &node, &health, c, err);
	health_view_free(&health);
	occupancy_free(&s);
	node_close(&node);
	return rc;
}

/* On a node with tiles, add its own health and withheld tiles to S, slurmctld's view. */
static int add_own_health(struct occupancy *s, const struct cli_options *c,
			  struct tessera_error *err)
{
	struct health_view health = {0};
	struct occupancy own = {0};
	struct node node;
	int rc = cli_node(c, &node, err);

	if (rc == 0 && node.platform != NULL) {
		rc = occupancy_node(&own, &node, err);
		if (rc == 0)
			rc = health_view_read(&health, &node, err);
		if (rc == 0)
			rc = occupancy_own_health(s, &node, &own, &health, err);
	}
	health_view_free(&health);
	occupancy_free(&own);
	node_close(&node);
	return rc;
}

static int show_cluster(const struct cli_options *c, int *code, struct tessera_error *err)
{
	char path[1024];
	struct tessera_conf *conf = cli_open_conf(c, path, sizeof(path), err);
	struct occupancy s = {0};
	int rc = conf != NULL ? occupancy_cluster(&s, conf, err) : -1;

	/* Without this node's health, the other nodes are printed all the same. */
	if (rc == 0 && add_own_health(&s, c, err) < 0)
		*code = cli_fail(err);
	if (rc == 0)
		rc = status_print_cluster(&s, conf, c, err);
	occupancy_free(&s);
	tessera_conf_free(conf);
	return rc;
}

/* Add to S what this node's own files have on the job: tile numbers and the partition. */
static int add_own_records(struct occupancy *s, const struct cli_options *c, uint32_t job,
			   struct tessera_error *err)
{
	struct occupancy own = {0};
	struct node node;
	int rc = cli_node(c, &node, err);

	if (rc == 0)
		rc = occupancy_node(&own, &node, err);
	if (rc == 0)
		rc = occupancy_merge(s, &own, job, err);
	occupancy_free(&own);
	node_close(&node);
	return rc;
}

/*
 * A job that neither slurmctld nor this node knows is an error. If only one of them fails, print
 * the other's data.
 */
static int show_job(const struct cli_options *c, uint32_t job, int *code, struct tessera_error *err)
{
	char path[1024];
	struct tessera_conf *conf = cli_open_conf(c, path, sizeof(path), err);
	struct occupancy s = {0};
	const char *state = NULL;
	int rc = conf != NULL ? 0 : -1;

	if (rc == 0 && occupancy_job(&s, conf, job, &state, err) < 0)
		*code = cli_fail(err);
	if (rc == 0 && add_own_records(&s, c, job, err) < 0)
		*code = cli_fail(err);
	if (rc == 0 && state == NULL && s.count == 0 && *code == TESSERA_OK)
		rc = tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"slurmctld has no running or pending job %u: check the number with squeue, "
			"or use tessera report --job=%u for an ended job",
			job, job);
	if (rc == 0 && (state != NULL || s.count > 0))
		rc = status_print_job(&s, conf, c, job, state, err);
	occupancy_free(&s);
	tessera_conf_free(conf);
	return rc;
}

struct view {
	bool all;
	uint32_t job; /* 0: no --job */
};

static int show_view(const struct cli_options *c, const struct view *view)
{
	struct tessera_error err = {0};
	int code = TESSERA_OK, rc;

	if (view->job != 0)
		rc = show_job(c, view->job, &code, &err);
	else
		rc = view->all ? show_cluster(c, &code, &err) : show_node(c, &code, &err);
	return rc < 0 ? cli_fail(&err) : code;
}

/* Repeat until Ctrl-C, in place on a terminal. Returns the exit code of the last time. */
static int watch_view(const struct cli_options *c, const struct view *view, unsigned seconds)
{
	static char buffer[BUFFER_MAX];
	const struct timespec pause = {.tv_sec = seconds};
	bool in_place = tilemap_escapes(stdout), first = true;
	sigset_t ends;
	int code, got;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	/* One write for the whole screen avoids flicker. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	do {
		fputs(in_place ? "\033[H\033[2J" : first ? "" : "\n", stdout);
		first = false;
		code = show_view(c, view);
		if (fflush(stdout) != 0)
			break;
		got = sigtimedwait(&ends, NULL, &pause);
	} while (got < 0 && (errno == EAGAIN || errno == EINTR));
	return code;
}

static int read_seconds(const char *command, const char *text, void *to)
{
	unsigned *seconds = to;
	unsigned long value;
	char *end;

	*seconds = WATCH_S;
	if (text == NULL)
		return TESSERA_OK;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || value == 0 || value > WATCH_MAX)
		return cli_usage(command, "--watch=%s is not a number of seconds from 1 to %d",
				 text, WATCH_MAX);
	*seconds = (unsigned)value;
	return TESSERA_OK;
}

static int read_job(const char *command, const char *text, void *to)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value == 0 ||
	    value >= NO_VAL)
		return cli_usage(
			command,
			"--job=%s is not the number of a job: list them with squeue -o %%A", text);
	*(uint32_t *)to = (uint32_t)value;
	return TESSERA_OK;
}

int cmd_status(int argc, char **argv)
{
	struct cli_options c = {.form = TABLE_PLAIN};
	unsigned seconds = 0;
	struct view view = {0};
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		CLI_FORM(c),
		{"all", 'a', CLI_SET, &view.all, NULL},
		{"job", 0, CLI_READ, &view.job, read_job},
		{"watch", 'w', CLI_READ_OPTIONAL, &seconds, read_seconds},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	if (view.all && view.job != 0)
		return cli_usage(argv[0], "--all and --job cannot be combined");
	if (view.all || view.job != 0)
		slurm_init(NULL);
	return seconds > 0 ? watch_view(&c, &view, seconds) : show_view(&c, &view);
}
