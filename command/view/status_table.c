/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "command/view/status.h"

enum {
	NODE,
	MARK,
	JOB,
	USER,
	UID,
	STATE,
	COUNT,
	RESOURCE,
	TILES,
	MASK,
	PARTITION,
	OUTSIDE,
	TEXT,
	COLUMNS,
};

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[NODE] = {"node", "NODE", TABLE_TEXT, false},
	[MARK] = {"mark", "MARK", TABLE_TEXT, false},
	[JOB] = {"job", "JOB", TABLE_NUMBER, true},
	[USER] = {"user", "USER", TABLE_TEXT, true},
	[UID] = {"uid", "UID", TABLE_NUMBER, false},
	[STATE] = {"state", "STATE", TABLE_TEXT, true},
	[COUNT] = {"count", "COUNT", TABLE_NUMBER, true},
	[RESOURCE] = {"resource", "WHAT", TABLE_TEXT, true},
	[TILES] = {"tiles", "TILES", TABLE_TEXT, false},
	[MASK] = {"mask", "MASK", TABLE_TEXT, false},
	[PARTITION] = {"partition", "PARTITION", TABLE_TEXT, false},
	[OUTSIDE] = {"outside_seconds", "OUTSIDE", TABLE_NUMBER, false},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, false},
};

/* Without X, which marks bad tiles. */
#define MARKS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWYZ0123456789"

static bool is_free(const struct occupancy_item *item)
{
	return strcmp(item->state, OCCUPANCY_FREE) == 0;
}

static bool is_bad(const struct occupancy_item *item)
{
	return strcmp(item->state, OCCUPANCY_BAD) == 0;
}

/* The index of item N's job among the jobs of S. */
static size_t find_job_place(const struct occupancy *s, size_t n)
{
	size_t place = 0;

	for (size_t i = 0; i < n; i++) {
		bool first = s->items[i].job != 0 && !occupancy_is_withheld(&s->items[i]);

		if (s->items[i].job == s->items[n].job)
			return place;
		for (size_t k = 0; k < i && first; k++)
			first = s->items[k].job != s->items[i].job;
		place += first;
	}
	return place;
}

char status_mark(const struct occupancy *s, size_t n)
{
	size_t place;

	if (is_free(&s->items[n]))
		return '.';
	if (is_bad(&s->items[n]))
		return 'X';
	if (s->items[n].job == 0)
		return '?';
	if (occupancy_is_withheld(&s->items[n]))
		return '!';
	place = find_job_place(s, n);
	return (char)(place < strlen(MARKS) ? MARKS[place] : '#');
}

/* ANSI numbers, as in struct tilemap_cell. */
enum { NONE, RED, GREEN, CYAN = 6 };

int status_mark_colour(const struct occupancy *s, size_t n)
{
	if (is_bad(&s->items[n]) || occupancy_is_withheld(&s->items[n]))
		return RED;
	/* Red is for problems; jobs share the other colours. */
	return s->items[n].job != 0 ? GREEN + (int)(find_job_place(s, n) % (CYAN - GREEN + 1))
				    : NONE;
}

/* Red for problems, yellow for transient states. */
static const char *state_colour(const char *state)
{
	static const char *const bad[] = {
		"short",           "refused",          "failed",
		"leaving",         OCCUPANCY_WITHHELD, OCCUPANCY_DAMAGED,
		OCCUPANCY_OUTSIDE, OCCUPANCY_BAD,      OCCUPANCY_UNCOUNTED};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(state, bad[i]) == 0)
			return "red";
	return strcmp(state, "making") == 0 || strcmp(state, "completing") == 0 ? "yellow" : NULL;
}

static int set_owner(struct table *t, const struct occupancy_item *item, struct tessera_error *err)
{
	char user[64];

	if (item->job == 0)
		return 0;
	if (table_set_number(t, JOB, item->job, err) < 0)
		return -1;
	/* The user of a damaged job record is unknown. */
	if (item->uid == UINT32_MAX)
		return 0;
	if (table_set_number(t, UID, item->uid, err) < 0)
		return -1;
	return table_set(t, USER, cli_user(item->uid, user, sizeof(user)), err);
}

static int set_tiles(struct table *t, const struct tessera_platform *p,
		     const struct occupancy_item *item, struct tessera_error *err)
{
	char text[TESSERA_TILESET_TEXT_MAX];

	if (p == NULL || !item->has_tiles)
		return 0;
	tessera_tileset_format(p, &item->tiles, TESSERA_FORM_RDUS, text, sizeof(text));
	if (table_set_text(t, TILES, text, err) < 0)
		return -1;
	tessera_tileset_format(p, &item->tiles, TESSERA_FORM_MASK, text, sizeof(text));
	return table_set(t, MASK, text, err);
}

static int set_row(struct table *t, const struct occupancy *s, size_t n,
		   const struct tessera_conf *conf, struct tessera_error *err)
{
	const struct occupancy_item *item = &s->items[n];
	static const char *const colours[] = {NULL,   "red",     "green", "yellow",
					      "blue", "magenta", "cyan"};
	const char mark[2] = {status_mark(s, n), '\0'};

	if (table_row(t, err) < 0 || table_set_text(t, NODE, item->node, err) < 0 ||
	    table_set(t, RESOURCE, item->resource, err) < 0 || table_set(t, MARK, mark, err) < 0 ||
	    set_owner(t, item, err) < 0 || table_set(t, STATE, item->state, err) < 0)
		return -1;
	if (strcmp(item->state, OCCUPANCY_DAMAGED) != 0 &&
	    table_set_number(t, COUNT, item->count, err) < 0)
		return -1;
	if (set_tiles(t, tessera_conf_node_platform(conf, item->node), item, err) < 0 ||
	    table_set_text(t, PARTITION, item->partition, err) < 0 ||
	    (item->has_outside && table_set_number(t, OUTSIDE, item->outside, err) < 0))
		return -1;
	table_set_colour(t, STATE, state_colour(item->state));
	table_set_colour(t, MARK, colours[status_mark_colour(s, n)]);
	return table_set_text(t, TEXT, item->text, err);
}

/* By default show the columns that are not empty. */
static void choose_usual(struct table_column *usual, const struct occupancy *s, bool cluster)
{
	usual[NODE].usual = cluster;
	usual[MARK].usual = !cluster;
	for (size_t i = 0; i < s->count; i++) {
		const struct occupancy_item *item = &s->items[i];

		usual[TILES].usual |= item->has_tiles;
		usual[PARTITION].usual |= item->partition[0] != '\0';
		usual[OUTSIDE].usual |= item->outside > 0;
		usual[TEXT].usual |= item->text[0] != '\0';
	}
}

int status_print_table(const struct occupancy *s, const struct tessera_conf *conf,
		       const struct cli_options *c, bool cluster, struct tessera_error *err)
{
	struct table_column usual[COLUMNS];
	struct table *t;
	int rc = 0;

	memcpy(usual, columns, sizeof(usual));
	choose_usual(usual, s, cluster);
	t = table_new(usual, COLUMNS, c->columns, c->form, "holdings", err);
	if (t == NULL)
		return -1;
	for (size_t i = 0; i < s->count && rc == 0; i++)
		/* The bars above the table show what is free. */
		if (!cluster || c->form != TABLE_PLAIN || !is_free(&s->items[i]))
			rc = set_row(t, s, i, conf, err);
	if (rc == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}
