/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "lib/util/scan.h"
#include "lib/util/utf8.h"

void scan_expect(struct scan *r, const char *word)
{
	size_t len = strlen(word);

	if (r->failed || strncmp(r->at, word, len) != 0)
		r->failed = true;
	else
		r->at += len;
}

bool scan_follows(const struct scan *r, const char *word)
{
	return !r->failed && strncmp(r->at, word, strlen(word)) == 0;
}

void scan_text(struct scan *r, const char *before, const char *ends, char *buf, size_t len)
{
	size_t n;

	buf[0] = '\0';
	scan_expect(r, before);
	if (r->failed)
		return;
	n = strcspn(r->at, ends);
	r->failed = n == 0 || n >= len;
	if (r->failed)
		return;
	memcpy(buf, r->at, n);
	buf[n] = '\0';
	r->failed = !utf8_is_clean(buf);
	if (r->failed || strcmp(buf, "-") == 0)
		buf[0] = '\0';
	if (r->failed)
		return;
	r->at += n;
}

void scan_word(struct scan *r, const char *before, const char *ends, char *buf, size_t len)
{
	scan_text(r, before, ends, buf, len);
	if (buf[0] == '\0')
		r->failed = true;
}

uint64_t scan_number(struct scan *r, const char *before, uint64_t max)
{
	uint64_t value = 0;
	const char *start;

	scan_expect(r, before);
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
