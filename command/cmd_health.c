/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera health: query the vendor tools for bad tiles and IPUs, and save the results for the
 * prolog, which does not allocate bad tiles.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/observe/health_poll.h"
#include "command/view/cli_options.h"
#include "command/view/health_view.h"
#include "gres/counts/update.h"
#include "lib/util/statefile.h"

#define LOCK "health.lock"

static void print_help(void)
{
	puts("Usage: tessera health [OPTION]...\n"
	     "\n"
	     "Query the tools that tessera.conf names (SnfadmCommand, SnconfigCommand,\n"
	     "IpuHealthCommand) for bad tiles or IPUs of this node, and save the results: jobs\n"
	     "do not get bad tiles. If a tool fails, its last result remains valid for\n"
	     "HealthMax seconds. As root, from tessera-health.timer or by hand; other users\n"
	     "see the saved results.\n"
	     "\n"
	     "  --cached             show the saved results without querying the tools\n"
	     "  --update             update slurmctld's counts of rdu and rdu_tile, and print\n"
	     "                       the changes; drains the node while jobs hold tiles, and\n"
	     "                       resumes it when they have ended\n"
	     "  --node=NAME          node to check, if this machine has several\n"
	     "  --conf=FILE          use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns to print; +LIST adds to the default ones:\n"
	     "                       source state age time known bad tiles text\n"
	     "  --json, --raw        print only the table, for programs\n"
	     "\n"
	     "Example: tessera health --cached");
}

/* Query the tools and save their results. Returns the exit code. */
static int query_tools(const struct node *node)
{
	const struct tessera_platform *p = node->platform != NULL ? node->platform : node->ipus;
	struct tessera_health health = {0};
	struct tessera_error err = {0};
	int code = TESSERA_OK, polled, lock = statefile_lock(node->dir, LOCK, &err);

	if (lock < 0)
		return cli_fail(&err);
	/* An unreadable file is reported, and replaced by health_poll(). */
	if (tessera_health_read(node->dir, p, &health, &err) < 0)
		code = cli_fail(&err);
	polled = health_poll(node, &health, cli_fail);
	close(lock);
	return polled != TESSERA_OK ? polled : code;
}

struct health_options {
	struct cli_options c;
	bool cached, update;
};

/* CODE: exit code so far. Returns the exit code. */
static int update_counts(const struct node *node, const struct health_view *view, int code)
{
	const struct tessera_health_ipus *ipus = &view->health.ipus;
	struct tessera_error err = {0};

	if (node->platform != NULL && counts_update(node, &view->verdict, &err) < 0)
		return cli_fail(&err);
	/* slurmctld counts IPUs per pool, not per host. */
	if (node->platform == NULL && ipus->bad > 0)
		fprintf(stderr,
			"tessera: %s reports %u bad IPUs; --update cannot exclude IPUs: exclude "
			"them at the V-IPU controller\n",
			ipus->name, ipus->bad);
	return code;
}

/*
 * Print the saved results, or with --update update slurmctld by them. CODE: exit code so far.
 * Returns the exit code.
 */
static int apply_health(const struct health_options *o, const struct node *node, int code)
{
	struct tessera_error err = {0};
	struct health_view view = {0};
	bool whole = health_view_read(&view, node, &err) == 0;

	/* An incomplete view is good enough to print, but not to update slurmctld. */
	if (!whole)
		code = cli_fail(&err);
	if (o->update && whole)
		code = update_counts(node, &view, code);
	if (!o->update && health_view_print(&view, node, &o->c, &err) < 0)
		code = cli_fail(&err);
	health_view_free(&view);
	return code;
}

static int run_health(const struct health_options *o)
{
	struct tessera_error err = {0};
	struct node node;
	int code = TESSERA_OK;

	if (cli_node(&o->c, &node, &err) < 0) {
		code = cli_fail(&err);
	} else if (node.platform == NULL && node.ipus == NULL) {
		fprintf(stderr, "tessera: node %s has neither tiles nor IPUs, nothing to do\n",
			node.name);
	} else {
		if (!o->cached && geteuid() == 0)
			code = query_tools(&node);
		if (!o->update && !health_view_is_asked(&node))
			fprintf(stderr,
				"tessera: tessera.conf names no tool that reports bad %s of node "
				"%s\n",
				node.platform != NULL ? "tiles" : "IPUs", node.name);
		code = apply_health(o, &node, code);
	}
	node_close(&node);
	return code;
}

int cmd_health(int argc, char **argv)
{
	static char no_drain[] = "--update drains a node while jobs hold its tiles; without "
				 "--update slurmctld is left alone";
	static char no_resume[] = "to keep a node drained, give it a Reason of your own (scontrol "
				  "update nodename=NODE state=drain reason=TEXT)";
	static char dry_run[] = "tessera doctor shows counts that differ";
	struct health_options o = {.c.form = TABLE_PLAIN};
	const struct cli_row rows[] = {
		CLI_WHERE(o.c),
		CLI_FORM(o.c),
		{"cached", 0, CLI_SET, &o.cached, NULL},
		{"update", 0, CLI_SET, &o.update, NULL},
		{"no-drain", 0, CLI_REMOVED, no_drain, NULL},
		{"no-resume", 0, CLI_REMOVED, no_resume, NULL},
		{"dry-run", 'n', CLI_REMOVED, dry_run, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	if (o.update && (o.c.columns != NULL || o.c.form != TABLE_PLAIN))
		return cli_usage(argv[0], "--update shows no table");
	return run_health(&o);
}
