/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gres/survey.h"
#include "lib/holding.h"

struct survey_item *survey_add(struct survey *s, const char *node, const char *resource, struct tessera_error *err)
{
	struct survey_item *item;

	if (s->count == s->room) {
		size_t room = s->room > 0 ? 2 * s->room : 64;
		struct survey_item *more = reallocarray(s->items, room, sizeof(*more));

		if (more == NULL) {
			tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory for %zu holdings", room);
			return NULL;
		}
		s->items = more;
		s->room = room;
	}
	item = &s->items[s->count++];
	*item = (struct survey_item){.state = SURVEY_FREE};
	snprintf(item->node, sizeof(item->node), "%s", node);
	snprintf(item->resource, sizeof(item->resource), "%s", resource);
	return item;
}

void survey_free(struct survey *s)
{
	free(s->items);
	*s = (struct survey){0};
}

bool survey_has_ipus(const struct survey_item *item)
{
	return item->job != 0 && strcmp(item->resource, SURVEY_IPUS) == 0 && strcmp(item->state, "failed") != 0 &&
	       strcmp(item->state, "refused") != 0;
}

bool survey_is_out(const struct survey_item *item)
{
	return strcmp(item->state, SURVEY_BAD) == 0 || strcmp(item->state, SURVEY_WITHHELD) == 0;
}

bool survey_is_stale(const struct survey_item *item)
{
	return strcmp(item->state, SURVEY_STALE) == 0;
}

static const char *row_state(enum tessera_row_state state)
{
	switch (state) {
	case TESSERA_ROW_HELD:
		return "held";
	case TESSERA_ROW_SHORT:
		return "short";
	case TESSERA_ROW_REFUSED:
		return "refused";
	case TESSERA_ROW_STALE:
		return SURVEY_STALE;
	}
	return "?";
}

static int add_rows(struct survey *s, const struct node *node, const struct tessera_ledger *ledger,
		    struct tessera_error *err)
{
	const struct tessera_row *row;
	struct survey_item *item;

	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++) {
		item = survey_add(s, node->name, SURVEY_TILES, err);
		if (item == NULL)
			return -1;
		item->job = row->job;
		item->uid = row->uid;
		item->state = row_state(row->state);
		item->has_tiles = true;
		item->tiles = row->tiles;
		item->count = tessera_tileset_count(&row->tiles);
		snprintf(item->text, sizeof(item->text), "%s", row->text);
	}
	item = survey_add(s, node->name, SURVEY_TILES, err);
	if (item == NULL)
		return -1;
	item->has_tiles = true;
	tessera_ledger_free_tiles(ledger, &item->tiles);
	item->count = tessera_tileset_count(&item->tiles);
	return 0;
}

static int add_ledger(struct survey *s, const struct node *node, struct tessera_error *err)
{
	struct tessera_ledger *ledger;
	int rc;

	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	rc = add_rows(s, node, ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

/* What a note says of IPUs, or of a pool. */
static int add_held(struct survey *s, const struct node *node, const struct tessera_holding *h,
		    const char *resource, unsigned count, struct tessera_error *err)
{
	struct survey_item *item = survey_add(s, node->name, resource, err);

	if (item == NULL)
		return -1;
	item->job = h->job;
	item->uid = h->uid;
	item->state = tessera_holding_state_name(h->state);
	item->count = count;
	snprintf(item->text, sizeof(item->text), "%s", h->text);
	return 0;
}

static int add_note(struct survey *s, const struct node *node, const struct tessera_holding *h,
		    struct tessera_error *err)
{
	if (h->ipus > 0) {
		if (add_held(s, node, h, SURVEY_IPUS, h->ipus, err) < 0)
			return -1;
		snprintf(s->items[s->count - 1].partition, sizeof(h->partition), "%s", h->partition);
		s->items[s->count - 1].first = h->owner;
	}
	for (size_t i = 0; i < h->pool_count; i++)
		if (add_held(s, node, h, h->pools[i].name, h->pools[i].count, err) < 0)
			return -1;
	return 0;
}

static int add_damaged(struct survey *s, const struct node *node, uint32_t job, const struct tessera_error *damaged,
		       struct tessera_error *err)
{
	struct survey_item *item = survey_add(s, node->name, SURVEY_IPUS, err);

	if (item == NULL)
		return -1;
	item->job = job;
	item->uid = UINT32_MAX;
	item->state = SURVEY_DAMAGED;
	snprintf(item->text, sizeof(item->text), "%s", damaged->text);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int add_notes(struct survey *s, const struct node *node, struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count = tessera_holding_jobs(node->dir, &jobs, err), rc = count < 0 ? -1 : 0;

	if (count > 0)
		qsort(jobs, (size_t)count, sizeof(*jobs), by_number);
	for (int i = 0; i < count && rc == 0; i++) {
		struct tessera_error damaged = {0};
		struct tessera_holding h;
		int got = tessera_holding_read(node->dir, jobs[i], &h, &damaged);

		if (got < 0)
			rc = add_damaged(s, node, jobs[i], &damaged, err);
		else if (got == 0) /* else it went meanwhile */
			rc = add_note(s, node, &h, err);
	}
	free(jobs);
	return rc;
}

int survey_node(struct survey *s, const struct node *node, struct tessera_error *err)
{
	if (!node->keeps)
		return 0;
	if (node->platform != NULL && add_ledger(s, node, err) < 0)
		return -1;
	return add_notes(s, node, err);
}

static bool has_job(const struct survey *s, uint32_t job)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].job == job)
			return true;
	return false;
}

/* The item of S that is the same as ITEM: on its node, or a licence's, which is no node's. NULL if there is none. */
static struct survey_item *same_as(struct survey *s, const struct survey_item *item)
{
	for (size_t i = 0; i < s->count; i++) {
		struct survey_item *other = &s->items[i];

		if (other->job == item->job && strcmp(other->resource, item->resource) == 0 &&
		    (other->node[0] == '\0' || strcmp(other->node, item->node) == 0))
			return other;
	}
	return NULL;
}

int survey_merge(struct survey *s, const struct survey *from, uint32_t job, struct tessera_error *err)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct survey_item *item = &from->items[i];
		struct survey_item *to, old;

		if (item->job == 0 || (item->job != job && !has_job(s, item->job)))
			continue;
		to = same_as(s, item);
		if (to == NULL && survey_add(s, "", "", err) == NULL)
			return -1;
		if (to == NULL) {
			s->items[s->count - 1] = *item;
			continue;
		}
		/* A note says how many IPUs the whole job has; where and how many there, slurmctld knows better. */
		old = *to;
		*to = *item;
		memcpy(to->node, old.node, sizeof(to->node));
		to->count = item->has_tiles ? item->count : old.count;
	}
	return 0;
}
