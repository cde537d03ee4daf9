/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "lib/conf/gres_list.h"

/* How much of a text a message quotes, so that its advice is never cut off. */
#define SHOWN_MAX 80

/* Slurm prints "(null)" for an option that is not set. */
static bool is_null(const char *text, size_t len)
{
	return len == 6 && memcmp(text, "(null)", len) == 0;
}

const char *gres_given(const char *text)
{
	if (text == NULL || *text == '\0' || is_null(text, strlen(text)))
		return NULL;
	return text;
}

void gres_walk_start(struct gres_walk *walk, const char *text, enum gres_list list)
{
	walk->pos = gres_given(text);
	walk->list = list;
	walk->sep = '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int shown_len(size_t len)
{
	return len < SHOWN_MAX ? (int)len : SHOWN_MAX;
}

/*
 * PARTS is the text after the name and its : or =, that is, type:count, count or type. As in Slurm,
 * a single part that does not look like a number is a type.
 */
static void find_gres_count(struct gres_item *item, const char *parts, const char *end)
{
	size_t len = (size_t)(end - parts);
	size_t first = 0;

	while (first < len && parts[first] != ':' && parts[first] != '=')
		first++;
	if (first < len) {
		item->count = parts + first + 1;
		item->count_len = len - first - 1;
		item->extra = memchr(item->count, ':', item->count_len) != NULL;
	} else if (len == 0 || parts[-1] == '=' || is_digit(*parts) || *parts == '-' ||
		   *parts == '+') {
		item->count = parts;
		item->count_len = len;
	}
}

static void find_parts(struct gres_item *item, enum gres_list list)
{
	const char *end = item->text + item->len;
	const char *p;

	if (list == GRES_LIST_GRES && item->len > 5 &&
	    (strncmp(item->text, "gres:", 5) == 0 || strncmp(item->text, "gres/", 5) == 0))
		item->prefix_len = 5;
	item->name = item->text + item->prefix_len;
	for (p = item->name; p < end && *p != ':' && *p != '='; p++) {
		if (list == GRES_LIST_LICENSES && (*p == '@' || *p == '('))
			break;
	}
	item->name_len = (size_t)(p - item->name);
	if (p < end && *p == '(') {
		const char *closed = memchr(p, ')', (size_t)(end - p));

		p = closed != NULL ? closed : p;
	}
	while (p < end && *p != ':' && *p != '=') /* the license server */
		p++;
	if (p == end)
		return;
	if (list == GRES_LIST_GRES) {
		find_gres_count(item, p + 1, end);
	} else {
		item->count = p + 1;
		item->count_len = (size_t)(end - item->count);
	}
}

/*
 * Length of the item at TEXT. The nodes of a license, name(nodes):count, may contain commas. A
 * parenthesis that is not closed must not hide the items after it.
 */
static size_t item_len(const char *text, enum gres_list list)
{
	const char *seps = list == GRES_LIST_GRES ? "," : ",;|(";
	size_t len = strcspn(text, seps);

	while (text[len] == '(') {
		const char *closed = strchr(text + len, ')');

		if (closed == NULL)
			return len + strcspn(text + len, ",;|");
		len = (size_t)(closed - text);
		len += strcspn(text + len, seps);
	}
	return len;
}

bool gres_walk_next(struct gres_walk *walk, struct gres_item *item)
{
	while (walk->pos != NULL) {
		size_t len = item_len(walk->pos, walk->list);

		*item = (struct gres_item){.text = walk->pos, .len = len, .sep = walk->sep};
		walk->sep = walk->pos[len];
		walk->pos = walk->sep == '\0' ? NULL : walk->pos + len + 1;
		if (len > 0 && !is_null(item->text, len)) {
			find_parts(item, walk->list);
			return true;
		}
	}
	return false;
}

bool gres_item_is(const struct gres_item *item, const char *name)
{
	size_t len = item->name_len;

	if (strchr(name, '@') != NULL)
		while (item->name + len < item->text + item->len && item->name[len] != ':' &&
		       item->name[len] != '=')
			len++;
	return strlen(name) == len && memcmp(item->name, name, len) == 0;
}

int gres_item_count(const struct gres_item *item, const char *option, unsigned *count,
		    struct tessera_error *err)
{
	if (item->extra)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s=%.*s has too many parts; write name:type:count",
					 option, shown_len(item->len), item->text);
	if (item->count == NULL) {
		*count = 1;
		return 0;
	}
	return gres_count(option, item->text, item->len, item->count, item->count_len, count, err);
}

int gres_check_length(const char *option, const char *text, struct tessera_error *err)
{
	if (text == NULL || strnlen(text, GRES_TEXT_MAX + 1) <= GRES_TEXT_MAX)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "%s has more than %d characters; shorten it to %d or fewer",
				 option, GRES_TEXT_MAX, GRES_TEXT_MAX);
}

/* The items of one name in a list. */
struct found {
	struct gres_item first;
	unsigned items;
	bool differ; /* licenses of different servers */
	struct gres_sum sum;
};

/* Length of the name of a license with its server, as Slurm compares it. */
static size_t full_name_len(const struct gres_item *item)
{
	/* Slurm adds up the layers of a hierarchical resource, which have different nodes. */
	if (item->name_len < item->len && item->name[item->name_len] == '(')
		return item->name_len;
	return item->count != NULL ? (size_t)(item->count - 1 - item->name)
				   : item->len - item->prefix_len;
}

static bool same_license(const struct gres_item *a, const struct gres_item *b)
{
	size_t len = full_name_len(a);

	return len == full_name_len(b) && memcmp(a->name, b->name, len) == 0;
}

static int sum_items(const char *text, enum gres_list list, const char *name, const char *option,
		     struct found *found, struct tessera_error *err)
{
	struct gres_walk walk;
	struct gres_item item;

	*found = (struct found){0};
	if (gres_check_length(option, text, err) < 0)
		return -1;
	gres_walk_start(&walk, text, list);
	while (gres_walk_next(&walk, &item)) {
		unsigned count = 0;

		if (!gres_item_is(&item, name))
			continue;
		if (gres_item_count(&item, option, &count, err) < 0)
			return -1;
		if (count > UINT_MAX - found->sum.count)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"the counts of %s in %s add up to more than any machine has", name,
				option);
		if (found->items++ == 0)
			found->first = item;
		found->differ = found->differ || !same_license(&found->first, &item);
		found->sum.count += count;
		found->sum.given = true;
	}
	return 0;
}

int gres_sum(const char *text, enum gres_list list, const char *name, const char *option,
	     struct gres_sum *sum, struct tessera_error *err)
{
	struct found found;
	int rc = sum_items(text, list, name, option, &found, err);

	*sum = found.sum;
	if (rc < 0 || found.items <= 1)
		return rc;
	if (list == GRES_LIST_GRES)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s names %s %u times, but Slurm does not add them up; name it once: %s:%u",
			option, name, found.items, name, found.sum.count);
	if (found.differ)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s names %s of different servers, which Slurm counts "
					 "separately; name one: %.*s:%u",
					 option, name, shown_len(full_name_len(&found.first)),
					 found.first.name, found.sum.count);
	return 0;
}

int gres_total(const char *text, enum gres_list list, const char *name, const char *option,
	       struct gres_sum *sum, struct tessera_error *err)
{
	struct found found;
	int rc = sum_items(text, list, name, option, &found, err);

	*sum = found.sum;
	return rc;
}

bool gres_asks_tiles(const char *text)
{
	struct gres_sum rdu, tile;

	return gres_sum(text, GRES_LIST_GRES, GRES_RDU, "", &rdu, NULL) < 0 ||
	       gres_sum(text, GRES_LIST_GRES, GRES_RDU_TILE, "", &tile, NULL) < 0 ||
	       rdu.count > 0 || tile.count > 0;
}

bool gres_refuses_tiles(const char *text)
{
	struct gres_sum rdu, tile;
	struct gres_walk walk;
	struct gres_item item;

	if (gres_asks_tiles(text))
		return false;
	gres_walk_start(&walk, text, GRES_LIST_GRES);
	if (gres_walk_next(&walk, &item) && walk.pos == NULL && item.name_len == strlen("none") &&
	    strncasecmp(item.name, "none", item.name_len) == 0)
		return true;
	gres_sum(text, GRES_LIST_GRES, GRES_RDU, "", &rdu, NULL);
	gres_sum(text, GRES_LIST_GRES, GRES_RDU_TILE, "", &tile, NULL);
	return rdu.given || tile.given;
}

int gres_count(const char *option, const char *shown, size_t shown_size, const char *text,
	       size_t len, unsigned *count, struct tessera_error *err)
{
	int width = shown_len(shown_size);
	unsigned value = 0;
	size_t i;

	if (len == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s=%.*s has no number", option,
					 width, shown);
	if (text[0] == '-' && len > 1 && is_digit(text[1]))
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "%s=%.*s is negative; a count is 1 or more, or left out",
					 option, width, shown);
	if (!is_digit(text[0]))
		return tessera_error_set(err, TESSERA_ERR_INPUT, "%s=%.*s: '%.*s' is not a number",
					 option, width, shown, shown_len(len), text);
	for (i = 0; i < len && is_digit(text[i]); i++) {
		unsigned digit = (unsigned)(text[i] - '0');

		if (value > (UINT_MAX - digit) / 10)
			return tessera_error_set(err, TESSERA_ERR_INPUT,
						 "%s=%.*s is a larger number than any machine has",
						 option, width, shown);
		value = value * 10 + digit;
	}
	if (i < len)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s=%.*s has '%.*s' after the number %u; give the number alone", option,
			width, shown, shown_len(len - i), text + i, value);
	*count = value;
	return 0;
}

int gres_option_count(const char *option, const char *text, unsigned *count,
		      struct tessera_error *err)
{
	size_t len = strlen(text);
	unsigned value = 0;

	if (gres_count(option, text, len, text, len, &value, err) < 0)
		return -1;
	if (value == 0)
		return tessera_error_set(
			err, TESSERA_ERR_INPUT,
			"%s=%.*s asks for none; ask for 1 or more, or leave the option out", option,
			shown_len(len), text);
	*count = value;
	return 0;
}
