/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera guard: who uses this node's accelerators without having been granted them.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gres/cluster_name.h"
#include "gres/command.h"
#include "gres/common.h"
#include "gres/devices.h"
#include "gres/guard.h"
#include "plugin/slurm_compat.h"

#define PATIENT_S 30 /* with daemons that do not answer, and with processes that make us wait */

static void print_help(void)
{
	puts("Usage: tessera guard [OPTION]...\n"
	     "\n"
	     "Lists the processes of this node that have a tile's device open, or use IPUs,\n"
	     "without being a job's that has some here, and without a valid grant. Nothing is\n"
	     "done to them. For root.\n"
	     "\n"
	     "  -a, --all              those that may as well, and why\n"
	     "  --node=NAME            the node, if this machine has several\n"
	     "  --conf=FILE            instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST     columns of the table; +LIST adds to the usual ones:\n"
	     "                         pid user uid command file partition job verdict text\n"
	     "  --json, --raw          for programs\n"
	     "\n"
	     "Exit codes: 0 there are none, 1 there are some, 3 none that is known, but not\n"
	     "all could be found or judged, which is told.\n"
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

/* The names are a promise: tessera(1) has them. */
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

static int set_number(struct table *t, size_t column, uint32_t number, struct tessera_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%u", number);
	return table_set(t, column, text, err);
}

static int set_text(struct table *t, size_t column, const char *text, struct tessera_error *err)
{
	return table_set(t, column, text[0] != '\0' ? text : NULL, err);
}

static int set_row(struct table *t, const struct guard_item *item, struct tessera_error *err)
{
	const struct holder *p = &item->process;
	char user[64];

	if (table_row(t, err) < 0 || set_number(t, PID, (uint32_t)p->pid, err) < 0 ||
	    table_set(t, USER, common_user(p->uid, user, sizeof(user)), err) < 0 ||
	    set_number(t, UID, p->uid, err) < 0 || set_text(t, COMMAND, p->command, err) < 0 ||
	    set_text(t, FILE_NAME, p->file, err) < 0 || set_text(t, PARTITION, item->partition, err) < 0 ||
	    (item->job != 0 && set_number(t, JOB, item->job, err) < 0) ||
	    table_set(t, VERDICT, item->verdict, err) < 0 || set_text(t, TEXT, item->text, err) < 0)
		return -1;
	table_set_colour(t, VERDICT, item->right ? NULL : item->unknown ? "yellow" : "red");
	return 0;
}

static int print_guard(const struct guard *guard, const struct common *c, bool all, bool ipus,
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
	/* A person need not read the head of a table of nothing. */
	if (rc == 0 && (shown > 0 || c->form != TABLE_PLAIN))
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}

/* That nobody was found says nothing if there is nothing to be found by. */
static bool could_see(const struct node *node, const struct guard *guard, struct tessera_error *err)
{
	return guard->count > 0 || node->platform == NULL || devices_exist(node->conf, node->name, err);
}

static int look(const struct common *c, bool all)
{
	struct tessera_error err = {0};
	struct guard guard = {0};
	struct node node = {0};
	char *cluster = NULL;
	int code;

	if (geteuid() != 0) {
		tessera_error_set(&err, TESSERA_ERR_DENIED, "only root sees what other users' processes have open");
		return command_fail(&err);
	}
	slurm_init(NULL);
	if (common_node(c, &node, &err) < 0 || (cluster = cluster_name(&err)) == NULL ||
	    guard_look(&node, cluster, "/proc", PATIENT_S, &guard, &err) < 0 || !could_see(&node, &guard, &err)) {
		code = command_fail(&err);
		code = code == TESSERA_ERR_INPUT ? TESSERA_ERR_MISSING : code;
	} else if (print_guard(&guard, c, all, node.ipus != NULL, &err) < 0) {
		code = command_fail(&err);
	} else {
		if (node.platform == NULL && node.ipus == NULL)
			fprintf(stderr, "tessera: node %s has no tiles and no IPUs: nothing to do\n", node.name);
		if (guard.incomplete.code != TESSERA_OK)
			command_fail(&guard.incomplete);
		code = (int)guard_verdict(&guard);
	}
	guard_free(&guard);
	free(cluster);
	node_close(&node);
	return code;
}

int command_guard(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,       COMMON_FORM, {"all", no_argument, NULL, 'a'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {.form = TABLE_PLAIN};
	bool all = false;
	int got;

	while ((got = getopt_long(argc, argv, ":aho:", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got == 'h') {
			print_help();
			return TESSERA_OK;
		}
		if (got != 'a')
			return command_bad_option(argv, got);
		all = true;
	}
	if (optind != argc)
		return command_usage(argv[0], "'%s' is not an option", argv[optind]);
	return look(&c, all);
}
