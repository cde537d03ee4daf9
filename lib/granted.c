/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "lib/granted.h"
#include "lib/gres.h"

#define COUNT_MAX 65536 /* more than any node has: a larger number was misread */

/* The length of the item at TEXT: up to the comma that is not inside brackets. 0 if brackets do not close. */
static size_t item_len(const char *text)
{
	size_t len = 0;
	bool inside = false;

	for (; text[len] != '\0' && (inside || text[len] != ','); len++) {
		if (text[len] == '(' || text[len] == ')')
			inside = text[len] == '(';
	}
	return inside ? 0 : len;
}

/* Digits at the beginning of LEN bytes, and nothing after them. */
static int read_count(const char *text, size_t len, unsigned *count)
{
	unsigned value = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (unsigned)(text[i] - '0');
		if (value > COUNT_MAX)
			return -1;
	}
	*count = value;
	return 0;
}

/* name[:type](CNT:n) or name[:type]:n(...) */
static int item_count(const char *item, size_t len, unsigned *count)
{
	const char *open = memchr(item, '(', len);
	size_t head = open != NULL ? (size_t)(open - item) : len;
	size_t number = head;

	if (open != NULL && len - head > 6 && memcmp(open, "(CNT:", 5) == 0)
		return read_count(open + 5, len - head - 6, count);
	while (number > 0 && item[number - 1] != ':')
		number--;
	return number > 0 ? read_count(item + number, head - number, count) : -1;
}

static bool item_is(const char *item, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && memcmp(item, name, n) == 0 && (item[n] == ':' || item[n] == '(');
}

int tessera_granted_read(const char *detail, struct tessera_granted *granted, struct tessera_error *err)
{
	const char *item = detail != NULL ? detail : "";

	*granted = (struct tessera_granted){0};
	while (*item != '\0') {
		size_t len = item_len(item);
		unsigned count = 0;
		bool rdu = item_is(item, len, GRES_RDU), tile = item_is(item, len, GRES_RDU_TILE);

		if (len == 0 || ((rdu || tile) && item_count(item, len, &count) < 0))
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "what slurmctld granted is not understood: '%.200s'", detail);
		if (rdu)
			granted->rdus += count;
		else if (tile)
			granted->tiles += count;
		item += len;
		if (*item == ',')
			item++;
	}
	return 0;
}
