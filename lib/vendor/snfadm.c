/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "lib/vendor/sn_component.h"
#include "lib/vendor/snfadm.h"

#define CELLS_MAX 32 /* of a line; more are ignored */
#define BLANKS    " \t\r"

struct cell {
	const char *at;
	size_t len;
};

/* A line, split into cells. */
struct line {
	const char *start;
	size_t len;
	struct cell cell[CELLS_MAX];
	size_t count;
};

struct state {
	const struct tessera_platform *p;
	struct tessera_health_source *source;
	struct tessera_tileset rdus;              /* tiles of the RDUs listed so far */
	unsigned number;                          /* of the line */
	char separator;                           /* of columns; 0: no header line yet */
	size_t name, inventory, functional, most; /* columns */
	struct tessera_error *err;
};

static int set_parse_error(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT,
				 "cannot parse the output of snfadm: line %u: %s", s->number, what);
}

static void trim_cell(struct cell *c)
{
	while (c->len > 0 && strchr(BLANKS, c->at[0]) != NULL) {
		c->at++;
		c->len--;
	}
	while (c->len > 0 && strchr(BLANKS, c->at[c->len - 1]) != NULL)
		c->len--;
}

/* Split at SEPARATOR, except within quotes, which are removed. */
static void split_line(struct line *l, char separator)
{
	const char *at = l->start, *end = l->start + l->len;

	for (l->count = 0; at <= end && l->count < CELLS_MAX; at++) {
		struct cell *c = &l->cell[l->count++];
		bool quoted = false;

		c->at = at;
		for (; at < end && (quoted || *at != separator); at++)
			quoted ^= *at == '"';
		c->len = (size_t)(at - c->at);
		trim_cell(c);
		if (c->len >= 2 && c->at[0] == '"' && c->at[c->len - 1] == '"') {
			c->at++;
			c->len -= 2;
			trim_cell(c);
		}
	}
}

static bool is_cell(const struct line *l, size_t n, const char *text)
{
	return n < l->count && l->cell[n].len == strlen(text) &&
	       memcmp(l->cell[n].at, text, l->cell[n].len) == 0;
}

/* Compare a column's name, ignoring case, with _ for a space. */
static bool is_name(const struct cell *c, const char *name)
{
	size_t i = 0;

	for (; i < c->len && name[i] != '\0'; i++)
		if (tolower((unsigned char)(c->at[i] == '_' ? ' ' : c->at[i])) !=
		    tolower((unsigned char)name[i]))
			return false;
	return i == c->len && name[i] == '\0';
}

static size_t find_column(const struct line *l, const char *name)
{
	size_t n = 0;

	while (n < l->count && !is_name(&l->cell[n], name))
		n++;
	return n;
}

/* Returns true if L is a header line, which defines the columns of the rows below. */
static bool read_header(struct state *s, struct line *l, char separator)
{
	size_t name, inventory, functional;

	split_line(l, separator);
	name = find_column(l, "Component Name");
	inventory = find_column(l, "Inventory State");
	functional = find_column(l, "Functional State");
	if (name == l->count || inventory == l->count || functional == l->count)
		return false;
	s->separator = separator;
	s->name = name;
	s->inventory = inventory;
	s->functional = functional;
	s->most = name > inventory ? name : inventory;
	s->most = functional > s->most ? functional : s->most;
	return true;
}

static int read_row(struct state *s, const struct line *l)
{
	struct tessera_health_source *source = s->source;
	const struct cell *inventory = &l->cell[s->inventory],
			  *functional = &l->cell[s->functional];
	struct tessera_tileset tiles;
	char name[32];
	int kind;

	if (s->most >= l->count)
		return set_parse_error(s, "a row has fewer columns than the header");
	kind = sn_component_read(s->p, l->cell[s->name].at, l->cell[s->name].len, &tiles, s->err);
	if (kind < 0)
		return tessera_error_prefix(s->err, "invalid output of snfadm: line %u", s->number);
	if (kind == COMPONENT_RDU)
		tessera_tileset_or(&s->rdus, &tiles);
	else if (kind == COMPONENT_TILE)
		tessera_tileset_or(&source->known, &tiles);
	if (kind == COMPONENT_OTHER ||
	    (is_cell(l, s->inventory, "Present") && is_cell(l, s->functional, "Online")))
		return 0;
	/* The tiles of a bad RDU need no remark of their own. */
	if (!tessera_tileset_subset(&tiles, &source->bad))
		sn_component_remark(source, "%s is %.*s, %.*s",
				    sn_component_name(s->p, &tiles, name, sizeof(name)),
				    (int)inventory->len, inventory->at, (int)functional->len,
				    functional->at);
	tessera_tileset_or(&source->bad, &tiles);
	return 0;
}

/* "Platform: DataScale SN30-8" */
static bool is_platform(const struct line *l, struct cell *title)
{
	static const char key[] = "Platform:";

	if (l->len < sizeof(key) - 1 || memcmp(l->start, key, sizeof(key) - 1) != 0)
		return false;
	*title = (struct cell){.at = l->start + sizeof(key) - 1, .len = l->len - (sizeof(key) - 1)};
	trim_cell(title);
	return true;
}

static bool has_only(const struct cell *c, const char *chars)
{
	for (size_t i = 0; i < c->len; i++)
		if (strchr(chars, c->at[i]) == NULL)
			return false;
	return true;
}

static int read_line(struct state *s, const char *start, size_t len)
{
	struct line l = {.start = start, .len = len};
	struct cell whole = {.at = start, .len = len}, title;

	s->number++;
	trim_cell(&whole);
	if (has_only(&whole, "-+=|"))
		return 0;
	if (is_platform(&l, &title)) {
		if (sn_component_check_platform(s->p, title.at, title.len, s->err) == 0)
			return 0;
		return tessera_error_prefix(s->err, "invalid output of snfadm: line %u", s->number);
	}
	if (read_header(s, &l, '|') || read_header(s, &l, ','))
		return 0;
	if (s->separator == 0)
		return whole.at[0] == '/'
			       ? set_parse_error(s, "a component, but no header line above it")
			       : 0;
	/* The title of another list, which has its own header line. */
	if (whole.at[whole.len - 1] == ':' && memchr(whole.at, s->separator, whole.len) == NULL) {
		s->separator = 0;
		return 0;
	}
	split_line(&l, s->separator);
	if (s->name >= l.count || l.cell[s->name].len == 0 || l.cell[s->name].at[0] != '/')
		return set_parse_error(s, "neither a component nor a header line");
	return read_row(s, &l);
}

int snfadm_read(const char *text, const struct tessera_platform *p,
		struct tessera_health_source *source, struct tessera_error *err)
{
	struct state s = {.p = p, .source = source, .err = err};
	const char *at = text, *end;
	int rc = 0;

	tessera_tileset_clear(&source->known);
	tessera_tileset_clear(&source->bad);
	source->text[0] = '\0';
	for (; rc == 0 && (end = strchr(at, '\n')) != NULL; at = end + 1)
		rc = read_line(&s, at, (size_t)(end - at));
	if (rc == 0 && *at != '\0') {
		s.number++;
		rc = set_parse_error(&s, "incomplete: the output may have been cut");
	}
	/* An RDU that is not listed may have failed, with its tiles. */
	tessera_tileset_and(&source->known, &s.rdus);
	tessera_tileset_or(&source->known, &source->bad);
	if (rc == 0 && tessera_tileset_empty(&source->known)) {
		s.number++;
		rc = set_parse_error(&s, "the end, and no tile of a listed RDU was found");
	}
	if (rc == 0)
		return 0;
	tessera_tileset_clear(&source->known);
	tessera_tileset_clear(&source->bad);
	source->text[0] = '\0';
	return -1;
}
