/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "command/view/cli_options.h"
#include "command/view/health_view.h"

static struct occupancy_item *add_tiles(struct occupancy *s, const struct node *node,
					const char *state, const struct tessera_tileset *tiles,
					struct tessera_error *err)
{
	struct occupancy_item *item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);

	if (item == NULL)
		return NULL;
	item->state = state;
	item->has_tiles = true;
	item->tiles = *tiles;
	item->count = tessera_tileset_count(tiles);
	return item;
}

/* Do bad tiles of a result from WHEN still count? Those with a time in the future do. */
static bool says_bad(const struct node *node, const struct health_view *view, int64_t when)
{
	return tessera_health_counts(tessera_conf_health(node->conf), when, view->now) ||
	       tessera_health_is_ahead(when, view->now);
}

static int add_sources(struct occupancy *s, const struct node *node, const struct health_view *view,
		       struct tessera_error *err)
{
	for (size_t i = 0; i < view->health.count; i++) {
		const struct tessera_health_source *from = &view->health.sources[i];
		struct occupancy_item *item;

		if (tessera_tileset_empty(&from->bad) || !says_bad(node, view, from->time))
			continue;
		item = add_tiles(s, node, OCCUPANCY_BAD, &from->bad, err);
		if (item == NULL)
			return -1;
		snprintf(item->text, sizeof(item->text), "%s: %.400s", from->name, from->text);
	}
	return 0;
}

static int add_marks(struct occupancy *s, const struct node *node,
		     const struct tessera_marks *marks, struct tessera_error *err)
{
	struct tessera_tileset tiles;
	char user[64];

	for (size_t i = 0; i < marks->count;) {
		const struct tessera_mark *m = &marks->list[i];
		struct occupancy_item *item;

		i += health_view_marks(marks, i, &tiles);
		item = add_tiles(s, node, OCCUPANCY_BAD, &tiles, err);
		if (item == NULL)
			return -1;
		snprintf(item->text, sizeof(item->text), "marked by %s%s%.400s",
			 cli_user(m->uid, user, sizeof(user)), m->text[0] != '\0' ? ": " : "",
			 m->text);
	}
	return 0;
}

static int add_unknown(struct occupancy *s, const struct node *node,
		       const struct tessera_tileset *unknown, struct tessera_error *err)
{
	struct occupancy_item *item;

	if (tessera_tileset_empty(unknown))
		return 0;
	item = add_tiles(s, node, OCCUPANCY_UNKNOWN, unknown, err);
	if (item == NULL)
		return -1;
	snprintf(item->text, sizeof(item->text),
		 "not allocated: no tool reports whether they are good");
	return 0;
}

static int add_ipus(struct occupancy *s, const struct node *node, const struct health_view *view,
		    struct tessera_error *err)
{
	const struct tessera_health_ipus *from = &view->health.ipus;
	struct occupancy_item *item;

	if (from->bad == 0 || !says_bad(node, view, from->time))
		return 0;
	item = occupancy_add(s, node->name, OCCUPANCY_IPUS, err);
	if (item == NULL)
		return -1;
	item->state = OCCUPANCY_BAD;
	item->count = from->bad;
	snprintf(item->text, sizeof(item->text), "%s: %.400s", from->name, from->text);
	return 0;
}

int occupancy_health(struct occupancy *s, const struct node *node, const struct health_view *view,
		     struct tessera_error *err)
{
	struct tessera_tileset unknown = view->verdict.unusable, free = {0};

	if (node->platform == NULL)
		return add_ipus(s, node, view, err);
	for (size_t i = 0; i < s->count; i++) {
		struct occupancy_item *item = &s->items[i];

		if (!item->has_tiles || strcmp(item->state, OCCUPANCY_FREE) != 0)
			continue;
		tessera_tileset_or(&free, &item->tiles);
		tessera_tileset_minus(&item->tiles, &view->verdict.unusable);
		item->count = tessera_tileset_count(&item->tiles);
	}
	if (add_sources(s, node, view, err) < 0 || add_marks(s, node, &view->marks, err) < 0)
		return -1;
	/* Only free tiles: a held one is not available anyway. */
	tessera_tileset_minus(&unknown, &view->verdict.bad);
	tessera_tileset_and(&unknown, &free);
	return add_unknown(s, node, &unknown, err);
}

/* Remove slurmctld's items of NODE's bad and uncounted tiles. Returns the number of tiles. */
static unsigned remove_out(struct occupancy *s, const char *node)
{
	unsigned sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->items[i].node, node) == 0 && occupancy_is_out(&s->items[i]))
			sum += s->items[i].count;
		else
			s->items[kept++] = s->items[i];
	}
	s->count = kept;
	return sum;
}

/* The item of NODE's free tiles; NULL if slurmctld does not have the node. */
static struct occupancy_item *find_free_tiles(struct occupancy *s, const char *node)
{
	for (size_t i = 0; i < s->count; i++) {
		struct occupancy_item *item = &s->items[i];

		if (strcmp(item->node, node) == 0 && strcmp(item->resource, OCCUPANCY_TILES) == 0 &&
		    strcmp(item->state, OCCUPANCY_FREE) == 0)
			return item;
	}
	return NULL;
}

int occupancy_own_health(struct occupancy *s, const struct node *node, const struct occupancy *own,
			 const struct health_view *view, struct tessera_error *err)
{
	unsigned bad = tessera_tileset_count(&view->verdict.bad), good, withheld = 0, out, extra;
	struct tessera_tileset unheld = {0}, left;
	struct occupancy_item *item;

	if (node->platform == NULL || find_free_tiles(s, node->name) == NULL)
		return 0;
	for (size_t i = 0; i < own->count; i++) {
		if (strcmp(own->items[i].state, OCCUPANCY_FREE) == 0 && own->items[i].has_tiles)
			tessera_tileset_or(&unheld, &own->items[i].tiles);
		withheld += occupancy_is_withheld(&own->items[i]) ? own->items[i].count : 0;
	}
	left = unheld;
	tessera_tileset_minus(&left, &view->verdict.unusable);
	good = tessera_tileset_count(&left);
	/* Not held, unusable, and not bad. */
	tessera_tileset_and(&unheld, &view->verdict.unusable);
	tessera_tileset_minus(&unheld, &view->verdict.bad);
	withheld += tessera_tileset_count(&unheld);
	/* Tiles that slurmctld does not count for any other reason are not free either. */
	out = remove_out(s, node->name);
	extra = out > bad + withheld ? out - bad - withheld : 0;
	item = find_free_tiles(s, node->name);
	item->count = item->count + out < good ? item->count + out : good;
	item->count -= extra < item->count ? extra : item->count;
	if (bad > 0) {
		item = add_tiles(s, node, OCCUPANCY_BAD, &view->verdict.bad, err);
		if (item == NULL)
			return -1;
		snprintf(item->text, sizeof(item->text), "see tessera status on %.64s", node->name);
	}
	if (withheld + extra > 0) {
		item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);
		if (item == NULL)
			return -1;
		item->state = OCCUPANCY_UNCOUNTED;
		item->count = withheld + extra;
		snprintf(item->text, sizeof(item->text), "see tessera status on %.64s", node->name);
	}
	occupancy_sort(s);
	return 0;
}
