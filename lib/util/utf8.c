/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/util/utf8.h"

size_t utf8_character(const char *start)
{
	const unsigned char *text = (const unsigned char *)start;
	/*
	 * By the number of continuation bytes: which bits of the first byte mark the length, their
	 * value, and the smallest code point allowed in this length.
	 */
	static const struct {
		unsigned mask, mark, least;
	} lengths[] = {
		{0x80, 0, ' '}, {0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	size_t more = 0;
	unsigned code;

	while (more < 4 && (text[0] & lengths[more].mask) != lengths[more].mark)
		more++;
	if (more == 4)
		return 0;
	code = text[0] & ~lengths[more].mask;
	for (size_t i = 1; i <= more; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	/*
	 * The table starts two bytes at 0xa0 because U+0080 to U+009F are control characters. The
	 * ranges here are surrogates, line separators and marks that change the text direction.
	 */
	if (code < lengths[more].least || code == 0x7f || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000) || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069))
		return 0;
	return more + 1;
}

void utf8_clean(char *text)
{
	while (*text != '\0') {
		size_t n = utf8_character(text);

		if (n == 0)
			*text = '?';
		text += n > 0 ? n : 1;
	}
}

bool utf8_is_clean(const char *text)
{
	size_t n = 1;

	for (; *text != '\0' && n > 0; text += n)
		n = utf8_character(text);
	return n > 0;
}

size_t utf8_cut(const char *text, size_t len, size_t max)
{
	size_t at = max;

	if (len <= max)
		return len;
	/* Back to the start of a character; invalid UTF-8 may have none within three bytes. */
	while (at > 0 && max - at < 3 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return ((unsigned char)text[at] & 0xc0) == 0x80 ? max : at;
}
