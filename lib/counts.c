/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counts.h"

#define OURS      "tessera: "
#define TILES_MAX 50            /* of a list of tiles in a reason */
#define MORE      " tiles) bad" /* after the number of those that had no room in the list */

void tessera_counts_of(const struct tessera_platform *p, const struct tessera_tileset *out,
		       struct tessera_counts *counts)
{
	unsigned part = p->tiles_per_gres != 0 ? p->tiles_per_gres : p->tiles_per_rdu;
	unsigned tiles = tessera_platform_tiles(p);
	struct tessera_tileset usable;

	tessera_tileset_all(p, &usable);
	tessera_tileset_minus(&usable, out);
	*counts = (struct tessera_counts){
		.rdu.given = true, .tile.given = true, .tile.count = tessera_tileset_count(&usable)};
	for (unsigned first = 0; part > 0 && first + part <= tiles; first += part)
		counts->rdu.count += tessera_tileset_has_range(&usable, first, part);
}

static void limit_one(struct gres_sum *sum, const struct gres_sum *limit)
{
	sum->given = limit->given;
	if (sum->count > limit->count)
		sum->count = limit->count;
}

void tessera_counts_limit(struct tessera_counts *counts, const struct tessera_counts *limit)
{
	limit_one(&counts->rdu, &limit->rdu);
	limit_one(&counts->tile, &limit->tile);
}

static int misread(const char *gres, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_INPUT, "Gres=%.200s is not understood", gres);
}

/* GRES without what stands in brackets, which may have commas in it; to be freed. NULL with ERR. */
static char *without_brackets(const char *gres, struct tessera_error *err)
{
	const char *given = gres_given(gres);
	char *bare = strdup(given != NULL ? given : ""), *to = bare;
	bool inside = false, good = true;

	if (bare == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	for (const char *from = bare; *from != '\0' && good; from++) {
		if (*from == '(' || *from == ')') {
			good = inside == (*from == ')');
			inside = !inside;
		} else if (!inside) {
			*to++ = *from;
		}
	}
	*to = '\0';
	if (good && !inside)
		return bare;
	free(bare);
	misread(gres, err);
	return NULL;
}

/* 64, or 1K as slurmctld writes 1024. Returns 0, or -1. */
static int read_count(const struct gres_item *item, unsigned *count)
{
	static const char suffixes[] = {'K', 'M', 'G'};
	size_t len = item->count_len;
	const char *suffix = NULL;

	*count = 1;
	if (item->count == NULL)
		return 0;
	if (len > 1 && (suffix = memchr(suffixes, item->count[len - 1], sizeof(suffixes))) != NULL)
		len--;
	if (item->extra || gres_count("Gres", item->text, item->len, item->count, len, count, NULL) < 0)
		return -1;
	for (const char *s = suffixes; suffix != NULL && s <= suffix; s++) {
		if (*count > UINT_MAX / 1024)
			return -1;
		*count *= 1024;
	}
	return 0;
}

/* The item of NAME in BARE. Returns 1, or 0 if there is none, or -1 if there are several. */
static int find_item(const char *bare, const char *name, struct gres_item *found)
{
	struct gres_walk walk;
	struct gres_item item;
	int times = 0;

	gres_walk_start(&walk, bare, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		if (gres_item_is(&item, name) && ++times == 1)
			*found = item;
	}
	return times > 1 ? -1 : times;
}

static int read_one(const char *bare, const char *name, struct gres_sum *sum)
{
	struct gres_item item;
	int rc = find_item(bare, name, &item);

	*sum = (struct gres_sum){.given = rc > 0};
	return rc <= 0 ? rc : read_count(&item, &sum->count);
}

int tessera_counts_read(const char *gres, struct tessera_counts *counts, struct tessera_error *err)
{
	char *bare = without_brackets(gres, err);
	int rc = -1;

	*counts = (struct tessera_counts){0};
	if (bare == NULL)
		return -1;
	if (read_one(bare, GRES_RDU, &counts->rdu) == 0 && read_one(bare, GRES_RDU_TILE, &counts->tile) == 0)
		rc = 0;
	else
		misread(gres, err);
	free(bare);
	return rc;
}

/* A text that grows in a buffer, and stops growing when that is full. */
struct text {
	char *buf;
	size_t len, used;
	const char *comma; /* between its pieces */
};

static void append(struct text *t, const char *piece, size_t len)
{
	const char *comma = t->used > 0 ? t->comma : "";

	if (t->used < t->len)
		t->used += (size_t)snprintf(t->buf + t->used, t->len - t->used, "%s%.*s", comma, (int)len, piece);
}

/* ITEM with another count: its name and type stay. */
static void append_count(struct text *t, const struct gres_item *item, unsigned count)
{
	size_t head = item->count != NULL ? (size_t)(item->count - item->text) - 1 : item->len;

	append(t, item->text, head);
	if (t->used < t->len)
		t->used += (size_t)snprintf(t->buf + t->used, t->len - t->used, ":%u", count);
}

/* What COUNTS says of the item's name; NULL if that is not ours. */
static const struct gres_sum *wanted(const struct tessera_counts *counts, const struct gres_item *item)
{
	if (gres_item_is(item, GRES_RDU))
		return counts->rdu.given ? &counts->rdu : NULL;
	return gres_item_is(item, GRES_RDU_TILE) && counts->tile.given ? &counts->tile : NULL;
}

static int append_missing(struct text *t, const char *present, const char *configured, const char *name,
			  const struct gres_sum *sum)
{
	struct gres_item item;

	if (!sum->given || find_item(present, name, &item) > 0)
		return 0;
	if (find_item(configured, name, &item) <= 0)
		return -1;
	append_count(t, &item, sum->count);
	return 0;
}

int tessera_counts_write(const char *present, const char *configured, const struct tessera_counts *counts,
			 char *buf, size_t len, struct tessera_error *err)
{
	char *now = without_brackets(present, err), *usual = without_brackets(configured, err);
	struct text t = {.buf = buf, .len = len, .comma = ","};
	struct gres_walk walk;
	struct gres_item item;
	int rc = now != NULL && usual != NULL ? 0 : -1;

	buf[0] = '\0';
	if (rc < 0)
		goto cleanup;
	gres_walk_start(&walk, now, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		const struct gres_sum *sum = wanted(counts, &item);

		if (sum != NULL)
			append_count(&t, &item, sum->count);
		else
			append(&t, item.text, item.len);
	}
	if (append_missing(&t, now, usual, GRES_RDU, &counts->rdu) < 0 ||
	    append_missing(&t, now, usual, GRES_RDU_TILE, &counts->tile) < 0)
		rc = misread(configured, err);
	else if (t.used >= len)
		rc = tessera_error_set(err, TESSERA_ERR_INPUT, "Gres=%.80s... is longer than %zu bytes", now, len);
cleanup:
	free(now);
	free(usual);
	return rc;
}

bool tessera_counts_is_ours(const char *reason)
{
	return reason != NULL && strncmp(reason, OURS, strlen(OURS)) == 0;
}

bool tessera_counts_is_slurms(const char *reason)
{
	return reason != NULL && strncmp(reason, "gres/rdu", 8) == 0 &&
	       strstr(reason, "count changed and jobs are using them") != NULL;
}

/* "3.5 bad", or "rdu0,rdu2,... (19 tiles) bad": as many items as have room. */
static void add_tiles(struct text *t, const struct tessera_platform *p, const struct tessera_tileset *tiles,
		      const char *what)
{
	char list[TILES_MAX + 1], piece[TILES_MAX + 64];
	size_t len = tessera_tileset_format(p, tiles, TESSERA_FORM_RDUS, list, sizeof(list));

	if (len == 0)
		return;
	if (len < sizeof(list)) {
		snprintf(piece, sizeof(piece), "%s %s", list, what);
	} else {
		char *comma = strrchr(list, ',');

		if (comma != NULL)
			*comma = '\0';
		snprintf(piece, sizeof(piece), "%s,... (%u tiles) %s", list, tessera_tileset_count(tiles), what);
	}
	append(t, piece, strlen(piece));
}

void tessera_counts_because(const struct tessera_platform *p, const struct tessera_counts_why *why,
			    char buf[TESSERA_COUNTS_REASON_MAX])
{
	struct text t = {.buf = buf, .len = TESSERA_COUNTS_REASON_MAX - sizeof(OURS), .comma = ", "};
	struct tessera_tileset unknown = why->unknown, kept = why->kept;

	tessera_tileset_minus(&unknown, &why->bad);
	tessera_tileset_minus(&kept, &why->bad);
	tessera_tileset_minus(&kept, &unknown);
	buf[0] = '\0';
	add_tiles(&t, p, &why->bad, "bad");
	add_tiles(&t, p, &unknown, "unknown");
	add_tiles(&t, p, &kept, "kept back");
}

void tessera_counts_reason(const struct tessera_platform *p, const struct tessera_counts_why *why,
			   char buf[TESSERA_COUNTS_REASON_MAX])
{
	char because[TESSERA_COUNTS_REASON_MAX];

	tessera_counts_because(p, why, because);
	snprintf(buf, TESSERA_COUNTS_REASON_MAX, OURS "%.*s", (int)(TESSERA_COUNTS_REASON_MAX - sizeof(OURS)),
		 because[0] != '\0' ? because : "counts change");
}

unsigned tessera_counts_reason_bad(const struct tessera_platform *p, const char *reason,
				   struct tessera_tileset *bad)
{
	char list[TILES_MAX + 8];
	struct tessera_tileset named;
	unsigned long count = 0;
	const char *end;
	char *digits_end;
	size_t len;

	*bad = (struct tessera_tileset){0};
	if (!tessera_counts_is_ours(reason))
		return 0;
	reason += strlen(OURS);
	len = strcspn(reason, " ");
	if (len >= sizeof(list))
		return 0;
	memcpy(list, reason, len);
	list[len] = '\0';
	reason += len;
	if (strncmp(reason, " (", 2) == 0) {
		count = strtoul(reason + 2, &digits_end, 10);
		if (count == 0 || count > TESSERA_TILES_MAX || strncmp(digits_end, MORE, strlen(MORE)) != 0)
			return 0;
		end = digits_end + strlen(MORE);
	} else if (strncmp(reason, " bad", 4) == 0) {
		end = reason + 4;
	} else {
		return 0;
	}
	/* The next piece may follow, after a comma. */
	if (*end != '\0' && *end != ',')
		return 0;
	if (count > 0)
		return (unsigned)count;
	if (tessera_tileset_parse(p, list, &named, NULL) < 0)
		return 0;
	*bad = named;
	return tessera_tileset_count(bad);
}
