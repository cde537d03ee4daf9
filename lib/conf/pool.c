/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/pool.h"
#include "lib/util/strbuf.h"

#define LOWER   "abcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
#define LETTERS LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Options that already exist, or whose variable TESSERA_... does. */
static const char *const reserved_options[] = {
	"ipus",     "ipu-gcds", "tiles-per-task", "tile-affinity",  "tile-bind", "gres",
	"licenses", "mask",     "partition",      "partition-gcds", "hydra-env", NULL};

/* A number that is too large becomes UINT_MAX. */
static unsigned read_count(const char *text, char **end)
{
	unsigned long count = strtoul(text, end, 10);

	return count < UINT_MAX ? (unsigned)count : UINT_MAX;
}

/* Read one item of "1,2,4-8". Returns the text after it, or NULL if it is invalid. */
static const char *read_range(const char *text, unsigned *first, unsigned *last)
{
	char *end;

	if (text[strspn(text, " ")] == '\0' || strchr(DIGITS, text[strspn(text, " ")]) == NULL)
		return NULL;
	*first = *last = read_count(text, &end);
	if (*end == '-') {
		if (end[1] == '\0' || strchr(DIGITS, end[1]) == NULL)
			return NULL;
		*last = read_count(end + 1, &end);
	}
	end += strspn(end, " ");
	if ((*end != '\0' && *end != ',') || *first == 0 || *last < *first)
		return NULL;
	return *end == ',' ? end + 1 : end;
}

static bool is_allowed(const struct tessera_pool *pool, unsigned count)
{
	unsigned first, last;

	if (count == 0 || count > pool->max)
		return false;
	if (strcmp(pool->sizes, "any") == 0)
		return true;
	if (strcmp(pool->sizes, "powers") == 0)
		return (count & (count - 1)) == 0;
	for (const char *at = pool->sizes; at != NULL && *at != '\0';) {
		at = read_range(at, &first, &last);
		if (at != NULL && count >= first && count <= last)
			return true;
	}
	return false;
}

static int check_sizes(const struct tessera_pool *pool, struct tessera_error *err)
{
	const char *at = pool->sizes;
	unsigned first, last, least = UINT_MAX;

	if (pool->max == 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "pool %s has no Max: set it to the number in the pool",
					 pool->name);
	if (strcmp(at, "any") == 0 || strcmp(at, "powers") == 0)
		return 0;
	do {
		at = read_range(at, &first, &last);
		if (at != NULL && first < least)
			least = first;
	} while (at != NULL && *at != '\0');
	if (at == NULL)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "Sizes = %.80s cannot be read: write any, powers, or a "
					 "list such as \"1,2,4-8\"",
					 pool->sizes);
	if (least <= pool->max)
		return 0;
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "Sizes = %.80s allows nothing up to Max = %u", pool->sizes,
				 pool->max);
}

static int check_option(const struct tessera_pool *pool, struct tessera_error *err)
{
	const char *option = pool->option;

	if (option[0] == '\0' || strchr(LOWER, option[0]) == NULL ||
	    option[strspn(option, LOWER DIGITS "-")] != '\0')
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "pool %s cannot have the option --%s: write Option = NAME "
					 "with lower-case letters, digits and -, a letter first",
					 pool->name, option);
	for (size_t i = 0; reserved_options[i] != NULL; i++)
		if (strcmp(option, reserved_options[i]) == 0)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"pool %s cannot have the option --%s: that option already exists",
				pool->name, option);
	return 0;
}

/* The first NAME=VALUE in TEXT, and its *LEN; NULL if there is none. */
static const char *next_variable(const char *text, size_t *len)
{
	text += strspn(text, " ,");
	*len = strcspn(text, " ,");
	return *len > 0 ? text : NULL;
}

static int check_variables(const struct tessera_pool *pool, struct tessera_error *err)
{
	const char *at = pool->variables;
	size_t len;

	for (at = next_variable(at, &len); at != NULL; at = next_variable(at + len, &len)) {
		size_t name = strspn(at, LETTERS DIGITS);

		if (name == 0 || at[name] != '=' || strchr(DIGITS, at[0]) != NULL)
			return tessera_error_set(
				err, TESSERA_ERR_INPUT,
				"Variables has '%.*s' in it: write NAME=VALUE, separated by spaces",
				(int)(len < 80 ? len : 80), at);
		for (size_t i = name; i < len; i++)
			if (at[i] == '%' && (i + 1 == len || strchr("cjp", at[i + 1]) == NULL))
				return tessera_error_set(
					err, TESSERA_ERR_INPUT,
					"Variables has a %% in '%.*s' other than %%c (the count), "
					"%%j (the job) or %%p (the pool)",
					(int)(len < 80 ? len : 80), at);
	}
	return 0;
}

int tessera_pool_check(const struct tessera_pool *pool, struct tessera_error *err)
{
	if (check_sizes(pool, err) < 0 || check_option(pool, err) < 0)
		return -1;
	return check_variables(pool, err);
}

int tessera_pool_allows(const struct tessera_pool *pool, unsigned count, struct tessera_error *err)
{
	if (is_allowed(pool, count))
		return 0;
	if (count > pool->max)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "--%s=%u exceeds the %u in the pool; use --%s=%u or fewer",
					 pool->option, count, pool->max, pool->option, pool->max);
	return tessera_error_set(err, TESSERA_ERR_INPUT,
				 "--%s=%u is not a valid size for %s; allowed are %.80s",
				 pool->option, count, pool->name,
				 strcmp(pool->sizes, "powers") == 0 ? "powers of two"
				 : strcmp(pool->sizes, "any") == 0  ? "1 or more"
								    : pool->sizes);
}

/* Write TEXT with %c, %j and %p replaced; a text that does not fit is cut. */
static void expand_variable(const struct tessera_pool *pool, const char *text, size_t text_len,
			    unsigned count, uint32_t job, char *value, size_t len)
{
	struct strbuf s = strbuf_start(value, len);

	for (size_t i = 0; i < text_len; i++) {
		char next = '\0';

		if (text[i] == '%' && i + 1 < text_len)
			next = text[++i];
		if (next == 'c')
			strbuf_put(&s, "%u", count);
		else if (next == 'j')
			strbuf_put(&s, "%u", job);
		else if (next == 'p')
			strbuf_put(&s, "%s", pool->name);
		else
			strbuf_put(&s, "%c", text[i]);
	}
}

bool tessera_pool_variable(const struct tessera_pool *pool, size_t n, unsigned count, uint32_t job,
			   char *name, size_t name_len, char *value, size_t value_len)
{
	const char *at = pool->variables;
	size_t len, name_part;

	at = next_variable(at, &len);
	for (size_t i = 0; at != NULL && i < n; i++)
		at = next_variable(at + len, &len);
	if (at == NULL)
		return false;
	name_part = strcspn(at, "=");
	snprintf(name, name_len, "%.*s", (int)name_part, at);
	expand_variable(pool, at + name_part + 1, len - name_part - 1, count, job, value,
			value_len);
	return true;
}
