/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera health: asks the tools that know which tiles and IPUs are bad, and keeps what they say for the launch of jobs.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "gres/counts.h"
#include "gres/health_ask.h"
#include "gres/health_view.h"
#include "lib/record.h"

#define LOCK "health.lock"

static void print_help(void)
{
	puts("Usage: tessera health [OPTION]...\n"
	     "\n"
	     "Asks the tools that tessera.conf names (SnfadmCommand, SnconfigCommand,\n"
	     "IpuHealthCommand) which of this node's tiles or IPUs are bad, and keeps what\n"
	     "they say: jobs do not get bad tiles. What a tool that fails said before counts\n"
	     "until it is too old (HealthMax). For root, from tessera-health.timer or by\n"
	     "hand; for others it shows what is kept.\n"
	     "\n"
	     "  --cached             ask nobody, only show what is kept\n"
	     "  --update             tell slurmctld how many rdu and rdu_tile are left, print\n"
	     "                       what changed; drains the node while jobs prevent it\n"
	     "  --no-drain           with --update: rather leaves it open, and waits\n"
	     "  --no-resume          with --update: leaves it to you to end that drain\n"
	     "  -n, --dry-run        with --update: only say what would be told\n"
	     "  --node=NAME          the node, if this machine has several\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns of the table; +LIST adds to the usual ones:\n"
	     "                       source state age time known bad tiles text\n"
	     "  --json, --raw        the table alone, for programs\n"
	     "\n"
	     "Example: tessera health --cached");
}

/* Ask, and replace what is kept. Returns the exit code. */
static int ask(const struct node *node)
{
	const struct tessera_platform *p = node->platform != NULL ? node->platform : node->ipus;
	struct tessera_health health = {0};
	struct tessera_error err = {0};
	int code = TESSERA_OK, asked, lock = record_lock(node->dir, LOCK, &err);

	if (lock < 0)
		return command_fail(&err);
	/* What cannot be read is told, and replaced. */
	if (tessera_health_read(node->dir, p, &health, &err) < 0)
		code = command_fail(&err);
	asked = health_ask(node, &health, command_fail);
	close(lock);
	return asked != TESSERA_OK ? asked : code;
}

/* What the options say. */
struct choice {
	struct common c;
	bool cached, update;
	struct counts_wish wish;
};

/* Returns the exit code, for CODE that it was before. */
static int update(const struct choice *o, const struct node *node, const struct health_view *view, int code)
{
	const struct tessera_health_ipus *ipus = &view->health.ipus;
	struct tessera_error err = {0};

	if (node->platform != NULL && counts_update(node, &view->verdict, &o->wish, &err) < 0)
		return command_fail(&err);
	/* They hang off a fabric: which host should have fewer? */
	if (node->platform == NULL && ipus->bad > 0)
		fprintf(stderr,
			"tessera: %s calls %u IPUs bad, which slurmctld cannot be told: have the V-IPU controller "
			"leave them out\n",
			ipus->name, ipus->bad);
	return code;
}

/* What the files say now: shown, or told to slurmctld. Returns the exit code, for CODE that it was before. */
static int use(const struct choice *o, const struct node *node, int code)
{
	struct tessera_error err = {0};
	struct health_view view = {0};
	bool whole = health_view_read(&view, node, &err) == 0;

	/* What cannot be read says nothing, but the rest does: enough to see, not to count. */
	if (!whole)
		code = command_fail(&err);
	if (o->update && whole)
		code = update(o, node, &view, code);
	if (!o->update && health_view_print(&view, node, &o->c, &err) < 0)
		code = command_fail(&err);
	health_view_free(&view);
	return code;
}

static int run(const struct choice *o)
{
	struct tessera_error err = {0};
	struct node node;
	int code = TESSERA_OK;

	if (common_node(&o->c, &node, &err) < 0) {
		code = command_fail(&err);
	} else if (node.platform == NULL && node.ipus == NULL) {
		fprintf(stderr, "tessera: node %s has no tiles and no IPUs: nothing to do\n", node.name);
	} else {
		if (!o->cached && geteuid() == 0)
			code = ask(&node);
		if (!o->update && !health_view_is_asked(&node))
			fprintf(stderr,
				"tessera: tessera.conf names no tool that knows which %s of node %s are bad\n",
				node.platform != NULL ? "tiles" : "IPUs", node.name);
		code = use(o, &node, code);
	}
	node_close(&node);
	return code;
}

/* Take the option that getopt_long() GOT, if it is one of this command's own. */
static bool take_option(struct choice *o, int got)
{
	switch (got) {
	case 'C':
		o->cached = true;
		return true;
	case 'u':
		o->update = true;
		return true;
	case 'O':
		o->wish.open = true;
		return true;
	case 'K':
		o->wish.keep = true;
		return true;
	case 'n':
		o->wish.dry_run = true;
		return true;
	default:
		return common_option(&o->c, got);
	}
}

int command_health(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"cached", no_argument, NULL, 'C'},
		{"update", no_argument, NULL, 'u'},
		{"no-drain", no_argument, NULL, 'O'},
		{"no-resume", no_argument, NULL, 'K'},
		{"dry-run", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct choice o = {.c.form = TABLE_PLAIN};
	int got;

	while ((got = getopt_long(argc, argv, ":hno:", options, NULL)) != -1) {
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (!take_option(&o, got))
			return command_bad_option(argv, got);
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	if ((o.wish.dry_run || o.wish.open || o.wish.keep) && !o.update)
		return command_usage(argv[0], "--%s goes with --update",
				     o.wish.open   ? "no-drain"
				     : o.wish.keep ? "no-resume"
						   : "dry-run");
	if (o.update && (o.c.columns != NULL || o.c.form != TABLE_PLAIN))
		return command_usage(argv[0], "--update shows no table");
	return run(&o);
}
