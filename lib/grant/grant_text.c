/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "lib/grant/grant.h"
#include "lib/util/scan.h"
#include "lib/util/strbuf.h"
#include "lib/util/utf8.h"

/*
 * Tiles are written as plain numbers, so that a grant can be parsed on any node, without knowing
 * its platform.
 */
static const struct tessera_platform any = {
	.name = "any",
	.kind = TESSERA_KIND_RDU,
	.xrdus = 1,
	.rdus_per_xrdu = 1,
	.tiles_per_rdu = TESSERA_TILES_MAX,
	.mask_bits = TESSERA_TILES_MAX,
};

/* Append KEY and NAME as one word: "-" for "", ? for a space or a byte that may not be shown. */
static void put_name(struct strbuf *s, const char *key, const char *name)
{
	strbuf_put(s, " %s ", key);
	if (name[0] == '\0')
		strbuf_put(s, "-");
	for (size_t n; *name != '\0'; name += n > 0 ? n : 1) {
		n = *name != ' ' ? utf8_character(name) : 0;
		strbuf_put(s, "%.*s", n > 0 ? (int)n : 1, n > 0 ? name : "?");
	}
}

size_t tessera_grant_format(const struct tessera_grant *grant, char *buf, size_t len)
{
	struct strbuf s = strbuf_start(buf, len);
	char tiles[TESSERA_GRANT_TEXT_MAX];

	tessera_tileset_format(&any, &grant->tiles, TESSERA_FORM_TILES, tiles, sizeof(tiles));
	strbuf_put(&s, "tessera-grant 1");
	put_name(&s, "cluster", grant->cluster);
	put_name(&s, "node", grant->node);
	strbuf_put(&s,
		   " job %" PRIu32 " restarts %" PRIu32 " step %" PRIu32 " uid %" PRIu32
		   " time %" PRId64,
		   grant->job, grant->restarts, grant->step, grant->uid, grant->time);
	put_name(&s, "platform", grant->platform);
	put_name(&s, "tiles", tiles);
	put_name(&s, "partition", grant->partition);
	return s.used;
}

static uint32_t scan_u32(struct scan *r, const char *key)
{
	return (uint32_t)scan_number(r, key, UINT32_MAX);
}

static void scan_grant(struct scan *r, struct tessera_grant *grant)
{
	char tiles[TESSERA_GRANT_TEXT_MAX];

	scan_expect(r, "tessera-grant 1");
	scan_text(r, " cluster ", " ", grant->cluster, sizeof(grant->cluster));
	scan_text(r, " node ", " ", grant->node, sizeof(grant->node));
	grant->job = scan_u32(r, " job ");
	grant->restarts = scan_u32(r, " restarts ");
	grant->step = scan_u32(r, " step ");
	grant->uid = scan_u32(r, " uid ");
	grant->time = (int64_t)scan_number(r, " time ", INT64_MAX);
	scan_text(r, " platform ", " ", grant->platform, sizeof(grant->platform));
	scan_text(r, " tiles ", " ", tiles, sizeof(tiles));
	scan_text(r, " partition ", " ", grant->partition, sizeof(grant->partition));
	if (!r->failed && tiles[0] != '\0' &&
	    tessera_tileset_parse(&any, tiles, &grant->tiles, NULL) < 0)
		r->failed = true;
}

int tessera_grant_parse(const char *text, struct tessera_grant *grant, struct tessera_error *err)
{
	struct scan r = {.at = text};
	char again[TESSERA_GRANT_TEXT_MAX];
	bool tiles, valid;

	memset(grant, 0, sizeof(*grant));
	scan_grant(&r, grant);
	tiles = !tessera_tileset_empty(&grant->tiles);
	/* A grant has tiles and their platform, or a partition, or both. */
	valid = !r.failed && *r.at == '\0' && grant->job != 0 &&
		tiles == (grant->platform[0] != '\0') && (tiles || grant->partition[0] != '\0');
	/* Formatting it again must give the same text: so the parser skipped nothing. */
	if (valid && tessera_grant_format(grant, again, sizeof(again)) < sizeof(again) &&
	    strcmp(again, text) == 0)
		return 0;
	memset(grant, 0, sizeof(*grant));
	return tessera_error_set(err, TESSERA_ERR_FORGED, "not a grant of this release: '%.80s'",
				 text);
}
