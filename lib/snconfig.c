/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/component.h"
#include "lib/health_parts.h"
#include "lib/snconfig.h"

#define BLANKS    " \t\r"
#define PATH_LEN  64
#define LINE_LEN  4096
#define LINE_SAID 100 /* of a line, in a sentence */

/* What the reading has come to. */
struct state {
	const struct tessera_platform *p;
	const char *bad, *good;
	struct tessera_health_source *source;
	struct tessera_tileset about;                       /* tiles that lines are about now */
	char xrdu[PATH_LEN], rdu[PATH_LEN], tile[PATH_LEN]; /* paths of the headings above; "": none */
	unsigned number;                                    /* of the line */
	struct tessera_error *err;
};

static int not_understood(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT, "what snconfig printed was not understood: line %u: %s",
				 s->number, what);
}

static int wrong(const struct state *s)
{
	return tessera_error_prefix(s->err, "what snconfig printed is wrong: line %u", s->number);
}

static void trim(const char **at, size_t *len)
{
	while (*len > 0 && strchr(BLANKS, (*at)[0]) != NULL) {
		(*at)++;
		(*len)--;
	}
	while (*len > 0 && strchr(BLANKS, (*at)[*len - 1]) != NULL)
		(*len)--;
}

static bool is_key(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(key, name, len) == 0;
}

static bool ends_in_name(const char *key, size_t len)
{
	return len >= 4 && strncasecmp(key + len - 4, "name", 4) == 0;
}

/* The heading of a part, whose path goes into PATH; OUTER is that of what it stands in. Lines below are about it. */
static int enter(struct state *s, const char *outer, const char *name, size_t len, char path[PATH_LEN])
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return not_understood(s, "a name that no XRDU, RDU or tile has");
	snprintf(path, PATH_LEN, "%s/%.*s", outer, (int)(len < PATH_LEN ? len : PATH_LEN), name);
	return tessera_tileset_parse(s->p, path, &s->about, s->err) < 0 ? wrong(s) : 0;
}

static int read_heading(struct state *s, const char *key, size_t key_len, const char *value, size_t len)
{
	if (is_key(key, key_len, "Platform Name"))
		return component_check_platform(s->p, value, len, s->err) < 0 ? wrong(s) : 0;
	if (is_key(key, key_len, "XRDU Name")) {
		s->rdu[0] = '\0';
		return enter(s, "", value, len, s->xrdu);
	}
	if (is_key(key, key_len, "RDU Name"))
		return s->xrdu[0] != '\0' ? enter(s, s->xrdu, value, len, s->rdu)
					  : not_understood(s, "an RDU below no XRDU");
	if (is_key(key, key_len, "TILE Name")) {
		if (s->rdu[0] == '\0')
			return not_understood(s, "a tile below no RDU");
		if (enter(s, s->rdu, value, len, s->tile) < 0)
			return -1;
		if (s->good[0] == '\0')
			tessera_tileset_or(&s->source->known, &s->about);
		return 0;
	}
	/* Of something else: what stands below is not about tiles. */
	tessera_tileset_clear(&s->about);
	return 0;
}

/* A heading is a line whose key ends in "Name". */
static int read_key(struct state *s, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *key = line, *value;
	size_t key_len, value_len;

	if (colon == NULL)
		return 0;
	key_len = (size_t)(colon - line);
	trim(&key, &key_len);
	if (!ends_in_name(key, key_len))
		return 0;
	value = colon + 1;
	value_len = len - (size_t)(value - line);
	trim(&value, &value_len);
	/* A title may have blanks in it; behind the name of a part more may stand. */
	if (!is_key(key, key_len, "Platform Name"))
		for (size_t i = 0; i < value_len; i++)
			if (strchr(BLANKS, value[i]) != NULL)
				value_len = i;
	return read_heading(s, key, key_len, value, value_len);
}

/* The tiles of the path that the line has in it, if it has one: they come before the heading's. */
static int read_path(struct state *s, const char *line, struct tessera_tileset *about)
{
	const char *path = strstr(line, "/NODE/");
	int kind;

	if (path == NULL)
		path = strstr(line, "/XRDU_");
	if (path == NULL)
		return 0;
	kind = component_read(s->p, path, strcspn(path, BLANKS ",:;|()[]\"'"), about, s->err);
	if (kind < 0)
		return wrong(s);
	if (kind == COMPONENT_TILE && s->good[0] == '\0')
		tessera_tileset_or(&s->source->known, about);
	return 0;
}

/* The line is NUL-terminated. */
static int read_line(struct state *s, const char *line)
{
	struct tessera_health_source *source = s->source;
	struct tessera_tileset about;
	const char *said = line;
	size_t len = strlen(line);
	char name[128];

	if (read_key(s, line, len) < 0)
		return -1;
	about = s->about;
	if (read_path(s, line, &about) < 0)
		return -1;
	trim(&said, &len);
	if (s->bad[0] != '\0' && strstr(line, s->bad) != NULL) {
		tessera_tileset_or(&source->known, &about);
		if (!tessera_tileset_subset(&about, &source->bad))
			component_remark(source, "%s: %.*s", component_name(s->p, &about, name, sizeof(name)),
					 (int)health_cut(said, len, LINE_SAID), said);
		tessera_tileset_or(&source->bad, &about);
	} else if (s->good[0] != '\0' && strstr(line, s->good) != NULL) {
		tessera_tileset_or(&source->known, &about);
	}
	return 0;
}

static int read_all(struct state *s, const char *text)
{
	char line[LINE_LEN];
	const char *end;

	if (s->bad[0] == '\0' && s->good[0] == '\0')
		return tessera_error_set(s->err, TESSERA_ERR_INPUT,
					 "tessera.conf does not say by which text snconfig tells a bad tile: set "
					 "SnconfigBad, or SnconfigGood");
	for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		s->number++;
		if ((size_t)(end - text) >= sizeof(line))
			return not_understood(s, "it is too long");
		memcpy(line, text, (size_t)(end - text));
		line[end - text] = '\0';
		if (read_line(s, line) < 0)
			return -1;
	}
	s->number++;
	if (*text != '\0')
		return not_understood(s, "it has no end, and may have been cut");
	if (tessera_tileset_empty(&s->source->known))
		return not_understood(
			s, "the end, and no tile was found, or none that SnconfigBad or SnconfigGood fits");
	return 0;
}

int snconfig_read(const char *text, const struct tessera_platform *p, const char *bad, const char *good,
		  struct tessera_health_source *source, struct tessera_error *err)
{
	struct state s = {.p = p, .bad = bad, .good = good, .source = source, .err = err};

	tessera_tileset_clear(&source->known);
	tessera_tileset_clear(&source->bad);
	source->text[0] = '\0';
	if (read_all(&s, text) == 0)
		return 0;
	tessera_tileset_clear(&source->known);
	tessera_tileset_clear(&source->bad);
	source->text[0] = '\0';
	return -1;
}
