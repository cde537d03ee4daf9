/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/health_parts.h"

/* Writing */

void health_put_tiles(FILE *fp, const char *before, const struct tessera_platform *p,
		      const struct tessera_tileset *tiles)
{
	char text[HEALTH_WORD_MAX];
	size_t len = tessera_tileset_format(p, tiles, TESSERA_FORM_TILES, text, sizeof(text));

	fprintf(fp, "%s%s", before, len > 0 ? text : "-");
}

/* How many bytes the UTF-8 character has that TEXT begins with; 0 if it begins with none. */
static size_t character(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	unsigned char low = 0x80,
		      high = 0xbf; /* of the second byte: nothing longer than needed, nor beyond Unicode */
	size_t len = 1;

	if (c[0] < 0x80)
		return 1;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	if (c[0] == 0xe0 || c[0] == 0xf0)
		low = c[0] == 0xe0 ? 0xa0 : 0x90;
	if (c[0] == 0xed || c[0] == 0xf4)
		high = c[0] == 0xed ? 0x9f : 0x8f;
	len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	if (c[1] < low || c[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (c[i] < 0x80 || c[i] > 0xbf)
			return 0;
	return len;
}

size_t health_cut(const char *text, size_t len, size_t max)
{
	size_t at = max;

	if (len <= max)
		return len;
	/* Back to where a character begins; what has no such place near is none. */
	while (at > 0 && max - at < 3 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return ((unsigned char)text[at] & 0xc0) == 0x80 ? max : at;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

void health_put_text(FILE *fp, const char *before, const char *text)
{
	fputs(before, fp);
	if (text[0] == '\0')
		fputc('-', fp);
	for (size_t len; *text != '\0'; text += len > 0 ? len : 1) {
		len = character(text);
		if (len == 0 || is_control(*text))
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

void health_get_text(struct reader *r, char *buf, size_t len)
{
	reader_text(r, " text ", "\n", buf, len);
	for (const char *at = buf; *at != '\0' && !r->failed;) {
		size_t bytes = character(at);

		at += bytes;
		r->failed = bytes == 0;
	}
}

/* One way to write a set: what is read must be written again as it was. */
void health_get_tiles(struct reader *r, const char *before, const struct tessera_platform *p,
		      struct tessera_tileset *tiles)
{
	char text[HEALTH_WORD_MAX], again[HEALTH_WORD_MAX];

	tessera_tileset_clear(tiles);
	reader_text(r, before, " \n", text, sizeof(text));
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

int health_damaged(const struct reader *r, const char *name, const char *text, const char *what,
		   struct tessera_error *err)
{
	unsigned line = 1;

	for (; text < r->at; text++)
		line += *text == '\n';
	return tessera_error_set(err, TESSERA_ERR_INPUT, "%s:%u: %s", name, line, what);
}
