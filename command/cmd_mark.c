/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera mark: the administrator marks tiles as bad or good. Marks survive a reboot.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/cli.h"
#include "command/command.h"
#include "command/view/cli_options.h"
#include "lib/state/health.h"
#include "lib/util/statefile.h"
#include "lib/util/strbuf.h"

#define LOCK "marks.lock"

enum { TILE, STATE, USER, UID, SINCE, TEXT, COLUMNS };

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[TILE] = {"tile", "TILE", TABLE_TEXT, true},
	[STATE] = {"state", "STATE", TABLE_TEXT, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},
	[UID] = {"uid", "UID", TABLE_NUMBER, false},
	[SINCE] = {"since", "SINCE", TABLE_TEXT, true},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, true},
};

static void print_help(void)
{
	puts("Usage: tessera mark TILES bad [TEXT]...\n"
	     "       tessera mark TILES good\n"
	     "       tessera mark\n"
	     "\n"
	     "Mark tiles of this node as bad: jobs do not get them, whatever the vendor tools\n"
	     "report; a job that already holds one keeps it. 'good' removes the mark. Marks\n"
	     "survive a reboot (MarksDir). Requires root. Without operands, list the marks;\n"
	     "any user may do that.\n"
	     "\n"
	     "  TILES                3.5, rdu6, 24-31, /XRDU_1/RDU_1/TILE_5 or a mask; a\n"
	     "                       comma-separated list\n"
	     "  TEXT                 reason, shown by tessera status\n"
	     "  --node=NAME          node to mark, if this machine has several\n"
	     "  --conf=FILE          use FILE instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns to print; +LIST adds to the default ones:\n"
	     "                       tile state user uid since text\n"
	     "  --json, --raw        print the list for programs\n"
	     "\n"
	     "Example: tessera mark 3.5 bad \"hung since Tuesday\"");
}

static int set_row(struct table *t, const struct node *node, const struct tessera_mark *m,
		   struct tessera_error *err)
{
	unsigned per_rdu = node->platform->tiles_per_rdu;
	char tile[32], user[64], since[32];

	snprintf(tile, sizeof(tile), "%u.%u", m->tile / per_rdu, m->tile % per_rdu);
	if (table_row(t, err) < 0 || table_set(t, TILE, tile, err) < 0 ||
	    table_set(t, STATE, "bad", err) < 0 ||
	    table_set(t, USER, cli_user(m->uid, user, sizeof(user)), err) < 0 ||
	    table_set_number(t, UID, m->uid, err) < 0 ||
	    table_set(t, SINCE, cli_time(m->time, since, sizeof(since)), err) < 0)
		return -1;
	return table_set_text(t, TEXT, m->text, err);
}

static int print_list(const struct node *node, const char *dir, const struct cli_options *c,
		      struct tessera_error *err)
{
	struct tessera_marks marks = {0};
	struct table *t = NULL;
	int rc = tessera_marks_read(dir, node->platform, &marks, err);

	if (rc == 0)
		t = table_new(columns, COLUMNS, c->columns, c->form, "marks", err);
	if (t == NULL)
		rc = -1;
	for (size_t i = 0; i < marks.count && rc == 0; i++)
		rc = set_row(t, node, &marks.list[i], err);
	if (rc == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	tessera_marks_free(&marks);
	return rc;
}

struct mark_change {
	struct tessera_tileset tiles;
	bool bad;                 /* false: remove the marks of TILES */
	struct tessera_mark mark; /* for each of TILES if bad; its tile number is unused */
};

/* Replace the marks of CHANGE's tiles in MARKS. Returns 0, or -1 with ERR. */
static int apply_change(struct tessera_marks *marks, const struct mark_change *change,
			struct tessera_error *err)
{
	struct tessera_marks new = {.list = calloc(TESSERA_TILES_MAX, sizeof(*new.list))};
	size_t old = 0;

	if (new.list == NULL)
		return tessera_error_nomem(err);
	for (unsigned tile = 0; tile < TESSERA_TILES_MAX; tile++) {
		bool changed = tessera_tileset_has(&change->tiles, tile);
		bool marked = old < marks->count && marks->list[old].tile == tile;

		if (marked && !changed)
			new.list[new.count++] = marks->list[old];
		old += marked;
		if (!changed || !change->bad)
			continue;
		new.list[new.count] = change->mark;
		new.list[new.count++].tile = tile;
	}
	tessera_marks_free(marks);
	*marks = new;
	return 0;
}

static int write_change(const struct node *node, const char *dir, const struct mark_change *change,
			struct tessera_error *err)
{
	int lock = statefile_lock(dir, LOCK, err), rc;
	struct tessera_marks marks = {0};

	if (lock < 0)
		return -1;
	rc = tessera_marks_read(dir, node->platform, &marks, err);
	if (rc == 0)
		rc = apply_change(&marks, change, err);
	if (rc == 0)
		rc = tessera_marks_write(dir, node->platform, &marks, err);
	tessera_marks_free(&marks);
	close(lock);
	return rc;
}

/* Join the operands after "bad" with spaces. Returns 0, or -1 with ERR. */
static int join_words(char **words, char *text, size_t len, struct tessera_error *err)
{
	struct strbuf joined = strbuf_start(text, len);

	for (; *words != NULL; words++)
		strbuf_put(&joined, "%s%s", joined.used > 0 ? " " : "", *words);
	if (strbuf_is_cut(&joined))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the text has %zu characters: use at most %zu",
					 joined.used, len - 1);
	return 0;
}

/* ARGS: TILES, "bad" or "good", then the words of the text. */
static int mark_tiles(const struct node *node, const char *dir, char **args, bool bad,
		      struct tessera_error *err)
{
	struct mark_change change = {.bad = bad, .mark = {.time = time(NULL), .uid = getuid()}};

	if (tessera_tileset_parse(node->platform, args[0], &change.tiles, err) < 0)
		return -1;
	if (bad && join_words(args + 2, change.mark.text, sizeof(change.mark.text), err) < 0)
		return -1;
	if (write_change(node, dir, &change, err) == 0)
		return 0;
	if (err->code != TESSERA_ERR_DENIED || geteuid() == 0)
		return -1;
	return tessera_error_set(err, TESSERA_ERR_DENIED,
				 "must be root to mark tiles; without operands tessera mark lists "
				 "the marks");
}

/* ARGS NULL: list the marks. */
static int run_mark(const struct cli_options *c, char **args, bool bad)
{
	struct tessera_error err = {0};
	struct node node;
	char dir[512];
	int rc = cli_node(c, &node, &err);

	if (rc == 0 && node.platform == NULL)
		rc = tessera_error_set(&err, TESSERA_ERR_INPUT, "node %s has no tiles to mark",
				       node.name);
	if (rc == 0)
		rc = tessera_conf_marks_dir(node.conf, node.name, dir, sizeof(dir), &err);
	if (rc == 0)
		rc = args != NULL ? mark_tiles(&node, dir, args, bad, &err)
				  : print_list(&node, dir, c, &err);
	node_close(&node);
	return rc == 0 ? TESSERA_OK : cli_fail(&err);
}

int cmd_mark(int argc, char **argv)
{
	struct cli_options c = {.form = TABLE_PLAIN};
	bool bad;
	const struct cli_row rows[] = {
		CLI_WHERE(c),
		CLI_FORM(c),
		CLI_END,
	};
	int code = cli_parse(argc, argv, rows, CLI_OPERANDS, print_help);

	if (code != CLI_GO_ON)
		return code;
	argv += optind;
	argc -= optind;
	if (argc == 0)
		return run_mark(&c, NULL, false);
	bad = argc > 1 && strcmp(argv[1], "bad") == 0;
	if (!bad && (argc < 2 || strcmp(argv[1], "good") != 0))
		return cli_usage("mark", "is %s bad or good? Add 'bad' or 'good'", argv[0]);
	if (!bad && argc > 2)
		return cli_usage("mark", "'%s': a good tile has no text", argv[2]);
	return run_mark(&c, argv, bad);
}
