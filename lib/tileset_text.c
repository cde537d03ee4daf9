/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/tileset.h"

#define DIGITS_MAX 5 /* more than any platform needs, and far from overflow */

/* Reading */

struct reader {
	const struct tessera_platform *p;
	const char *at;   /* what comes next */
	const char *item; /* what is being read, for the sentence */
	int item_len;
	struct tessera_tileset set;
	struct tessera_error *err;
};

static int bad_item(const struct reader *r)
{
	return tessera_error_set(
		r->err, TESSERA_ERR_INPUT,
		"\"%.*s\" is not a set of tiles: write a mask alone (0xf), or tiles (0-3), RDUs "
		"(rdu6), tiles of an RDU (6.0-3) or paths (/XRDU_3/RDU_0/TILE_5) with commas between",
		r->item_len > 60 ? 60 : r->item_len, r->item);
}

/* There are COUNT of WHAT in WHOSE (which may be "") platform. */
static int check_number(const struct reader *r, unsigned n, const char *what, const char *whose, unsigned count)
{
	if (n < count)
		return 0;
	return tessera_error_set(r->err, TESSERA_ERR_INPUT, "there is no %s %u: %s%s has %u %s%s, numbered from 0",
				 what, n, whose, r->p->name, count, what, count == 1 ? "" : "s");
}

static bool skip(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool at_end(const struct reader *r)
{
	return r->at == r->item + r->item_len;
}

static bool read_number(struct reader *r, unsigned *n)
{
	int digits = 0;

	*n = 0;
	for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
		if (++digits > DIGITS_MAX)
			return false;
		*n = *n * 10 + (unsigned)(*r->at - '0');
	}
	return digits > 0;
}

/* The rest of a range whose FIRST was read: "-LAST", maybe with PREFIX before LAST; without it LAST is FIRST. */
static int read_range_end(struct reader *r, unsigned first, const char *prefix, unsigned *last)
{
	*last = first;
	if (skip(r, "-")) {
		skip(r, prefix);
		if (!read_number(r, last))
			return bad_item(r);
	}
	if (!at_end(r))
		return bad_item(r);
	if (*last < first)
		return tessera_error_set(r->err, TESSERA_ERR_INPUT,
					 "the range %u-%u in \"%.*s\" runs backwards: write %u-%u", first, *last,
					 r->item_len, r->item, *last, first);
	return 0;
}

/* rdu6, rdu0-3, rdu0-rdu3: "rdu" was read. */
static int read_rdus(struct reader *r)
{
	unsigned tiles = r->p->tiles_per_rdu;
	unsigned first, last;

	if (!read_number(r, &first))
		return bad_item(r);
	if (read_range_end(r, first, "rdu", &last) < 0 ||
	    check_number(r, last, "RDU", "", tessera_platform_rdus(r->p)) < 0)
		return -1;
	tessera_tileset_add_range(&r->set, first * tiles, (last - first + 1) * tiles);
	return 0;
}

/* 0-3 or 6.0-3 */
static int read_tiles(struct reader *r)
{
	const char *whose = "";
	unsigned count = tessera_platform_tiles(r->p);
	unsigned base = 0;
	unsigned first, last;

	if (!read_number(r, &first))
		return bad_item(r);
	if (skip(r, ".")) {
		if (check_number(r, first, "RDU", "", tessera_platform_rdus(r->p)) < 0)
			return -1;
		whose = "an RDU of ";
		count = r->p->tiles_per_rdu;
		base = first * count;
		if (!read_number(r, &first))
			return bad_item(r);
	}
	if (read_range_end(r, first, "", &last) < 0 || check_number(r, last, "tile", whose, count) < 0)
		return -1;
	tessera_tileset_add_range(&r->set, base + first, last - first + 1);
	return 0;
}

/*
 * One part of a path, "/XRDU_3". *FIRST is where the tiles of all that the path has named until now start and
 * *SIZE how many they are; they become those of the COUNT-th part that it names.
 */
static int read_part(struct reader *r, const char *prefix, const char *what, const char *whose, unsigned count,
		     unsigned *first, unsigned *size)
{
	unsigned n;

	if (!skip(r, prefix) || !read_number(r, &n))
		return bad_item(r);
	if (check_number(r, n, what, whose, count) < 0)
		return -1;
	*size /= count;
	*first += n * *size;
	return 0;
}

/* /XRDU_3/RDU_0/TILE_5, or less of it from the right, or /NODE before it. */
static int read_path(struct reader *r)
{
	const struct tessera_platform *p = r->p;
	unsigned size = tessera_platform_tiles(p);
	unsigned first = 0;

	skip(r, "/NODE");
	if (read_part(r, "/XRDU_", "XRDU", "", p->xrdus, &first, &size) < 0)
		return -1;
	if (!at_end(r) && read_part(r, "/RDU_", "RDU", "an XRDU of ", p->rdus_per_xrdu, &first, &size) < 0)
		return -1;
	if (!at_end(r) && read_part(r, "/TILE_", "tile", "an RDU of ", p->tiles_per_rdu, &first, &size) < 0)
		return -1;
	if (!at_end(r))
		return bad_item(r);
	tessera_tileset_add_range(&r->set, first, size);
	return 0;
}

static int read_item(struct reader *r)
{
	size_t len = strcspn(r->at, ",");

	r->item = r->at;
	r->item_len = len < INT_MAX ? (int)len : INT_MAX;
	if (*r->at == '/')
		return read_path(r);
	if (skip(r, "rdu"))
		return read_rdus(r);
	return read_tiles(r);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The digits of a mask, which run to the end of the text. Leading zeros may be many: some tools pad. */
static int read_mask(struct reader *r)
{
	unsigned tiles = tessera_platform_tiles(r->p);
	size_t len = strspn(r->at, "0123456789abcdefABCDEF");

	if (len == 0 || r->at[len] != '\0')
		return bad_item(r);
	for (; len > 0; len--, r->at++) {
		unsigned digit = (unsigned)hex_value(*r->at);
		size_t low = (len - 1) * 4;

		for (unsigned bit = 4; bit-- > 0;) {
			if ((digit >> bit & 1) == 0)
				continue;
			if (low + bit >= tiles)
				return tessera_error_set(
					r->err, TESSERA_ERR_INPUT,
					"the mask has bit %zu set, but %s has %u tiles, numbered from 0", low + bit,
					r->p->name, tiles);
			tessera_tileset_add(&r->set, (unsigned)low + bit);
		}
	}
	if (tessera_tileset_empty(&r->set))
		return tessera_error_set(r->err, TESSERA_ERR_INPUT,
					 "the mask names no tile: set at least one of the %u bits that %s has",
					 tiles, r->p->name);
	return 0;
}

int tessera_tileset_parse(const struct tessera_platform *p, const char *text, struct tessera_tileset *set,
			  struct tessera_error *err)
{
	size_t len = strlen(text);
	struct reader r = {.p = p, .at = text, .item = text, .err = err};

	r.item_len = len < INT_MAX ? (int)len : INT_MAX;
	if (len == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "no tile is named: write for example 0-3, rdu6, 6.0-3 or 0xf");
	if (skip(&r, "0x") || skip(&r, "0X")) {
		if (read_mask(&r) < 0)
			return -1;
	} else {
		do {
			if (read_item(&r) < 0)
				return -1;
		} while (skip(&r, ","));
	}
	*set = r.set;
	return 0;
}

/* Writing */

struct writer {
	char *buf;
	size_t len;
	size_t used; /* what was written, or would have been had there been room */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...)
{
	bool room = w->used < w->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? w->buf + w->used : NULL, room ? w->len - w->used : 0, fmt, ap);
	va_end(ap);
	w->used += (size_t)n;
}

static void put_comma(struct writer *w)
{
	if (w->used > 0)
		put(w, ",");
}

/* How many tiles of SET follow each other from FIRST on, looking no further than END. */
static unsigned run_length(const struct tessera_tileset *set, unsigned first, unsigned end)
{
	unsigned t = first;

	while (t < end && tessera_tileset_has(set, t))
		t++;
	return t - first;
}

static void put_run(struct writer *w, unsigned first, unsigned count)
{
	put(w, "%u", first);
	if (count > 1)
		put(w, "-%u", first + count - 1);
}

static void write_mask(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set)
{
	put(w, "0x");
	for (unsigned digit = p->mask_bits / 4; digit-- > 0;)
		put(w, "%x", (unsigned)(set->word[digit / 16] >> digit % 16 * 4 & 0xf));
}

static void write_tiles(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set)
{
	unsigned end = tessera_platform_tiles(p);
	unsigned count;

	for (unsigned t = tessera_tileset_next(set, 0); t < end; t = tessera_tileset_next(set, t + count)) {
		count = run_length(set, t, end);
		put_comma(w);
		put_run(w, t, count);
	}
}

static void write_dotted_rdu(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set,
			     unsigned rdu)
{
	unsigned base = rdu * p->tiles_per_rdu;
	unsigned end = base + p->tiles_per_rdu;
	unsigned count;

	for (unsigned t = tessera_tileset_next(set, base); t < end; t = tessera_tileset_next(set, t + count)) {
		count = run_length(set, t, end);
		put_comma(w);
		put(w, "%u.", rdu);
		put_run(w, t - base, count);
	}
}

static void write_dotted(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set)
{
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p); rdu++)
		write_dotted_rdu(w, p, set, rdu);
}

static void write_rdus(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set)
{
	unsigned rdus = tessera_platform_rdus(p);
	unsigned tiles = p->tiles_per_rdu;
	unsigned rdu = 0;

	while (rdu < rdus) {
		unsigned whole = run_length(set, rdu * tiles, rdus * tiles) / tiles;

		if (whole == 0) {
			write_dotted_rdu(w, p, set, rdu++);
			continue;
		}
		put_comma(w);
		put(w, "rdu%u", rdu);
		/* A pair is what people write as two names; from three on a range is easier to read. */
		if (whole == 2)
			put(w, ",rdu%u", rdu + 1);
		else if (whole > 2)
			put(w, "-%u", rdu + whole - 1);
		rdu += whole;
	}
}

static void write_paths(struct writer *w, const struct tessera_platform *p, const struct tessera_tileset *set)
{
	unsigned end = tessera_platform_tiles(p);

	for (unsigned t = tessera_tileset_next(set, 0); t < end; t = tessera_tileset_next(set, t + 1)) {
		unsigned rdu = t / p->tiles_per_rdu;

		put_comma(w);
		put(w, "/XRDU_%u/RDU_%u/TILE_%u", rdu / p->rdus_per_xrdu, rdu % p->rdus_per_xrdu,
		    t % p->tiles_per_rdu);
	}
}

size_t tessera_tileset_format(const struct tessera_platform *p, const struct tessera_tileset *set,
			      enum tessera_form form, char *buf, size_t len)
{
	struct writer w = {.buf = buf, .len = len};

	if (len > 0)
		buf[0] = '\0';
	switch (form) {
	case TESSERA_FORM_MASK:
		write_mask(&w, p, set);
		break;
	case TESSERA_FORM_TILES:
		write_tiles(&w, p, set);
		break;
	case TESSERA_FORM_RDUS:
		write_rdus(&w, p, set);
		break;
	case TESSERA_FORM_DOTTED:
		write_dotted(&w, p, set);
		break;
	case TESSERA_FORM_PATHS:
		write_paths(&w, p, set);
		break;
	}
	return w.used;
}
