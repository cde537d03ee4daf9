/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tessera mark: the admin's word that tiles are bad, which outlives a reboot, or good again.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gres/command.h"
#include "gres/common.h"
#include "lib/health.h"
#include "lib/record.h"

#define LOCK "marks.lock"

enum { TILE, STATE, USER, UID, SINCE, TEXT, COLUMNS };

/* The names are a promise: tessera(1) has them. */
static const struct table_column columns[COLUMNS] = {
	[TILE] = {"tile", "TILE", TABLE_TEXT, true},    [STATE] = {"state", "STATE", TABLE_TEXT, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},    [UID] = {"uid", "UID", TABLE_NUMBER, false},
	[SINCE] = {"since", "SINCE", TABLE_TEXT, true}, [TEXT] = {"text", "TEXT", TABLE_TEXT, true},
};

static void print_help(void)
{
	puts("Usage: tessera mark TILES bad [TEXT]...\n"
	     "       tessera mark TILES good\n"
	     "       tessera mark\n"
	     "\n"
	     "Marks tiles of this node as bad: jobs do not get them, whatever tools say. A job\n"
	     "that has one keeps it. good takes the mark away. Marks outlive a reboot\n"
	     "(MarksDir). For root; without arguments it lists them, for anyone.\n"
	     "\n"
	     "  TILES                3.5, rdu6, 24-31, /XRDU_1/RDU_1/TILE_5, a mask; joined by\n"
	     "                       commas\n"
	     "  TEXT                 why, for whoever sees it in tessera status\n"
	     "  --node=NAME          the node, if this machine has several\n"
	     "  --conf=FILE          instead of tessera.conf beside slurm.conf\n"
	     "  -o, --columns=LIST   columns of the list; +LIST adds to the usual ones:\n"
	     "                       tile state user uid since text\n"
	     "  --json, --raw        the list for programs\n"
	     "\n"
	     "Example: tessera mark 3.5 bad \"hung since Tuesday\"");
}

static int set_row(struct table *t, const struct node *node, const struct tessera_mark *m,
		   struct tessera_error *err)
{
	unsigned per_rdu = node->platform->tiles_per_rdu;
	char tile[32], user[64], uid[16], since[32];

	snprintf(tile, sizeof(tile), "%u.%u", m->tile / per_rdu, m->tile % per_rdu);
	snprintf(uid, sizeof(uid), "%" PRIu32, m->uid);
	if (table_row(t, err) < 0 || table_set(t, TILE, tile, err) < 0 || table_set(t, STATE, "bad", err) < 0 ||
	    table_set(t, USER, common_user(m->uid, user, sizeof(user)), err) < 0 ||
	    table_set(t, UID, uid, err) < 0 ||
	    table_set(t, SINCE, common_time(m->time, since, sizeof(since)), err) < 0)
		return -1;
	return table_set(t, TEXT, m->text[0] != '\0' ? m->text : NULL, err);
}

static int print_list(const struct node *node, const char *dir, const struct common *c, struct tessera_error *err)
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

/* What is to be said of which tiles. */
struct word {
	struct tessera_tileset tiles;
	bool bad;
	struct tessera_mark mark;
};

/* MARKS with WORD in place of what was said of its tiles. Returns 0, or -1 with ERR. */
static int change(struct tessera_marks *marks, const struct word *word, struct tessera_error *err)
{
	struct tessera_marks new = {.list = calloc(TESSERA_TILES_MAX, sizeof(*new.list))};
	size_t old = 0;

	if (new.list == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for marks");
	for (unsigned tile = 0; tile < TESSERA_TILES_MAX; tile++) {
		bool meant = tessera_tileset_has(&word->tiles, tile);
		bool marked = old < marks->count && marks->list[old].tile == tile;

		if (marked && !meant)
			new.list[new.count++] = marks->list[old];
		old += marked;
		if (!meant || !word->bad)
			continue;
		new.list[new.count] = word->mark;
		new.list[new.count++].tile = tile;
	}
	tessera_marks_free(marks);
	*marks = new;
	return 0;
}

static int write_word(const struct node *node, const char *dir, const struct word *word, struct tessera_error *err)
{
	int lock = record_lock(dir, LOCK, err), rc;
	struct tessera_marks marks = {0};

	if (lock < 0)
		return -1;
	rc = tessera_marks_read(dir, node->platform, &marks, err);
	if (rc == 0)
		rc = change(&marks, word, err);
	if (rc == 0)
		rc = tessera_marks_write(dir, node->platform, &marks, err);
	tessera_marks_free(&marks);
	close(lock);
	return rc;
}

/* The words behind bad, with blanks between. Returns 0, or -1 with ERR. */
static int join(char **words, char *text, size_t len, struct tessera_error *err)
{
	size_t used = 0;

	text[0] = '\0';
	for (; *words != NULL && used < len; words++)
		used += (size_t)snprintf(text + used, len - used, "%s%s", used > 0 ? " " : "", *words);
	if (used >= len)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "the text is longer than %zu characters: say it in fewer", len - 1);
	return 0;
}

static int mark(const struct node *node, const char *dir, char **args, bool bad, struct tessera_error *err)
{
	struct word word = {.bad = bad, .mark = {.time = time(NULL), .uid = getuid()}};

	if (tessera_tileset_parse(node->platform, args[0], &word.tiles, err) < 0)
		return -1;
	if (bad && join(args + 2, word.mark.text, sizeof(word.mark.text), err) < 0)
		return -1;
	if (write_word(node, dir, &word, err) == 0)
		return 0;
	if (err->code != TESSERA_ERR_DENIED || geteuid() == 0)
		return -1;
	return tessera_error_set(err, TESSERA_ERR_DENIED,
				 "only root may mark; without arguments it lists the marks");
}

static int run(const struct common *c, char **args, bool bad)
{
	struct tessera_error err = {0};
	struct node node;
	char dir[512];
	int rc = common_node(c, &node, &err);

	if (rc == 0 && node.platform == NULL)
		rc = tessera_error_set(&err, TESSERA_ERR_INPUT, "node %s has no tiles that could be marked",
				       node.name);
	if (rc == 0)
		rc = tessera_conf_marks_dir(node.conf, node.name, dir, sizeof(dir), &err);
	if (rc == 0)
		rc = args != NULL ? mark(&node, dir, args, bad, &err) : print_list(&node, dir, c, &err);
	node_close(&node);
	return rc == 0 ? TESSERA_OK : command_fail(&err);
}

int command_mark(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_WHERE,
		COMMON_FORM,
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct common c = {.form = TABLE_PLAIN};
	bool bad;
	int got;

	while ((got = getopt_long(argc, argv, ":ho:", options, NULL)) != -1) {
		if (common_option(&c, got))
			continue;
		if (got != 'h')
			return command_bad_option(argv, got);
		print_help();
		return TESSERA_OK;
	}
	argv += optind;
	argc -= optind;
	if (argc == 0)
		return run(&c, NULL, false);
	bad = argc > 1 && strcmp(argv[1], "bad") == 0;
	if (!bad && (argc < 2 || strcmp(argv[1], "good") != 0))
		return command_usage("mark", "is %s bad or good?", argv[0]);
	if (!bad && argc > 2)
		return command_usage("mark", "'%s': a good tile has no text", argv[2]);
	return run(&c, argv, bad);
}
