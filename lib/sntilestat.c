/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "lib/reader.h"
#include "lib/sntilestat.h"

#define WORDS_MAX  64 /* of a line; the rest is COMMAND */
#define WORD_MAX   128
#define TIME_WORDS 6 /* that may stand before the tile: "Tue Apr 18 12:00:00 CST 2023" */
#define BLANKS     " \t\r"

/* A line, cut at blanks or commas. */
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

/* What the reading has come to. */
struct state {
	const struct tessera_platform *p;
	struct sntilestat *stat;
	struct tessera_error *err;
	unsigned number;  /* of the line */
	bool has_head;    /* that says: */
	bool commas;      /* what is between columns */
	size_t tile, pid; /* where these are */
	const char *head; /* the line itself, without its end */
	size_t head_len;
	bool has_row;
	size_t path;                    /* where the tile's path is in each row: after so many words of a time */
	bool owned;                     /* a row had an owner: any line since may be the rest of a COMMAND */
	struct tessera_tileset doubted; /* tiles of which two rows say different things */
};

static int not_understood(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT,
				 "what sntilestat printed was not understood: line %u: %s", s->number, what);
}

static void add_word(struct line *l, const char *at, size_t len)
{
	/* Blanks around a column and one pair of quotes are not of it. */
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

static void cut(struct line *l, const char *start, size_t len, bool commas)
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

static bool only(const struct line *l, size_t n, const char *chars)
{
	for (size_t i = 0; i < l->word[n].len; i++)
		if (strchr(chars, l->word[n].at[i]) == NULL)
			return false;
	return l->word[n].len > 0;
}

/* 2023-04-18, 12:00:00.123, Apr, CST, [1681819200] */
static bool is_time(const struct line *l, size_t n)
{
	return only(l, n, "0123456789-:.,/+TZ[]") ||
	       (l->word[n].len <= 4 && only(l, n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

/* 91.6, or what stands for a number that nobody knows. */
static bool is_percent(const struct line *l, size_t n)
{
	return only(l, n, "0123456789.") || is_word(l, n, "-") || is_word(l, n, "N/A") || is_word(l, n, "nan");
}

static bool is_path(const struct line *l, size_t n)
{
	return n < l->count &&
	       (strncmp(l->word[n].at, "/XRDU_", 6) == 0 || strncmp(l->word[n].at, "/NODE/", 6) == 0);
}

/*
 * Only a line above the first row is a head: behind it, it may be any user's COMMAND, which must neither take back what was
 * read nor say what the columns are. The same line once more is passed over.
 */
static bool read_head(struct state *s, const struct line *l)
{
	size_t tile = l->count, pid = l->count;

	if (s->has_row)
		return l->len == s->head_len && memcmp(l->start, s->head, l->len) == 0;
	for (size_t n = 0; n < l->count; n++) {
		if (is_word(l, n, "TILE"))
			tile = n;
		else if (is_word(l, n, "PID"))
			pid = n;
	}
	if (pid == l->count || tile >= pid)
		return false;
	s->has_head = true;
	s->commas = l->commas;
	s->tile = tile;
	s->pid = pid;
	s->head = l->start;
	s->head_len = l->len;
	return true;
}

/* Which of the line's words is the tile's path? Its number, or l->count if the line is none of a tile. */
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
		return not_understood(s, "a tile's path is too long");
	memcpy(path, l->word[n].at, l->word[n].len);
	path[l->word[n].len] = '\0';
	if (strchr(path, ',') != NULL || strstr(path, "/TILE_") == NULL ||
	    tessera_tileset_parse(s->p, path, &set, &err) < 0 || tessera_tileset_count(&set) != 1)
		return tessera_error_set(
			s->err, TESSERA_ERR_INPUT,
			"what sntilestat printed was not understood: line %u: %.60s is no tile of a "
			"%s; is the node's platform in tessera.conf right?",
			s->number, path, s->p->name);
	*tile = tessera_tileset_next(&set, 0);
	return 0;
}

/* The owner in word N, which need not be there. */
static int read_owner(const struct state *s, const struct line *l, size_t n, pid_t *owner)
{
	char digits[16] = "";
	struct reader r = {.at = digits};

	*owner = 0;
	if (n >= l->count || l->word[n].len == 0 || is_word(l, n, "-") || is_word(l, n, "N/A"))
		return 0;
	if (l->word[n].len < sizeof(digits))
		memcpy(digits, l->word[n].at, l->word[n].len);
	*owner = (pid_t)reader_number(&r, "", INT_MAX);
	if (r.failed || *r.at != '\0' || *owner == 0)
		return not_understood(s, "no number where a PID should be");
	return 0;
}

/* If another row says something else of the tile, one of them is somebody's COMMAND: then nothing is known of it. */
static void tell(struct state *s, unsigned tile, pid_t owner)
{
	struct tessera_tileset one;

	s->owned |= owner != 0;
	if (tessera_tileset_has(&s->stat->told, tile) && s->stat->owner[tile] != owner) {
		tessera_tileset_clear(&one);
		tessera_tileset_add(&one, tile);
		tessera_tileset_minus(&s->stat->told, &one);
		tessera_tileset_add(&s->doubted, tile);
		s->stat->owner[tile] = 0;
	} else if (!tessera_tileset_has(&s->doubted, tile)) {
		tessera_tileset_add(&s->stat->told, tile);
		s->stat->owner[tile] = owner;
	}
}

static int read_row(struct state *s, const struct line *l, size_t path)
{
	size_t pid = path + (s->pid - s->tile);
	pid_t owner = 0;
	unsigned tile = 0;

	if (s->has_row && path != s->path)
		return not_understood(s, "a tile in another column than in the rows above");
	if (read_tile(s, l, path, &tile) < 0)
		return -1;
	if (l->count < pid)
		return not_understood(s, "a tile has fewer columns than the head says");
	for (size_t n = path + 1; n < pid; n++)
		if (!is_percent(l, n))
			return not_understood(s, "no number where a percentage should be");
	if (read_owner(s, l, pid, &owner) < 0)
		return -1;
	s->has_row = true;
	s->path = path;
	tell(s, tile, owner);
	return 0;
}

/*
 * A line behind an owned row may be the rest of its COMMAND, which is any user's text: if it looks like a row and is
 * none, it is passed over, so that no user can prevent that others are sampled.
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
	/* Until a head was seen nobody knows what is between columns; where there is a head it has commas, or none. */
	cut(&l, start, len, memchr(start, ',', len) != NULL && (!s->has_head || s->commas));
	path = find_path(&l);
	if (path < l.count && !s->has_head)
		return not_understood(s, "a tile, but no head that says what the columns are");
	/* Before the head: the first row's COMMAND may have its words. */
	if (path < l.count)
		return read_row_or_rest(s, &l, path);
	if (l.count == 0 || read_head(s, &l))
		return 0;
	/* The time alone, or what stands above the first head. */
	while (n < l.count && is_time(&l, n))
		n++;
	if (n == l.count || !s->has_head || s->owned)
		return 0;
	return not_understood(s, "neither a tile nor the rest of a command");
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
	/* Half a line may have half a number in it. */
	if (*at != '\0')
		return not_understood(&s, "it has no end, and may have been cut");
	if (tessera_tileset_empty(&stat->told) && !tessera_tileset_empty(&s.doubted))
		return not_understood(&s,
				      "each tile has two rows that differ: SntilestatCommand must print one table");
	if (tessera_tileset_empty(&stat->told))
		return not_understood(&s, s.has_head ? "the end, and there was no tile"
						     : "the end, and there was no head with TILE and PID");
	return 0;
}
