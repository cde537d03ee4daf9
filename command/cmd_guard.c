/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera guard: list processes that use this node's accelerators without a grant.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/observe/devices.h"
#include "command/observe/guard.h"
#include "command/view/cli_options.h"
#include "lib/slurm/cluster_name.h"
#include "lib/slurm/compat.h"

#define GUARD_WAIT_S 30 /* for daemons, and for reading /proc, each; see guard_look() */

static void print_help(void)
{
	puts("Usage: tessera guard [OPTION]...\n"
	     "\n"
	     "List the processes of this node that have a tile's device open or use IPUs, but\n"
	     "neither belong to a job that holds tiles or IPUs here nor have a valid grant.\n"
	     "Does not signal them. Requires root.\n"
	     "\n"
	     "  -a, --all              also list authorized processes, with the reason\n"
	     "  --node=NAME            node to check, if this machine has several\n"
	     "  --conf=FILE            use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST     columns to print; +LIST adds to the default ones:\n"
	     "                         pid user uid command file partition job verdict text\n"
	     "  --json, --raw          print the table for programs\n"
	     "\n"
	     "Exit codes: 0 no unauthorized process, 1 unauthorized processes found, 3 none\n"
	     "found, but some processes could not be checked.\n"
	     "\n"
	     "Example: tessera guard --all");
}

enum {
	PID,
	USER,
	UID,
	COMMAND,
	FILE_NAME,
	PARTITION,
	JOB,
	VERDICT,
	TEXT,
	COLUMNS,
};

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[PID] = {"pid", "PID", TABLE_NUMBER, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},
	[UID] = {"uid", "UID", TABLE_NUMBER, false},
	[COMMAND] = {"command", "COMMAND", TABLE_TEXT, true},
	[FILE_NAME] = {"file", "FILE", TABLE_TEXT, true},
	[PARTITION] = {"partition", "PARTITION", TABLE_TEXT, false},
	[JOB] = {"job", "JOB", TABLE_NUMBER, true},
	[VERDICT] = {"verdict", "VERDICT", TABLE_TEXT, true},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, true},
};

static int set_row(struct table *t, const struct guard_item *item, struct tessera_error *err)
{
	const struct device_user *p = &item->process;
	char user[64];

	if (table_row(t, err) < 0 || table_set_number(t, PID, (uint32_t)p->pid, err) < 0 ||
	    table_set(t, USER, cli_user(p->uid, user, sizeof(user)), err) < 0 ||
	    table_set_number(t, UID, p->uid, err) < 0 ||
	    table_set_text(t, COMMAND, p->command, err) < 0 ||
	    table_set_text(t, FILE_NAME, p->file, err) < 0 ||
	    table_set_text(t, PARTITION, item->partition, err) < 0 ||
	    (item->job != 0 && table_set_number(t, JOB, item->job, err) < 0) ||
	    table_set(t, VERDICT, item->verdict, err) < 0 ||
	    table_set_text(t, TEXT, item->text, err) < 0)
		return -1;
	table_set_colour(t, VERDICT, item->right ? NULL : item->unknown ? "yellow" : "red");
	return 0;
}

static int print_guard(const struct guard *guard, const struct cli_options *c, bool all, bool ipus,
		       struct tessera_error *err)
{
	struct table_column usual[COLUMNS];
	struct table *t;
	size_t shown = 0;
	int rc = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		usual[i] = columns[i];
	usual[FILE_NAME].usual = !ipus;
	usual[PARTITION].usual = ipus;
	t = table_new(usual, COLUMNS, c->columns, c->form, "processes", err);
	if (t == NULL)
		return -1;
	for (size_t i = 0; i < guard->count && rc == 0; i++) {
		if (guard->items[i].right && !all)
			continue;
		rc = set_row(t, &guard->items[i], err);
		shown++;
	}
	/* On a terminal, print nothing rather than the header of an empty table. */
	if (rc == 0 && (shown > 0 || c->form != TABLE_PLAIN))
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

/* No process found means nothing if DeviceFiles matches no device. */
static bool check_devices(const struct node *node, const struct guard *guard,
			  struct tessera_error *err)
{
	return guard->count > 0 || node->platform == NULL ||
	       devices_exist(node->conf, node->name, err);
}

static int run_guard(const struct cli_options *c, bool all)
{
	struct tessera_error err = {0};
	struct guard guard = {0};
	struct node node = {0};
	char *cluster = NULL;
	int code;

	if (geteuid() != 0) {
		tessera_error_set(&err, TESSERA_ERR_DENIED,
				  "must be root to see the open files of other users' processes");
		return cli_fail(&err);
	}
	slurm_init(NULL);
	if (cli_node(c, &node, &err) < 0 || (cluster = cluster_name(&err)) == NULL ||
	    guard_look(&node, cluster, "/proc", GUARD_WAIT_S, &guard, &err) < 0 ||
	    !check_devices(&node, &guard, &err)) {
		code = cli_fail(&err);
		code = code == TESSERA_ERR_INPUT ? TESSERA_ERR_UNAVAILABLE : code;
	} else if (print_guard(&guard, c, all, node.ipus != NULL, &err) < 0) {
		code = cli_fail(&err);
	} else {
		if (node.platform == NULL && node.ipus == NULL)
			fprintf(stderr,
				"tessera: node %s has neither tiles nor IPUs, nothing to do\n",
				node.name);
		if (guard.incomplete.code != TESSERA_OK)
			cli_fail(&guard.incomplete);
		code = (int)guard_verdict(&guard);
	}
	guard_free(&guard);
	free(cluster);
	node_close(&node);
	return code;
}

int cmd_guard(int argc, char **argv)
{
	struct cli_options c = {.form = TABLE_PLAIN};
	bool all = false;
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		CLI_FORM(c),
		{"all", 'a', CLI_SET, &all, NULL},
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_NO_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	return run_guard(&c, all);
}
