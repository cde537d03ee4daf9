/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "lib/util/scan.h"
#include "lib/vendor/sntilestat.h"

#define WORDS_MAX  64 /* of a line; the rest is COMMAND */
#define WORD_MAX   128
#define TIME_WORDS 6 /* that may precede the tile: "Tue Apr 18 12:00:00 CST 2023" */
#define BLANKS     " \t\r"

/* A line, split at spaces or commas. */
struct line {
	const char *start;
	size_t len;
	bool commas;
	size_t count;
	struct {
		const char *at;
		size_t len;
	} word[WORDS_MAX];
};

struct state {
	const struct tessera_platform *p;
	struct sntilestat *stat;
	struct tessera_error *err;
	unsigned number; /* of the line */
	bool has_header;
	bool commas;        /* commas separate the columns */
	size_t tile, pid;   /* columns */
	const char *header; /* the line itself, without its end */
	size_t header_len;
	bool has_row;
	/* the word that is the tile's path, in each row: the number of words of a time */
	size_t path;
	/* a row had an owner: any later line may be the rest of its COMMAND */
	bool owned;
	struct tessera_tileset doubted; /* tiles whose rows differ */
};

static int set_parse_error(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT,
				 "cannot parse the output of sntilestat: line %u: %s", s->number,
				 what);
}

static void add_word(struct line *l, const char *at, size_t len)
{
	/* Strip spaces and one pair of quotes. */
	while (len > 0 && strchr(BLANKS, *at) != NULL) {
		at++;
		len--;
	}
	while (len > 0 && strchr(BLANKS, at[len - 1]) != NULL)
		len--;
	if (l->commas && len >= 2 && at[0] == '"' && at[len - 1] == '"') {
		at++;
		len -= 2;
	}
	l->word[l->count].at = at;
	l->word[l->count].len = len;
	l->count++;
}

static void split_line(struct line *l, const char *start, size_t len, bool commas)
{
	const char *end = start + len, *at = start;
	size_t n;

	*l = (struct line){.start = start, .len = len, .commas = commas};
	while (at < end && l->count < WORDS_MAX) {
		if (!commas)
			while (at < end && strchr(BLANKS, *at) != NULL)
				at++;
		for (n = 0; at + n < end && strchr(commas ? "," : BLANKS, at[n]) == NULL; n++)
			;
		if (commas || n > 0)
			add_word(l, at, n);
		at += n + 1;
	}
}

static bool is_word(const struct line *l, size_t n, const char *word)
{
	return n < l->count && l->word[n].len == strlen(word) &&
	       strncasecmp(l->word[n].at, word, strlen(word)) == 0;
}

static bool has_only(const struct line *l, size_t n, const char *chars)
{
	for (size_t i = 0; i < l->word[n].len; i++)
		if (strchr(chars, l->word[n].at[i]) == NULL)
			return false;
	return l->word[n].len > 0;
}

/* 2023-04-18, 12:00:00.123, Apr, CST, [1681819200] */
static bool is_time(const struct line *l, size_t n)
{
	return has_only(l, n, "0123456789-:.,/+TZ[]") ||
	       (l->word[n].len <= 4 &&
		has_only(l, n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

/* 91.6, or a placeholder for an unknown number. */
static bool is_percent(const struct line *l, size_t n)
{
	return has_only(l, n, "0123456789.") || is_word(l, n, "-") || is_word(l, n, "N/A") ||
	       is_word(l, n, "nan");
}

static bool is_path(const struct line *l, size_t n)
{
	return n < l->count && (strncmp(l->word[n].at, "/XRDU_", 6) == 0 ||
				strncmp(l->word[n].at, "/NODE/", 6) == 0);
}

/*
 * Only a line above the first row is a header: later it may be a user's COMMAND, which must neither
 * discard the rows read nor redefine the columns. A repetition of the same line is ignored.
 */
static bool read_header(struct state *s, const struct line *l)
{
	size_t tile = l->count, pid = l->count;

	if (s->has_row)
		return l->len == s->header_len && memcmp(l->start, s->header, l->len) == 0;
	for (size_t n = 0; n < l->count; n++) {
		if (is_word(l, n, "TILE"))
			tile = n;
		else if (is_word(l, n, "PID"))
			pid = n;
	}
	if (pid == l->count || tile >= pid)
		return false;
	s->has_header = true;
	s->commas = l->commas;
	s->tile = tile;
	s->pid = pid;
	s->header = l->start;
	s->header_len = l->len;
	return true;
}

/*
 * The number of the word that is the tile's path, or l->count if the line is not a row.
 */
static size_t find_path(const struct line *l)
{
	size_t n = 0;

	while (n < l->count && n < TIME_WORDS && !is_path(l, n) && is_time(l, n))
		n++;
	return is_path(l, n) ? n : l->count;
}

static int read_tile(const struct state *s, const struct line *l, size_t n, unsigned *tile)
{
	struct tessera_error err = {0};
	struct tessera_tileset set;
	char path[WORD_MAX];

	if (l->word[n].len >= sizeof(path))
		return set_parse_error(s, "a tile's path is too long");
	memcpy(path, l->word[n].at, l->word[n].len);
	path[l->word[n].len] = '\0';
	if (strchr(path, ',') != NULL || strstr(path, "/TILE_") == NULL ||
	    tessera_tileset_parse(s->p, path, &set, &err) < 0 || tessera_tileset_count(&set) != 1)
		return tessera_error_set(s->err, TESSERA_ERR_INPUT,
					 "cannot parse the output of sntilestat: line %u: "
					 "platform %s has no tile %.60s; is the node's platform in "
					 "tessera.conf right?",
					 s->number, s->p->name, path);
	*tile = tessera_tileset_next(&set, 0);
	return 0;
}

/* The owner in word N, which may be missing: then *OWNER is 0. */
static int read_owner(const struct state *s, const struct line *l, size_t n, pid_t *owner)
{
	char digits[16] = "";
	struct scan r = {.at = digits};

	*owner = 0;
	if (n >= l->count || l->word[n].len == 0 || is_word(l, n, "-") || is_word(l, n, "N/A"))
		return 0;
	if (l->word[n].len < sizeof(digits))
		memcpy(digits, l->word[n].at, l->word[n].len);
	*owner = (pid_t)scan_number(&r, "", INT_MAX);
	if (r.failed || *r.at != '\0' || *owner == 0)
		return set_parse_error(s, "the PID is not a number");
	return 0;
}

/*
 * If another row reports another owner, one of the two may be part of a user's COMMAND: then the
 * tile is unknown.
 */
static void record_owner(struct state *s, unsigned tile, pid_t owner)
{
	struct tessera_tileset one;

	s->owned |= owner != 0;
	if (tessera_tileset_has(&s->stat->listed, tile) && s->stat->owner[tile] != owner) {
		tessera_tileset_clear(&one);
		tessera_tileset_add(&one, tile);
		tessera_tileset_minus(&s->stat->listed, &one);
		tessera_tileset_add(&s->doubted, tile);
		s->stat->owner[tile] = 0;
	} else if (!tessera_tileset_has(&s->doubted, tile)) {
		tessera_tileset_add(&s->stat->listed, tile);
		s->stat->owner[tile] = owner;
	}
}

static int read_row(struct state *s, const struct line *l, size_t path)
{
	size_t pid = path + (s->pid - s->tile);
	pid_t owner = 0;
	unsigned tile = 0;

	if (s->has_row && path != s->path)
		return set_parse_error(s, "the tile is in another column than in the rows above");
	if (read_tile(s, l, path, &tile) < 0)
		return -1;
	if (l->count < pid)
		return set_parse_error(s, "a row has fewer columns than the header");
	for (size_t n = path + 1; n < pid; n++)
		if (!is_percent(l, n))
			return set_parse_error(s, "a percentage is not a number");
	if (read_owner(s, l, pid, &owner) < 0)
		return -1;
	s->has_row = true;
	s->path = path;
	record_owner(s, tile, owner);
	return 0;
}

/*
 * A line after an owned row may be the rest of its COMMAND, which any user can choose: if it looks
 * like a row but is invalid, it is ignored, so that no user can prevent the sampling of others.
 */
static int read_row_or_rest(struct state *s, const struct line *l, size_t path)
{
	if (read_row(s, l, path) == 0)
		return 0;
	if (!s->owned)
		return -1;
	tessera_error_clear(s->err);
	return 0;
}

static int read_line(struct state *s, const char *start, size_t len)
{
	struct line l;
	size_t path, n = 0;

	s->number++;
	/*
	 * Before the header line it is unknown whether commas separate columns; the header line
	 * determines it.
	 */
	split_line(&l, start, len,
		   memchr(start, ',', len) != NULL && (!s->has_header || s->commas));
	path = find_path(&l);
	if (path < l.count && !s->has_header)
		return set_parse_error(s, "a tile, but no header line above it");
	/* Checked before the header line, since the first row's COMMAND may have its words. */
	if (path < l.count)
		return read_row_or_rest(s, &l, path);
	if (l.count == 0 || read_header(s, &l))
		return 0;
	/* Only a time, or text above the header line. */
	while (n < l.count && is_time(&l, n))
		n++;
	if (n == l.count || !s->has_header || s->owned)
		return 0;
	return set_parse_error(s, "neither a tile nor the rest of a command");
}

int sntilestat_read(const char *text, const struct tessera_platform *p, struct sntilestat *stat,
		    struct tessera_error *err)
{
	struct state s = {.p = p, .stat = stat, .err = err};
	const char *at = text, *end;

	memset(stat, 0, sizeof(*stat));
	for (; (end = strchr(at, '\n')) != NULL; at = end + 1)
		if (read_line(&s, at, (size_t)(end - at)) < 0)
			return -1;
	s.number++;
	/* An incomplete line may have an incomplete number. */
	if (*at != '\0')
		return set_parse_error(&s, "incomplete: the output may have been cut");
	if (tessera_tileset_empty(&stat->listed) && !tessera_tileset_empty(&s.doubted))
		return set_parse_error(&s, "each tile has two rows that differ: SntilestatCommand "
					   "must print one table");
	if (tessera_tileset_empty(&stat->listed))
		return set_parse_error(
			&s, s.has_header
				    ? "the end, and no tile was found"
				    : "the end, and no header line with TILE and PID was found");
	return 0;
}
