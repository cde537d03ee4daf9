/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "lib/component.h"
#include "lib/snfadm.h"

#define CELLS_MAX 32 /* of a line; more are passed over */
#define BLANKS    " \t\r"

struct cell {
	const char *at;
	size_t len;
};

/* A line, cut into cells. */
struct line {
	const char *start;
	size_t len;
	struct cell cell[CELLS_MAX];
	size_t count;
};

/* What the reading has come to. */
struct state {
	const struct tessera_platform *p;
	struct tessera_health_source *source;
	struct tessera_tileset rdus;              /* tiles of RDUs that were told of */
	unsigned number;                          /* of the line */
	char between;                             /* columns; 0: there was no head yet */
	size_t name, inventory, functional, most; /* columns */
	struct tessera_error *err;
};

static int not_understood(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT, "what snfadm printed was not understood: line %u: %s",
				 s->number, what);
}

static void trim(struct cell *c)
{
	while (c->len > 0 && strchr(BLANKS, c->at[0]) != NULL) {
		c->at++;
		c->len--;
	}
	while (c->len > 0 && strchr(BLANKS, c->at[c->len - 1]) != NULL)
		c->len--;
}

/* Cut at BETWEEN, but not within quotes, which are taken off. */
static void cut(struct line *l, char between)
{
	const char *at = l->start, *end = l->start + l->len;

	for (l->count = 0; at <= end && l->count < CELLS_MAX; at++) {
		struct cell *c = &l->cell[l->count++];
		bool quoted = false;

		c->at = at;
		for (; at < end && (quoted || *at != between); at++)
			quoted ^= *at == '"';
		c->len = (size_t)(at - c->at);
		trim(c);
		if (c->len >= 2 && c->at[0] == '"' && c->at[c->len - 1] == '"') {
			c->at++;
			c->len -= 2;
			trim(c);
		}
	}
}

static bool is_cell(const struct line *l, size_t n, const char *text)
{
	return n < l->count && l->cell[n].len == strlen(text) && memcmp(l->cell[n].at, text, l->cell[n].len) == 0;
}

/* The same for a name, whatever its case, and _ for a blank. */
static bool is_name(const struct cell *c, const char *name)
{
	size_t i = 0;

	for (; i < c->len && name[i] != '\0'; i++)
		if (tolower((unsigned char)(c->at[i] == '_' ? ' ' : c->at[i])) != tolower((unsigned char)name[i]))
			return false;
	return i == c->len && name[i] == '\0';
}

static size_t find(const struct line *l, const char *name)
{
	size_t n = 0;

	while (n < l->count && !is_name(&l->cell[n], name))
		n++;
	return n;
}

/* A head with these columns: from now on rows are read by it. */
static bool read_head(struct state *s, struct line *l, char between)
{
	size_t name, inventory, functional;

	cut(l, between);
	name = find(l, "Component Name");
	inventory = find(l, "Inventory State");
	functional = find(l, "Functional State");
	if (name == l->count || inventory == l->count || functional == l->count)
		return false;
	s->between = between;
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
	const struct cell *inventory = &l->cell[s->inventory], *functional = &l->cell[s->functional];
	struct tessera_tileset tiles;
	char name[32];
	int kind;

	if (s->most >= l->count)
		return not_understood(s, "a row has fewer columns than the head says");
	kind = component_read(s->p, l->cell[s->name].at, l->cell[s->name].len, &tiles, s->err);
	if (kind < 0)
		return tessera_error_prefix(s->err, "what snfadm printed is wrong: line %u", s->number);
	if (kind == COMPONENT_RDU)
		tessera_tileset_or(&s->rdus, &tiles);
	else if (kind == COMPONENT_TILE)
		tessera_tileset_or(&source->known, &tiles);
	if (kind == COMPONENT_OTHER || (is_cell(l, s->inventory, "Present") && is_cell(l, s->functional, "Online")))
		return 0;
	/* A dead RDU's tiles need no words of their own. */
	if (!tessera_tileset_subset(&tiles, &source->bad))
		component_remark(source, "%s is %.*s, %.*s", component_name(s->p, &tiles, name, sizeof(name)),
				 (int)inventory->len, inventory->at, (int)functional->len, functional->at);
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
	trim(title);
	return true;
}

static bool only(const struct cell *c, const char *chars)
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
	trim(&whole);
	if (only(&whole, "-+=|"))
		return 0;
	if (is_platform(&l, &title)) {
		if (component_check_platform(s->p, title.at, title.len, s->err) == 0)
			return 0;
		return tessera_error_prefix(s->err, "what snfadm printed is wrong: line %u", s->number);
	}
	if (read_head(s, &l, '|') || read_head(s, &l, ','))
		return 0;
	if (s->between == 0)
		return whole.at[0] == '/'
			       ? not_understood(s, "a component, but no head that says what the columns are")
			       : 0;
	/* The title of another list, which has a head of its own. */
	if (whole.at[whole.len - 1] == ':' && memchr(whole.at, s->between, whole.len) == NULL) {
		s->between = 0;
		return 0;
	}
	cut(&l, s->between);
	if (s->name >= l.count || l.cell[s->name].len == 0 || l.cell[s->name].at[0] != '/')
		return not_understood(s, "neither a component nor a head");
	return read_row(s, &l);
}

int snfadm_read(const char *text, const struct tessera_platform *p, struct tessera_health_source *source,
		struct tessera_error *err)
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
		rc = not_understood(&s, "it has no end, and may have been cut");
	}
	/* An RDU that is not in the list may be gone, with its tiles. */
	tessera_tileset_and(&source->known, &s.rdus);
	tessera_tileset_or(&source->known, &source->bad);
	if (rc == 0 && tessera_tileset_empty(&source->known)) {
		s.number++;
		rc = not_understood(&s, "the end, and there was no tile of an RDU");
	}
	if (rc == 0)
		return 0;
	tessera_tileset_clear(&source->known);
	tessera_tileset_clear(&source->bad);
	source->text[0] = '\0';
	return -1;
}
