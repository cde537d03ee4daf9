/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/grant.h"
#include "lib/reader.h"
#include "lib/text.h"

/*
 * Tiles are written by their numbers, which mean the same on every platform. So any machine's grant is read without
 * knowing it, on another node too.
 */
static const struct tessera_platform any = {
	.name = "any",
	.kind = TESSERA_KIND_RDU,
	.xrdus = 1,
	.rdus_per_xrdu = 1,
	.tiles_per_rdu = TESSERA_TILES_MAX,
	.mask_bits = TESSERA_TILES_MAX,
};

/* A line being written; USED goes on counting when it is full. */
struct line {
	char *buf;
	size_t len;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *fmt, ...)
{
	size_t room = line->used < line->len ? line->len - line->used : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room > 0 ? line->buf + line->used : NULL, room, fmt, ap);
	va_end(ap);
	line->used += n > 0 ? (size_t)n : 0;
}

/* A name is one word: "-" for none, and ? for what would make it two. */
static void put_name(struct line *line, const char *key, const char *name)
{
	put(line, " %s ", key);
	if (name[0] == '\0')
		put(line, "-");
	for (size_t n; *name != '\0'; name += n > 0 ? n : 1) {
		n = *name != ' ' ? text_character(name) : 0;
		put(line, "%.*s", n > 0 ? (int)n : 1, n > 0 ? name : "?");
	}
}

size_t tessera_grant_format(const struct tessera_grant *grant, char *buf, size_t len)
{
	struct line line = {.buf = buf, .len = len};
	char tiles[TESSERA_GRANT_TEXT_MAX];

	tessera_tileset_format(&any, &grant->tiles, TESSERA_FORM_TILES, tiles, sizeof(tiles));
	put(&line, "tessera-grant 1");
	put_name(&line, "cluster", grant->cluster);
	put_name(&line, "node", grant->node);
	put(&line, " job %" PRIu32 " restarts %" PRIu32 " step %" PRIu32 " uid %" PRIu32 " time %" PRId64,
	    grant->job, grant->restarts, grant->step, grant->uid, grant->time);
	put_name(&line, "platform", grant->platform);
	put_name(&line, "tiles", tiles);
	put_name(&line, "partition", grant->partition);
	return line.used;
}

static uint32_t number(struct reader *r, const char *key)
{
	return (uint32_t)reader_number(r, key, UINT32_MAX);
}

static void read_all(struct reader *r, struct tessera_grant *grant)
{
	char tiles[TESSERA_GRANT_TEXT_MAX];

	reader_expect(r, "tessera-grant 1");
	reader_text(r, " cluster ", " ", grant->cluster, sizeof(grant->cluster));
	reader_text(r, " node ", " ", grant->node, sizeof(grant->node));
	grant->job = number(r, " job ");
	grant->restarts = number(r, " restarts ");
	grant->step = number(r, " step ");
	grant->uid = number(r, " uid ");
	grant->time = (int64_t)reader_number(r, " time ", INT64_MAX);
	reader_text(r, " platform ", " ", grant->platform, sizeof(grant->platform));
	reader_text(r, " tiles ", " ", tiles, sizeof(tiles));
	reader_text(r, " partition ", " ", grant->partition, sizeof(grant->partition));
	if (!r->failed && tiles[0] != '\0' && tessera_tileset_parse(&any, tiles, &grant->tiles, NULL) < 0)
		r->failed = true;
}

int tessera_grant_parse(const char *text, struct tessera_grant *grant, struct tessera_error *err)
{
	struct reader r = {.at = text};
	char again[TESSERA_GRANT_TEXT_MAX];
	bool tiles, right;

	memset(grant, 0, sizeof(*grant));
	read_all(&r, grant);
	tiles = !tessera_tileset_empty(&grant->tiles);
	/* Tiles are some machine's; and what is about nothing is no grant. */
	right = !r.failed && *r.at == '\0' && grant->job != 0 && tiles == (grant->platform[0] != '\0') &&
		(tiles || grant->partition[0] != '\0');
	/* What is written again as it was has nothing in it that was passed over. */
	if (right && tessera_grant_format(grant, again, sizeof(again)) < sizeof(again) && strcmp(again, text) == 0)
		return 0;
	memset(grant, 0, sizeof(*grant));
	return tessera_error_set(err, TESSERA_ERR_FORGED,
				 "it has no grant in it, or one of another release: '%.80s'", text);
}
