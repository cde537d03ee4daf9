/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "lib/tile/tileset.h"
#include "lib/util/strbuf.h"

#define DIGITS_MAX 5 /* of a number: more than any platform needs, and no overflow */

/* Reading */

struct reader {
	const struct tessera_platform *p;
	const char *at;   /* the next character */
	const char *item; /* the item being read, for messages */
	int item_len;
	struct tessera_tileset set;
	struct tessera_error *err;
};

static int reject_item(const struct reader *r)
{
	return tessera_error_set(r->err, TESSERA_ERR_INPUT,
				 "\"%.*s\" is not a set of tiles: write a mask alone (0xf), or "
				 "tiles (0-3), RDUs (rdu6), tiles of an RDU (6.0-3) or paths "
				 "(/XRDU_3/RDU_0/TILE_5), separated by commas",
				 r->item_len > 60 ? 60 : r->item_len, r->item);
}

/* Check that WHAT (e.g. "tile") number N exists. COUNT of them are in the platform, or in WHOSE. */
static int check_number(const struct reader *r, unsigned n, const char *what, const char *whose,
			unsigned count)
{
	if (n < count)
		return 0;
	return tessera_error_set(r->err, TESSERA_ERR_INPUT,
				 "there is no %s %u: %s%s has %u %s%s, numbered from 0", what, n,
				 whose, r->p->name, count, what, count == 1 ? "" : "s");
}

static bool skip_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

static bool is_at_end(const struct reader *r)
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

/*
 * Read the rest of a range after FIRST: "-LAST", optionally with PREFIX before LAST. Without "-",
 * *LAST is FIRST.
 */
static int read_range_end(struct reader *r, unsigned first, const char *prefix, unsigned *last)
{
	*last = first;
	if (skip_word(r, "-")) {
		skip_word(r, prefix);
		if (!read_number(r, last))
			return reject_item(r);
	}
	if (!is_at_end(r))
		return reject_item(r);
	if (*last < first)
		return tessera_error_set(r->err, TESSERA_ERR_INPUT,
					 "the range %u-%u in \"%.*s\" runs backwards: write %u-%u",
					 first, *last, r->item_len, r->item, *last, first);
	return 0;
}

/* rdu6, rdu0-3, rdu0-rdu3; the first "rdu" has been read. */
static int read_rdus(struct reader *r)
{
	unsigned tiles = r->p->tiles_per_rdu;
	unsigned first, last;

	if (!read_number(r, &first))
		return reject_item(r);
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
		return reject_item(r);
	if (skip_word(r, ".")) {
		if (check_number(r, first, "RDU", "", tessera_platform_rdus(r->p)) < 0)
			return -1;
		whose = "an RDU of ";
		count = r->p->tiles_per_rdu;
		base = first * count;
		if (!read_number(r, &first))
			return reject_item(r);
	}
	if (read_range_end(r, first, "", &last) < 0 ||
	    check_number(r, last, "tile", whose, count) < 0)
		return -1;
	tessera_tileset_add_range(&r->set, base + first, last - first + 1);
	return 0;
}

/*
 * Read one part of a path: "/XRDU_3". *FIRST and *SIZE are the tiles that the path names so far;
 * they are narrowed to one of its COUNT equal parts, the one whose number is read.
 */
static int read_part(struct reader *r, const char *prefix, const char *what, const char *whose,
		     unsigned count, unsigned *first, unsigned *size)
{
	unsigned n;

	if (!skip_word(r, prefix) || !read_number(r, &n))
		return reject_item(r);
	if (check_number(r, n, what, whose, count) < 0)
		return -1;
	*size /= count;
	*first += n * *size;
	return 0;
}

/* /XRDU_3/RDU_0/TILE_5; may start with /NODE, and may end after the XRDU or the RDU. */
static int read_path(struct reader *r)
{
	const struct tessera_platform *p = r->p;
	unsigned size = tessera_platform_tiles(p);
	unsigned first = 0;

	skip_word(r, "/NODE");
	if (read_part(r, "/XRDU_", "XRDU", "", p->xrdus, &first, &size) < 0)
		return -1;
	if (!is_at_end(r) &&
	    read_part(r, "/RDU_", "RDU", "an XRDU of ", p->rdus_per_xrdu, &first, &size) < 0)
		return -1;
	if (!is_at_end(r) &&
	    read_part(r, "/TILE_", "tile", "an RDU of ", p->tiles_per_rdu, &first, &size) < 0)
		return -1;
	if (!is_at_end(r))
		return reject_item(r);
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
	if (skip_word(r, "rdu"))
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

/*
 * Read the digits of a mask, which must be all of the remaining text. Any number of leading zeros
 * is accepted, because some tools pad.
 */
static int read_mask(struct reader *r)
{
	unsigned tiles = tessera_platform_tiles(r->p);
	size_t len = strspn(r->at, "0123456789abcdefABCDEF");

	if (len == 0 || r->at[len] != '\0')
		return reject_item(r);
	for (; len > 0; len--, r->at++) {
		unsigned digit = (unsigned)hex_value(*r->at);
		size_t low = (len - 1) * 4;

		for (unsigned bit = 4; bit-- > 0;) {
			if ((digit >> bit & 1) == 0)
				continue;
			if (low + bit >= tiles)
				return tessera_error_set(r->err, TESSERA_ERR_INPUT,
							 "the mask has bit %zu set, but %s has %u "
							 "tiles, numbered from 0",
							 low + bit, r->p->name, tiles);
			tessera_tileset_add(&r->set, (unsigned)low + bit);
		}
	}
	if (tessera_tileset_empty(&r->set))
		return tessera_error_set(
			r->err, TESSERA_ERR_INPUT,
			"the mask names no tiles: set at least one of the %u bits of %s", tiles,
			r->p->name);
	return 0;
}

int tessera_tileset_parse(const struct tessera_platform *p, const char *text,
			  struct tessera_tileset *set, struct tessera_error *err)
{
	size_t len = strlen(text);
	struct reader r = {.p = p, .at = text, .item = text, .err = err};

	r.item_len = len < INT_MAX ? (int)len : INT_MAX;
	if (len == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"no tiles given: write for example 0-3, rdu6, 6.0-3 or 0xf");
	if (skip_word(&r, "0x") || skip_word(&r, "0X")) {
		if (read_mask(&r) < 0)
			return -1;
	} else {
		do {
			if (read_item(&r) < 0)
				return -1;
		} while (skip_word(&r, ","));
	}
	*set = r.set;
	return 0;
}

/* Writing */

static void put_comma(struct strbuf *s)
{
	if (s->used > 0)
		strbuf_put(s, ",");
}

/* Length of the run of consecutive tiles of SET that starts at FIRST; it stops before tile END. */
static unsigned run_length(const struct tessera_tileset *set, unsigned first, unsigned end)
{
	unsigned t = first;

	while (t < end && tessera_tileset_has(set, t))
		t++;
	return t - first;
}

static void put_run(struct strbuf *s, unsigned first, unsigned count)
{
	strbuf_put(s, "%u", first);
	if (count > 1)
		strbuf_put(s, "-%u", first + count - 1);
}

static void write_mask(struct strbuf *s, const struct tessera_platform *p,
		       const struct tessera_tileset *set)
{
	strbuf_put(s, "0x");
	for (unsigned digit = p->mask_bits / 4; digit-- > 0;)
		strbuf_put(s, "%x", (unsigned)(set->word[digit / 16] >> digit % 16 * 4 & 0xf));
}

static void write_tiles(struct strbuf *s, const struct tessera_platform *p,
			const struct tessera_tileset *set)
{
	unsigned end = tessera_platform_tiles(p);
	unsigned count;

	for (unsigned t = tessera_tileset_next(set, 0); t < end;
	     t = tessera_tileset_next(set, t + count)) {
		count = run_length(set, t, end);
		put_comma(s);
		put_run(s, t, count);
	}
}

static void write_dotted_rdu(struct strbuf *s, const struct tessera_platform *p,
			     const struct tessera_tileset *set, unsigned rdu)
{
	unsigned base = rdu * p->tiles_per_rdu;
	unsigned end = base + p->tiles_per_rdu;
	unsigned count;

	for (unsigned t = tessera_tileset_next(set, base); t < end;
	     t = tessera_tileset_next(set, t + count)) {
		count = run_length(set, t, end);
		put_comma(s);
		strbuf_put(s, "%u.", rdu);
		put_run(s, t - base, count);
	}
}

static void write_dotted(struct strbuf *s, const struct tessera_platform *p,
			 const struct tessera_tileset *set)
{
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p); rdu++)
		write_dotted_rdu(s, p, set, rdu);
}

static void write_rdus(struct strbuf *s, const struct tessera_platform *p,
		       const struct tessera_tileset *set)
{
	unsigned rdus = tessera_platform_rdus(p);
	unsigned tiles = p->tiles_per_rdu;
	unsigned rdu = 0;

	while (rdu < rdus) {
		unsigned whole = run_length(set, rdu * tiles, rdus * tiles) / tiles;

		if (whole == 0) {
			write_dotted_rdu(s, p, set, rdu++);
			continue;
		}
		put_comma(s);
		strbuf_put(s, "rdu%u", rdu);
		/* Two RDUs are written as two names; a range is easier to read from three on. */
		if (whole == 2)
			strbuf_put(s, ",rdu%u", rdu + 1);
		else if (whole > 2)
			strbuf_put(s, "-%u", rdu + whole - 1);
		rdu += whole;
	}
}

static void write_paths(struct strbuf *s, const struct tessera_platform *p,
			const struct tessera_tileset *set)
{
	unsigned end = tessera_platform_tiles(p);

	for (unsigned t = tessera_tileset_next(set, 0); t < end;
	     t = tessera_tileset_next(set, t + 1)) {
		unsigned rdu = t / p->tiles_per_rdu;

		put_comma(s);
		strbuf_put(s, "/XRDU_%u/RDU_%u/TILE_%u", rdu / p->rdus_per_xrdu,
			   rdu % p->rdus_per_xrdu, t % p->tiles_per_rdu);
	}
}

size_t tessera_tileset_format(const struct tessera_platform *p, const struct tessera_tileset *set,
			      enum tessera_form form, char *buf, size_t len)
{
	struct strbuf s = strbuf_start(buf, len);

	switch (form) {
	case TESSERA_FORM_MASK:
		write_mask(&s, p, set);
		break;
	case TESSERA_FORM_TILES:
		write_tiles(&s, p, set);
		break;
	case TESSERA_FORM_RDUS:
		write_rdus(&s, p, set);
		break;
	case TESSERA_FORM_DOTTED:
		write_dotted(&s, p, set);
		break;
	case TESSERA_FORM_PATHS:
		write_paths(&s, p, set);
		break;
	}
	return s.used;
}
