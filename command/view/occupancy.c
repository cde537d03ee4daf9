/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/view/occupancy.h"
#include "lib/state/job_record.h"
#include "lib/util/array.h"

struct occupancy_item *occupancy_add(struct occupancy *s, const char *node, const char *resource,
				     struct tessera_error *err)
{
	struct occupancy_item *item, *items = array_grow(s->items, s->count, sizeof(*items));

	if (items == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	s->items = items;
	item = &s->items[s->count++];
	*item = (struct occupancy_item){.state = OCCUPANCY_FREE};
	snprintf(item->node, sizeof(item->node), "%s", node);
	snprintf(item->resource, sizeof(item->resource), "%s", resource);
	return item;
}

void occupancy_free(struct occupancy *s)
{
	free(s->items);
	*s = (struct occupancy){0};
}

bool occupancy_has_ipus(const struct occupancy_item *item)
{
	return item->job != 0 && strcmp(item->resource, OCCUPANCY_IPUS) == 0 &&
	       strcmp(item->state, "failed") != 0 && strcmp(item->state, "refused") != 0;
}

bool occupancy_is_out(const struct occupancy_item *item)
{
	return strcmp(item->state, OCCUPANCY_BAD) == 0 ||
	       strcmp(item->state, OCCUPANCY_UNCOUNTED) == 0;
}

bool occupancy_is_withheld(const struct occupancy_item *item)
{
	return strcmp(item->state, OCCUPANCY_WITHHELD) == 0;
}

static const char *format_row_state(enum tessera_row_state state)
{
	switch (state) {
	case TESSERA_ROW_HELD:
		return "held";
	case TESSERA_ROW_SHORT:
		return "short";
	case TESSERA_ROW_REFUSED:
		return "refused";
	case TESSERA_ROW_WITHHELD:
		return OCCUPANCY_WITHHELD;
	}
	return "?";
}

static int add_rows(struct occupancy *s, const struct node *node,
		    const struct tessera_ledger *ledger, struct tessera_error *err)
{
	const struct tessera_row *row;
	struct occupancy_item *item;

	for (size_t n = 0; (row = tessera_ledger_row(ledger, n)) != NULL; n++) {
		item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);
		if (item == NULL)
			return -1;
		item->job = row->job;
		item->uid = row->uid;
		item->state = format_row_state(row->state);
		item->has_tiles = true;
		item->tiles = row->tiles;
		item->count = tessera_tileset_count(&row->tiles);
		snprintf(item->text, sizeof(item->text), "%s", row->text);
	}
	item = occupancy_add(s, node->name, OCCUPANCY_TILES, err);
	if (item == NULL)
		return -1;
	item->has_tiles = true;
	tessera_ledger_free_tiles(ledger, &item->tiles);
	item->count = tessera_tileset_count(&item->tiles);
	return 0;
}

static int add_ledger(struct occupancy *s, const struct node *node, struct tessera_error *err)
{
	struct tessera_ledger *ledger;
	int rc;

	if (tessera_ledger_read(node->dir, node->platform, &ledger, err) < 0)
		return -1;
	rc = add_rows(s, node, ledger, err);
	tessera_ledger_close(ledger);
	return rc;
}

/* Add the IPUs or the units of a pool in a job record. */
static int add_held(struct occupancy *s, const struct node *node,
		    const struct tessera_job_record *h, const char *resource, unsigned count,
		    struct tessera_error *err)
{
	struct occupancy_item *item = occupancy_add(s, node->name, resource, err);

	if (item == NULL)
		return -1;
	item->job = h->job;
	item->uid = h->uid;
	item->state = tessera_job_record_state_name(h->state);
	item->count = count;
	snprintf(item->text, sizeof(item->text), "%s", h->text);
	return 0;
}

static int add_job_record(struct occupancy *s, const struct node *node,
			  const struct tessera_job_record *h, struct tessera_error *err)
{
	if (h->ipus > 0) {
		if (add_held(s, node, h, OCCUPANCY_IPUS, h->ipus, err) < 0)
			return -1;
		snprintf(s->items[s->count - 1].partition, sizeof(h->partition), "%s",
			 h->partition);
		s->items[s->count - 1].first = h->owner;
	}
	for (size_t i = 0; i < h->pool_count; i++)
		if (add_held(s, node, h, h->pools[i].name, h->pools[i].count, err) < 0)
			return -1;
	return 0;
}

static int add_damaged(struct occupancy *s, const struct node *node, uint32_t job,
		       const struct tessera_error *damaged, struct tessera_error *err)
{
	struct occupancy_item *item = occupancy_add(s, node->name, OCCUPANCY_IPUS, err);

	if (item == NULL)
		return -1;
	item->job = job;
	item->uid = UINT32_MAX;
	item->state = OCCUPANCY_DAMAGED;
	snprintf(item->text, sizeof(item->text), "%s", damaged->text);
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int add_job_records(struct occupancy *s, const struct node *node, struct tessera_error *err)
{
	uint32_t *jobs = NULL;
	int count = tessera_job_record_jobs(node->dir, &jobs, err), rc = count < 0 ? -1 : 0;

	if (count > 0)
		qsort(jobs, (size_t)count, sizeof(*jobs), compare_numbers);
	for (int i = 0; i < count && rc == 0; i++) {
		struct tessera_error damaged = {0};
		struct tessera_job_record h;
		int got = tessera_job_record_read(node->dir, jobs[i], &h, &damaged);

		if (got < 0)
			rc = add_damaged(s, node, jobs[i], &damaged, err);
		else if (got == 0) /* else it was removed meanwhile */
			rc = add_job_record(s, node, &h, err);
	}
	free(jobs);
	return rc;
}

int occupancy_node(struct occupancy *s, const struct node *node, struct tessera_error *err)
{
	if (!node->has_state)
		return 0;
	if (node->platform != NULL && add_ledger(s, node, err) < 0)
		return -1;
	return add_job_records(s, node, err);
}

static bool has_job(const struct occupancy *s, uint32_t job)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].job == job)
			return true;
	return false;
}

/*
 * The item of S with ITEM's job and resource, on ITEM's node or counted by a license. NULL if there
 * is none.
 */
static struct occupancy_item *find_same(struct occupancy *s, const struct occupancy_item *item)
{
	for (size_t i = 0; i < s->count; i++) {
		struct occupancy_item *other = &s->items[i];

		if (other->job == item->job && strcmp(other->resource, item->resource) == 0 &&
		    (other->node[0] == '\0' || strcmp(other->node, item->node) == 0))
			return other;
	}
	return NULL;
}

int occupancy_merge(struct occupancy *s, const struct occupancy *from, uint32_t job,
		    struct tessera_error *err)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct occupancy_item *item = &from->items[i];
		struct occupancy_item *to, old;

		if (item->job == 0 || (item->job != job && !has_job(s, item->job)))
			continue;
		to = find_same(s, item);
		if (to == NULL && occupancy_add(s, "", "", err) == NULL)
			return -1;
		if (to == NULL) {
			s->items[s->count - 1] = *item;
			continue;
		}
		/* A job record has the IPUs of the whole job; slurmctld has those of each node. */
		old = *to;
		*to = *item;
		memcpy(to->node, old.node, sizeof(to->node));
		to->count = item->has_tiles ? item->count : old.count;
	}
	return 0;
}
