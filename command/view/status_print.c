/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/view/status.h"
#include "command/view/tilemap.h"
#include "lib/slurm/compat.h"

#define BAR_WIDTH 32 /* of one node in the list of all nodes */
/* IPUs in a line of a pool's map: with spaces between machines, 80 columns */
#define ROW_WIDTH 64

static void print_tiles(const struct occupancy *s, const struct node *node,
			const struct health_view *health)
{
	struct tilemap_cell cells[TESSERA_TILES_MAX] = {0};
	unsigned total = tessera_platform_tiles(node->platform), held = 0, free = 0, withheld = 0,
		 unknown = 0;
	unsigned bad = tessera_tileset_count(&health->verdict.bad);

	for (size_t i = 0; i < s->count; i++) {
		const struct occupancy_item *item = &s->items[i];
		char mark = status_mark(s, i);

		if (!item->has_tiles)
			continue;
		held += item->job != 0 ? item->count : 0;
		withheld += occupancy_is_withheld(item) ? item->count : 0;
		free += strcmp(item->state, OCCUPANCY_FREE) == 0 ? item->count : 0;
		unknown += strcmp(item->state, OCCUPANCY_UNKNOWN) == 0 ? item->count : 0;
		/* Bad tiles come last in S and replace the letters of jobs. */
		for (unsigned t = 0; (t = tessera_tileset_next(&item->tiles, t)) < total; t++) {
			cells[t].text[0] = mark;
			cells[t].colour = status_mark_colour(s, i);
		}
	}
	printf("%s  %s: %u of %u tiles held", node->name, node->platform->title, held - withheld,
	       total);
	if (withheld > 0)
		printf(", %u withheld", withheld);
	printf(", %u free", free);
	if (bad > 0)
		printf(", %u bad", bad);
	if (unknown > 0)
		printf(", %u unknown", unknown);
	puts("\n");
	tilemap_print(stdout, node->platform, cells, tilemap_colour(stdout));
}

/* The IPUs of this node's jobs as part of the pool: their number, not their positions. */
static void print_pool(const struct occupancy *s, const struct node *node)
{
	unsigned total = node->ipus->ipus, machine = node->ipus->ipus_per_machine, at = 0;
	bool colour = tilemap_colour(stdout);
	unsigned held = 0;

	for (size_t i = 0; i < s->count; i++)
		held += occupancy_has_ipus(&s->items[i]) ? s->items[i].count : 0;
	printf("%s  %s: jobs of this node hold %u of the pool's %u IPUs\n\n", node->name,
	       node->ipus->title, held, total);
	for (size_t i = 0; i <= s->count; i++) {
		unsigned count = i < s->count ? s->items[i].count : total > at ? total - at : 0;

		if (i < s->count && !occupancy_has_ipus(&s->items[i]))
			continue;
		for (unsigned k = 0; k < count; k++, at++) {
			bool lit = colour && i < s->count;

			if (at > 0 && at % ROW_WIDTH == 0)
				putchar('\n');
			else if (at > 0 && at % machine == 0)
				putchar(' ');
			if (lit)
				printf("\033[1;3%dm", status_mark_colour(s, i));
			putchar(i < s->count ? status_mark(s, i) : '.');
			fputs(lit ? "\033[0m" : "", stdout);
		}
	}
	putchar('\n');
}

/* Print the use of tiles outside of allocations that samples found. */
static void print_outside(const struct occupancy *s)
{
	bool any = false;
	char user[64];

	for (size_t i = 0; i < s->count; i++) {
		const struct occupancy_item *item = &s->items[i];

		if (item->outside == 0)
			continue;
		fputs(any ? "" : "\n", stdout);
		any = true;
		if (item->job == 0)
			printf("unauthorized use: %" PRIu64
			       " tile-seconds by processes outside any job\n",
			       item->outside);
		else
			printf("unauthorized use: %" PRIu64
			       " tile-seconds by job %u%s%s on tiles that it does not hold\n",
			       item->outside, item->job, item->uid != UINT32_MAX ? " of " : "",
			       item->uid != UINT32_MAX ? cli_user(item->uid, user, sizeof(user))
						       : "");
	}
}

/* Print the tools whose results are missing, too old, or have a time in the future. */
static void print_old(const struct node *node, const struct health_view *health)
{
	const struct tessera_health_conf *conf = tessera_conf_health(node->conf);
	bool any = false;
	char age[32];

	for (size_t i = 0; i <= health->health.count; i++) {
		bool tiles = i < health->health.count;
		const char *name =
			tiles ? health->health.sources[i].name : health->health.ipus.name;
		int64_t when = tiles ? health->health.sources[i].time : health->health.ipus.time;

		if (name[0] == '\0' || tessera_health_counts(conf, when, health->now))
			continue;
		fputs(any ? "" : "\n", stdout);
		any = true;
		if (when == 0)
			printf("health: %s has no result yet: run tessera health\n", name);
		else if (tessera_health_is_ahead(when, health->now))
			printf("health: the result of %s has a time in the future, only bad tiles "
			       "count: run tessera health\n",
			       name);
		else
			printf("health: the result of %s is too old, %s: run tessera health\n",
			       name, health_view_age(health, when, age, sizeof(age)));
	}
}

int status_print_node(const struct occupancy *s, const struct node *node,
		      const struct health_view *health, const struct cli_options *c,
		      struct tessera_error *err)
{
	if (c->form == TABLE_PLAIN) {
		if (node->platform != NULL)
			print_tiles(s, node, health);
		else if (node->ipus != NULL)
			print_pool(s, node);
		else
			puts(node->name);
		putchar('\n');
	}
	if (status_print_table(s, node->conf, c, false, err) < 0)
		return -1;
	if (c->form == TABLE_PLAIN)
		print_outside(s);
	if (c->form == TABLE_PLAIN)
		print_old(node, health);
	return 0;
}

struct tally {
	unsigned held, bad, withheld, free;
};

/* Cells of BAR_WIDTH for PART of ALL, rounded up so that a small part is visible. */
static unsigned count_cells(unsigned part, unsigned all)
{
	return all > 0 ? (part * BAR_WIDTH + all - 1) / all : 0;
}

static void print_bar(const struct occupancy_item *item, int width, const struct tally *tally,
		      unsigned tiles)
{
	/* A job may hold a bad tile. Tiles neither held nor free are those that no job gets. */
	unsigned total = tiles > 0 ? tiles : tally->held + tally->free;
	unsigned taken = tally->held + tally->free, full = count_cells(tally->held, total);
	unsigned gap = count_cells(total > taken ? total - taken : 0, total);

	printf("%-*s  ", width, item->node);
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		putchar(i < full ? '#' : i + gap >= BAR_WIDTH ? 'X' : '.');
	printf("  %u of %u %s held", tally->held, total, item->resource);
	if (tally->bad > 0)
		printf(", %u bad", tally->bad);
	if (tally->withheld > 0)
		printf(", %u withheld", tally->withheld);
	putchar('\n');
}

/* The number of tiles of an item's node; 0 if the item is not of tiles. */
static unsigned count_node_tiles(const struct tessera_conf *conf, const struct occupancy_item *item)
{
	const struct tessera_platform *p = tessera_conf_node_platform(conf, item->node);

	return p != NULL && strcmp(item->resource, OCCUPANCY_TILES) == 0 ? tessera_platform_tiles(p)
									 : 0;
}

int status_print_cluster(const struct occupancy *s, const struct tessera_conf *conf,
			 const struct cli_options *c, struct tessera_error *err)
{
	struct tally tally = {0};
	int width = 0;

	if (c->form != TABLE_PLAIN)
		return status_print_table(s, conf, c, true, err);
	for (size_t i = 0; i < s->count; i++) {
		int len = (int)strlen(s->items[i].node);

		width = len > width ? len : width;
	}
	/* The free item is the last of each node. */
	for (size_t i = 0; i < s->count; i++) {
		const struct occupancy_item *item = &s->items[i];

		if (strcmp(item->state, OCCUPANCY_BAD) == 0) {
			tally.bad += item->count;
		} else if (occupancy_is_out(item)) {
			tally.withheld += item->count;
		} else if (strcmp(item->state, OCCUPANCY_FREE) != 0) {
			tally.held += item->count;
		} else {
			tally.free = item->count;
			print_bar(item, width, &tally, count_node_tiles(conf, item));
			tally = (struct tally){0};
		}
	}
	putchar('\n');
	return status_print_table(s, conf, c, true, err);
}

/* The nodes whose tile numbers S lacks, as a host list to be freed; NULL if there are none. */
static char *find_unknown_nodes(const struct occupancy *s)
{
	tessera_slurm_hostlist nodes = NULL;
	char text[4096];

	for (size_t i = 0; i < s->count; i++) {
		const struct occupancy_item *item = &s->items[i];

		if (strcmp(item->resource, OCCUPANCY_TILES) != 0 || item->has_tiles)
			continue;
		if (nodes == NULL)
			nodes = slurm_hostlist_create(item->node);
		else
			slurm_hostlist_push_host(nodes, item->node);
	}
	if (nodes == NULL)
		return NULL;
	slurm_hostlist_uniq(nodes);
	/*
	 * Not all releases have the function that allocates the text; a list that is too long is
	 * truncated.
	 */
	slurm_hostlist_ranged_string(nodes, sizeof(text), text);
	slurm_hostlist_destroy(nodes);
	return strdup(text);
}

int status_print_job(const struct occupancy *s, const struct tessera_conf *conf,
		     const struct cli_options *c, uint32_t job, const char *state,
		     struct tessera_error *err)
{
	char *nodes;

	if (c->form != TABLE_PLAIN)
		return status_print_table(s, conf, c, true, err);
	if (s->count == 0 && state != NULL && strcmp(state, "pending") == 0) {
		printf("job %u is pending and holds nothing yet\n", job);
		return 0;
	}
	if (s->count == 0) {
		printf("job %u holds no tiles, IPUs or units of a pool\n", job);
		return 0;
	}
	if (status_print_table(s, conf, c, true, err) < 0)
		return -1;
	nodes = find_unknown_nodes(s);
	if (nodes != NULL)
		printf("\nslurmctld has no tile numbers: run tessera status --job=%u on %s\n", job,
		       nodes);
	free(nodes);
	return 0;
}
