/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/state/health_internal.h"
#include "lib/util/utf8.h"

/* Writing */

void health_put_tiles(FILE *fp, const char *before, const struct tessera_platform *p,
		      const struct tessera_tileset *tiles)
{
	char text[HEALTH_WORD_MAX];
	size_t len = tessera_tileset_format(p, tiles, TESSERA_FORM_TILES, text, sizeof(text));

	fprintf(fp, "%s%s", before, len > 0 ? text : "-");
}

void health_put_text(FILE *fp, const char *before, const char *text)
{
	fputs(before, fp);
	if (text[0] == '\0')
		fputc('-', fp);
	for (size_t len; *text != '\0'; text += len > 0 ? len : 1) {
		len = utf8_character(text);
		if (len == 0)
			fputc('?', fp);
		else
			fwrite(text, 1, len, fp);
	}
}

char *health_end_text(FILE *fp, char **text)
{
	bool failed = ferror(fp) != 0;

	if (fclose(fp) != 0 || failed) {
		free(*text);
		*text = NULL;
	}
	return *text;
}

/* Reading */

void health_get_text(struct scan *r, char *buf, size_t len)
{
	scan_text(r, " text ", "\n", buf, len);
}

/* A set has one spelling: formatting it again must give the same text. */
void health_get_tiles(struct scan *r, const char *before, const struct tessera_platform *p,
		      struct tessera_tileset *tiles)
{
	char text[HEALTH_WORD_MAX], again[HEALTH_WORD_MAX];

	tessera_tileset_clear(tiles);
	scan_text(r, before, " \n", text, sizeof(text));
	if (r->failed || text[0] == '\0')
		return;
	if (tessera_tileset_parse(p, text, tiles, NULL) == 0) {
		tessera_tileset_format(p, tiles, TESSERA_FORM_TILES, again, sizeof(again));
		r->failed = strcmp(text, again) != 0;
	} else {
		r->failed = true;
	}
	if (r->failed)
		tessera_tileset_clear(tiles);
}

int health_damaged(const struct scan *r, const char *name, const char *text, const char *what,
		   struct tessera_error *err)
{
	unsigned line = 1;

	for (; text < r->at; text++)
		line += *text == '\n';
	return tessera_error_set(err, TESSERA_ERR_INPUT, "%s:%u: %s", name, line, what);
}
