/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/conf/conf_scan.h"
#include "lib/conf/pool.h"

/*
 * Characters that end a word, as in libconfuse. ( ) , + and * are not needed in tessera.conf; a
 * file that has them is UNSURE.
 */
#define ENDS   " \t\r\n\"'={}#(),+*"
#define SPACES " \t\r\n"

enum token { END, WORD, EQUALS, OPENS, CLOSES, UNSURE };

struct scan {
	const char *at;
	const char *word; /* of the last WORD, without quotes */
	size_t len;
};

static void skip_spaces(struct scan *scan)
{
	scan->at += strspn(scan->at, SPACES);
	while (*scan->at == '#') {
		scan->at += strcspn(scan->at, "\n");
		scan->at += strspn(scan->at, SPACES);
	}
}

/* Read a string in quotes, which must end on the same line. */
static enum token read_string(struct scan *scan)
{
	const char *end = scan->at + 1 + strcspn(scan->at + 1, "\"'\\\n");

	if (*end != *scan->at)
		return UNSURE;
	scan->word = scan->at + 1;
	scan->len = (size_t)(end - scan->word);
	scan->at = end + 1;
	return WORD;
}

static enum token read_word(struct scan *scan)
{
	scan->word = scan->at;
	scan->len = strcspn(scan->at, ENDS);
	scan->at += scan->len;
	if (scan->len == 0 || strncmp(scan->word, "//", 2) == 0 ||
	    memchr(scan->word, '$', scan->len) != NULL)
		return UNSURE;
	return WORD;
}

static enum token next_token(struct scan *scan)
{
	skip_spaces(scan);
	switch (*scan->at) {
	case '\0':
		return END;
	case '=':
		scan->at++;
		return EQUALS;
	case '{':
		scan->at++;
		return OPENS;
	case '}':
		scan->at++;
		return CLOSES;
	case '"':
	case '\'':
		return read_string(scan);
	default:
		return read_word(scan);
	}
}

static bool word_is(const struct scan *scan, const char *word)
{
	return scan->len == strlen(word) && strncasecmp(scan->word, word, scan->len) == 0;
}

static bool copy_word(const struct scan *scan, char name[TESSERA_NAME_MAX])
{
	if (scan->len == 0 || scan->len >= TESSERA_NAME_MAX)
		return false;
	memcpy(name, scan->word, scan->len);
	name[scan->len] = '\0';
	return true;
}

/* Read "= VALUE" after a key. */
static bool read_value(struct scan *scan)
{
	enum token equals = next_token(scan), value = next_token(scan);

	return equals == EQUALS && value == WORD;
}

/*
 * Read a block from after { to }. OPTION holds the block's title, and is replaced by the value of
 * the key Option, which may occur once.
 */
static bool read_block(struct scan *scan, char option[TESSERA_NAME_MAX])
{
	bool seen = false;
	enum token token;

	while ((token = next_token(scan)) == WORD) {
		bool named = word_is(scan, "Option");

		if (!read_value(scan) || (named && (seen || !copy_word(scan, option))))
			return false;
		seen = seen || named;
	}
	return token == CLOSES;
}

/* Applies the same rule as parsing. */
static bool is_valid_option(const char *option)
{
	struct tessera_pool pool = {.max = 1, .sizes = "any"};

	snprintf(pool.name, sizeof(pool.name), "%s", option);
	snprintf(pool.option, sizeof(pool.option), "%s", option);
	snprintf(pool.license, sizeof(pool.license), "%s", option);
	return tessera_pool_check(&pool, NULL) == 0;
}

static bool add_option(const char *option, char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX],
		       int *count)
{
	for (int i = 0; i < *count; i++)
		if (strcmp(options[i], option) == 0)
			return false;
	if (*count == TESSERA_POOLS_MAX || !is_valid_option(option))
		return false;
	memcpy(options[(*count)++], option, TESSERA_NAME_MAX);
	return true;
}

int conf_scan_pools(const char *text, char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX])
{
	struct scan scan = {.at = text};
	char option[TESSERA_NAME_MAX];
	enum token token;
	int count = 0;

	while ((token = next_token(&scan)) == WORD) {
		bool pool = word_is(&scan, "pool");

		token = next_token(&scan);
		if (token == EQUALS && next_token(&scan) == WORD)
			continue;
		/* The title is copied only for pools: a host list may be longer than a name. */
		if (token != WORD || (pool && !copy_word(&scan, option)) ||
		    next_token(&scan) != OPENS || !read_block(&scan, option) ||
		    (pool && !add_option(option, options, &count)))
			return -1;
	}
	return token == END ? count : -1;
}
