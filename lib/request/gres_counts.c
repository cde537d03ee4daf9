/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/request/gres_counts.h"
#include "lib/util/strbuf.h"

#define OURS      "tessera: "
#define TILES_MAX 50            /* bytes of a list of tiles in a Reason */
#define MORE      " tiles) bad" /* follows the number of tiles if the list is truncated */

void tessera_gres_counts_of(const struct tessera_platform *p, const struct tessera_tileset *out,
			    struct tessera_counts *counts)
{
	unsigned part = p->tiles_per_gres != 0 ? p->tiles_per_gres : p->tiles_per_rdu;
	unsigned tiles = tessera_platform_tiles(p);
	struct tessera_tileset usable;

	tessera_tileset_all(p, &usable);
	tessera_tileset_minus(&usable, out);
	*counts = (struct tessera_counts){.rdu.given = true,
					  .tile.given = true,
					  .tile.count = tessera_tileset_count(&usable)};
	for (unsigned first = 0; part > 0 && first + part <= tiles; first += part)
		counts->rdu.count += tessera_tileset_has_range(&usable, first, part);
}

static void limit_one(struct gres_sum *sum, const struct gres_sum *limit)
{
	sum->given = limit->given;
	if (sum->count > limit->count)
		sum->count = limit->count;
}

void tessera_gres_counts_limit(struct tessera_counts *counts, const struct tessera_counts *limit)
{
	limit_one(&counts->rdu, &limit->rdu);
	limit_one(&counts->tile, &limit->tile);
}

static int set_unparsed(const char *gres, struct tessera_error *err)
{
	return tessera_error_set(err, TESSERA_ERR_INPUT, "Gres=%.200s cannot be parsed", gres);
}

/* GRES without its parts in parentheses, which may contain commas; to be freed. NULL with ERR. */
static char *strip_parentheses(const char *gres, struct tessera_error *err)
{
	const char *given = gres_given(gres);
	char *bare = strdup(given != NULL ? given : ""), *to = bare;
	bool inside = false, good = true;

	if (bare == NULL) {
		tessera_error_nomem(err);
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
	set_unparsed(gres, err);
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
	if (item->extra ||
	    gres_count("Gres", item->text, item->len, item->count, len, count, NULL) < 0)
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

int tessera_gres_counts_read(const char *gres, struct tessera_counts *counts,
			     struct tessera_error *err)
{
	char *bare = strip_parentheses(gres, err);
	int rc = -1;

	*counts = (struct tessera_counts){0};
	if (bare == NULL)
		return -1;
	if (read_one(bare, GRES_RDU, &counts->rdu) == 0 &&
	    read_one(bare, GRES_RDU_TILE, &counts->tile) == 0)
		rc = 0;
	else
		set_unparsed(gres, err);
	free(bare);
	return rc;
}

static void append_piece(struct strbuf *s, const char *separator, const char *piece, size_t len)
{
	strbuf_put(s, "%s%.*s", s->used > 0 ? separator : "", (int)len, piece);
}

/* ITEM with its name and type, but COUNT instead of its own count. */
static void append_count(struct strbuf *s, const struct gres_item *item, unsigned count)
{
	size_t head = item->count != NULL ? (size_t)(item->count - item->text) - 1 : item->len;

	append_piece(s, ",", item->text, head);
	strbuf_put(s, ":%u", count);
}

/* The count that COUNTS gives for ITEM's name; NULL: none. */
static const struct gres_sum *find_wanted(const struct tessera_counts *counts,
					  const struct gres_item *item)
{
	if (gres_item_is(item, GRES_RDU))
		return counts->rdu.given ? &counts->rdu : NULL;
	return gres_item_is(item, GRES_RDU_TILE) && counts->tile.given ? &counts->tile : NULL;
}

static int append_missing(struct strbuf *s, const char *present, const char *configured,
			  const char *name, const struct gres_sum *sum)
{
	struct gres_item item;

	if (!sum->given || find_item(present, name, &item) > 0)
		return 0;
	if (find_item(configured, name, &item) <= 0)
		return -1;
	append_count(s, &item, sum->count);
	return 0;
}

int tessera_gres_counts_write(const char *present, const char *configured,
			      const struct tessera_counts *counts, char *buf, size_t len,
			      struct tessera_error *err)
{
	char *now = strip_parentheses(present, err), *usual = strip_parentheses(configured, err);
	struct strbuf s = strbuf_start(buf, len);
	struct gres_walk walk;
	struct gres_item item;
	int rc = now != NULL && usual != NULL ? 0 : -1;

	if (rc < 0)
		goto cleanup;
	gres_walk_start(&walk, now, GRES_LIST_GRES);
	while (gres_walk_next(&walk, &item)) {
		const struct gres_sum *sum = find_wanted(counts, &item);

		if (sum != NULL)
			append_count(&s, &item, sum->count);
		else
			append_piece(&s, ",", item.text, item.len);
	}
	if (append_missing(&s, now, usual, GRES_RDU, &counts->rdu) < 0 ||
	    append_missing(&s, now, usual, GRES_RDU_TILE, &counts->tile) < 0)
		rc = set_unparsed(configured, err);
	else if (strbuf_is_cut(&s))
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "Gres=%.80s... is longer than %zu bytes", now, len);
cleanup:
	free(now);
	free(usual);
	return rc;
}

bool tessera_gres_counts_is_ours(const char *reason)
{
	return reason != NULL && strncmp(reason, OURS, strlen(OURS)) == 0;
}

bool tessera_gres_counts_is_slurms(const char *reason)
{
	return reason != NULL && strncmp(reason, "gres/rdu", 8) == 0 &&
	       strstr(reason, "count changed and jobs are using them") != NULL;
}

/* "3.5 bad", or "rdu0,rdu2,... (19 tiles) bad": as many items as have room. */
static void append_tiles(struct strbuf *s, const struct tessera_platform *p,
			 const struct tessera_tileset *tiles, const char *what)
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
		snprintf(piece, sizeof(piece), "%s,... (%u tiles) %s", list,
			 tessera_tileset_count(tiles), what);
	}
	append_piece(s, ", ", piece, strlen(piece));
}

void tessera_gres_counts_describe(const struct tessera_platform *p,
				  const struct tessera_gres_counts_excluded *excluded,
				  char buf[TESSERA_GRES_COUNTS_REASON_MAX])
{
	struct strbuf s = strbuf_start(buf, TESSERA_GRES_COUNTS_REASON_MAX - sizeof(OURS));
	struct tessera_tileset unknown = excluded->unknown, withheld = excluded->withheld;

	tessera_tileset_minus(&unknown, &excluded->bad);
	tessera_tileset_minus(&withheld, &excluded->bad);
	tessera_tileset_minus(&withheld, &unknown);
	append_tiles(&s, p, &excluded->bad, "bad");
	append_tiles(&s, p, &unknown, "unknown");
	append_tiles(&s, p, &withheld, "withheld");
}

void tessera_gres_counts_reason(const struct tessera_platform *p,
				const struct tessera_gres_counts_excluded *excluded,
				char buf[TESSERA_GRES_COUNTS_REASON_MAX])
{
	char tiles[TESSERA_GRES_COUNTS_REASON_MAX];

	tessera_gres_counts_describe(p, excluded, tiles);
	snprintf(buf, TESSERA_GRES_COUNTS_REASON_MAX, OURS "%.*s",
		 (int)(TESSERA_GRES_COUNTS_REASON_MAX - sizeof(OURS)),
		 tiles[0] != '\0' ? tiles : "updating counts");
}

unsigned tessera_gres_counts_reason_bad(const struct tessera_platform *p, const char *reason,
					struct tessera_tileset *bad)
{
	char list[TILES_MAX + 8];
	struct tessera_tileset named;
	unsigned long count = 0;
	const char *end;
	char *digits_end;
	size_t len;

	*bad = (struct tessera_tileset){0};
	if (!tessera_gres_counts_is_ours(reason))
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
		if (count == 0 || count > TESSERA_TILES_MAX ||
		    strncmp(digits_end, MORE, strlen(MORE)) != 0)
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
