/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/reader.h"
#include "lib/text.h"

void reader_expect(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if (r->failed || strncmp(r->at, word, len) != 0)
		r->failed = true;
	else
		r->at += len;
}

bool reader_follows(const struct reader *r, const char *word)
{
	return !r->failed && strncmp(r->at, word, strlen(word)) == 0;
}

void reader_text(struct reader *r, const char *before, const char *ends, char *buf, size_t len)
{
	size_t n;

	buf[0] = '\0';
	reader_expect(r, before);
	if (r->failed)
		return;
	n = strcspn(r->at, ends);
	r->failed = n == 0 || n >= len;
	if (r->failed)
		return;
	memcpy(buf, r->at, n);
	buf[n] = '\0';
	r->failed = !text_is_clean(buf);
	if (r->failed || strcmp(buf, "-") == 0)
		buf[0] = '\0';
	if (r->failed)
		return;
	r->at += n;
}

void reader_word(struct reader *r, const char *before, const char *ends, char *buf, size_t len)
{
	reader_text(r, before, ends, buf, len);
	if (buf[0] == '\0')
		r->failed = true;
}

uint64_t reader_number(struct reader *r, const char *before, uint64_t max)
{
	uint64_t value = 0;
	const char *start;

	reader_expect(r, before);
	if (r->failed)
		return 0;
	start = r->at;
	for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
		uint64_t digit = (uint64_t)(*r->at - '0');

		if (digit > max || value > (max - digit) / 10 || (r->at > start && *start == '0')) {
			r->failed = true;
			return 0;
		}
		value = value * 10 + digit;
	}
	if (r->at == start)
		r->failed = true;
	return value;
}
