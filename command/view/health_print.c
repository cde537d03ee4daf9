/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "command/view/health_view.h"
#include "command/view/tilemap.h"

enum { SOURCE, STATE, AGE, TIME, KNOWN, BAD, TILES, TEXT, COLUMNS };

/* The names are a stable interface: tessera(1) documents them. */
static const struct table_column columns[COLUMNS] = {
	[SOURCE] = {"source", "SOURCE", TABLE_TEXT, true},
	[STATE] = {"state", "STATE", TABLE_TEXT, true},
	[AGE] = {"age", "AGE", TABLE_TEXT, true},
	[TIME] = {"time", "TIME", TABLE_NUMBER, false},
	[KNOWN] = {"known", "KNOWN", TABLE_NUMBER, true},
	[BAD] = {"bad", "BAD", TABLE_NUMBER, true},
	[TILES] = {"tiles", "TILES", TABLE_TEXT, true},
	[TEXT] = {"text", "TEXT", TABLE_TEXT, true},
};

/* A row: the result of a tool, or marks. TILES may be NULL. KNOWN 0 and TIME 0: unknown. */
struct result {
	const char *source, *state, *text;
	int64_t time;
	unsigned known, bad;
	const struct tessera_tileset *tiles;
};

static int add_row(struct table *t, const struct node *node, const struct health_view *view,
		   const struct result *result, struct tessera_error *err)
{
	char text[TESSERA_TILESET_TEXT_MAX];

	if (table_row(t, err) < 0 || table_set(t, SOURCE, result->source, err) < 0 ||
	    table_set(t, STATE, result->state, err) < 0 ||
	    table_set_text(t, TEXT, result->text, err) < 0)
		return -1;
	if (result->time != 0 &&
	    (table_set(t, AGE, health_view_age(view, result->time, text, sizeof(text)), err) < 0 ||
	     table_set_number(t, TIME, (uint64_t)result->time, err) < 0 ||
	     table_set_number(t, BAD, result->bad, err) < 0))
		return -1;
	if (result->known != 0 && table_set_number(t, KNOWN, result->known, err) < 0)
		return -1;
	if (result->tiles == NULL || tessera_tileset_empty(result->tiles))
		return 0;
	tessera_tileset_format(node->platform, result->tiles, TESSERA_FORM_RDUS, text,
			       sizeof(text));
	return table_set(t, TILES, text, err);
}

/* The state of a result from WHEN. */
static const char *find_state(const struct node *node, const struct health_view *view, int64_t when)
{
	if (when == 0)
		return "never";
	if (tessera_health_is_ahead(when, view->now))
		return "ahead";
	return tessera_health_counts(tessera_conf_health(node->conf), when, view->now) ? "current"
										       : "old";
}

static int add_marks(struct table *t, const struct node *node, const struct health_view *view,
		     struct tessera_error *err)
{
	struct tessera_tileset tiles;
	char user[64];

	for (size_t i = 0; i < view->marks.count;) {
		const struct tessera_mark *m = &view->marks.list[i];
		size_t count = health_view_marks(&view->marks, i, &tiles);

		i += count;
		if (add_row(t, node, view,
			    &(struct result){cli_user(m->uid, user, sizeof(user)), "marked",
					     m->text, m->time, 0, (unsigned)count, &tiles},
			    err) < 0)
			return -1;
	}
	return 0;
}

static int fill_table(struct table *t, const struct node *node, const struct health_view *view,
		      struct tessera_error *err)
{
	const struct tessera_health_ipus *ipus = &view->health.ipus;

	for (size_t i = 0; i < view->health.count; i++) {
		const struct tessera_health_source *s = &view->health.sources[i];

		if (add_row(t, node, view,
			    &(struct result){s->name, find_state(node, view, s->time), s->text,
					     s->time, tessera_tileset_count(&s->known),
					     tessera_tileset_count(&s->bad), &s->bad},
			    err) < 0)
			return -1;
	}
	if (ipus->name[0] != '\0' &&
	    add_row(t, node, view,
		    &(struct result){ipus->name, find_state(node, view, ipus->time), ipus->text,
				     ipus->time, ipus->seen, ipus->bad, NULL},
		    err) < 0)
		return -1;
	return add_marks(t, node, view, err);
}

static void print_tiles(const struct node *node, const struct health_view *view)
{
	const struct tessera_health_verdict *v = &view->verdict;
	struct tilemap_cell cells[TESSERA_TILES_MAX] = {0};
	unsigned total = tessera_platform_tiles(node->platform),
		 unknown = tessera_tileset_count(&v->unknown);

	for (unsigned t = 0; t < total; t++) {
		bool bad = tessera_tileset_has(&v->bad, t);

		cells[t].text[0] = '.';
		if (bad)
			cells[t].text[0] = 'X';
		else if (tessera_tileset_has(&v->unknown, t))
			cells[t].text[0] = '?';
		cells[t].colour = bad ? 1 : 0;
	}
	printf("%s  %s: %u of %u tiles bad", node->name, node->platform->title,
	       tessera_tileset_count(&v->bad), total);
	if (unknown > 0)
		printf(", %u unknown and %s", unknown,
		       tessera_conf_health(node->conf)->avoid_unknown != 0 ? "not allocated"
									   : "allocated anyway");
	puts("\n");
	tilemap_print(stdout, node->platform, cells, tilemap_colour(stdout));
	putchar('\n');
}

static void print_ipus(const struct node *node, const struct health_view *view)
{
	const struct tessera_health_ipus *ipus = &view->health.ipus;
	bool known = tessera_health_counts(tessera_conf_health(node->conf), ipus->time, view->now);

	printf("%s  %s: ", node->name, node->ipus->title);
	if (!known)
		puts("number of bad IPUs unknown\n");
	else if (ipus->seen == 0)
		printf("%u IPUs bad; unknown how many of the pool's %u were checked\n\n", ipus->bad,
		       node->ipus->ipus);
	else
		printf("%u IPUs bad; %u of the pool's %u checked\n\n", ipus->bad, ipus->seen,
		       node->ipus->ipus);
}

int health_view_print(const struct health_view *view, const struct node *node,
		      const struct cli_options *c, struct tessera_error *err)
{
	struct table *t = table_new(columns, COLUMNS, c->columns, c->form, "health", err);
	int rc = t != NULL ? fill_table(t, node, view, err) : -1;

	if (rc == 0 && c->form == TABLE_PLAIN) {
		if (node->platform != NULL)
			print_tiles(node, view);
		else
			print_ipus(node, view);
	}
	if (rc == 0)
		rc = table_print(t, stdout, err);
	table_free(t);
	return rc;
}
