/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/text.h"

size_t text_character(const char *start)
{
	const unsigned char *text = (const unsigned char *)start;
	/* The first byte's bits that are not the character's, and the smallest character of that length. */
	static const struct {
		unsigned mask, mark, least;
	} lengths[] = {{0x80, 0, ' '}, {0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
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
	/* 0xa0 above: U+0080 to U+009F control terminals; so do the marks that turn the direction of what follows. */
	if (code < lengths[more].least || code == 0x7f || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
	    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
		return 0;
	return more + 1;
}

void text_clean(char *text)
{
	while (*text != '\0') {
		size_t n = text_character(text);

		if (n == 0)
			*text = '?';
		text += n > 0 ? n : 1;
	}
}

bool text_is_clean(const char *text)
{
	size_t n = 1;

	for (; *text != '\0' && n > 0; text += n)
		n = text_character(text);
	return n > 0;
}
