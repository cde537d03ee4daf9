/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/util/utf8.h"
#include "lib/vendor/sn_component.h"
#include "lib/vendor/snconfig.h"

#define BLANKS    " \t\r"
#define PATH_LEN  64
#define LINE_LEN  4096
#define QUOTE_LEN 100 /* bytes of a line that a remark quotes */

struct state {
	const struct tessera_platform *p;
	const char *bad, *good;
	struct tessera_health_source *source;
	struct tessera_tileset about; /* tiles of the last heading */
	/* paths of the last headings; "": none */
	char xrdu[PATH_LEN], rdu[PATH_LEN], tile[PATH_LEN];
	unsigned number; /* of the line */
	struct tessera_error *err;
};

static int set_parse_error(const struct state *s, const char *what)
{
	return tessera_error_set(s->err, TESSERA_ERR_INPUT,
				 "cannot parse the output of snconfig: line %u: %s", s->number,
				 what);
}

static int prefix_error(const struct state *s)
{
	return tessera_error_prefix(s->err, "invalid output of snconfig: line %u", s->number);
}

static void trim_text(const char **at, size_t *len)
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

/*
 * A heading: set PATH to the path of component NAME in the component OUTER. The lines below
 * describe it.
 */
static int enter_component(struct state *s, const char *outer, const char *name, size_t len,
			   char path[PATH_LEN])
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return set_parse_error(s, "not a name of an XRDU, RDU or tile");
	snprintf(path, PATH_LEN, "%s/%.*s", outer, (int)(len < PATH_LEN ? len : PATH_LEN), name);
	return tessera_tileset_parse(s->p, path, &s->about, s->err) < 0 ? prefix_error(s) : 0;
}

static int read_heading(struct state *s, const char *key, size_t key_len, const char *value,
			size_t len)
{
	if (is_key(key, key_len, "Platform Name"))
		return sn_component_check_platform(s->p, value, len, s->err) < 0 ? prefix_error(s)
										 : 0;
	if (is_key(key, key_len, "XRDU Name")) {
		s->rdu[0] = '\0';
		return enter_component(s, "", value, len, s->xrdu);
	}
	if (is_key(key, key_len, "RDU Name"))
		return s->xrdu[0] != '\0' ? enter_component(s, s->xrdu, value, len, s->rdu)
					  : set_parse_error(s, "an RDU without an XRDU above it");
	if (is_key(key, key_len, "TILE Name")) {
		if (s->rdu[0] == '\0')
			return set_parse_error(s, "a tile without an RDU above it");
		if (enter_component(s, s->rdu, value, len, s->tile) < 0)
			return -1;
		if (s->good[0] == '\0')
			tessera_tileset_or(&s->source->known, &s->about);
		return 0;
	}
	/* The heading of something else: the lines below do not describe tiles. */
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
	trim_text(&key, &key_len);
	if (!ends_in_name(key, key_len))
		return 0;
	value = colon + 1;
	value_len = len - (size_t)(value - line);
	trim_text(&value, &value_len);
	/* A platform's name may have spaces; after a component's name, more text may follow. */
	if (!is_key(key, key_len, "Platform Name"))
		for (size_t i = 0; i < value_len; i++)
			if (strchr(BLANKS, value[i]) != NULL)
				value_len = i;
	return read_heading(s, key, key_len, value, value_len);
}

/* If LINE contains a path, set ABOUT to its tiles: they take precedence over the heading's. */
static int read_path(struct state *s, const char *line, struct tessera_tileset *about)
{
	const char *path = strstr(line, "/NODE/");
	int kind;

	if (path == NULL)
		path = strstr(line, "/XRDU_");
	if (path == NULL)
		return 0;
	kind = sn_component_read(s->p, path, strcspn(path, BLANKS ",:;|()[]\"'"), about, s->err);
	if (kind < 0)
		return prefix_error(s);
	if (kind == COMPONENT_TILE && s->good[0] == '\0')
		tessera_tileset_or(&s->source->known, about);
	return 0;
}

static int read_line(struct state *s, const char *line)
{
	struct tessera_health_source *source = s->source;
	struct tessera_tileset about;
	const char *quote = line;
	size_t len = strlen(line);
	char name[128];

	if (read_key(s, line, len) < 0)
		return -1;
	about = s->about;
	if (read_path(s, line, &about) < 0)
		return -1;
	trim_text(&quote, &len);
	if (s->bad[0] != '\0' && strstr(line, s->bad) != NULL) {
		tessera_tileset_or(&source->known, &about);
		if (!tessera_tileset_subset(&about, &source->bad))
			sn_component_remark(source, "%s: %.*s",
					    sn_component_name(s->p, &about, name, sizeof(name)),
					    (int)utf8_cut(quote, len, QUOTE_LEN), quote);
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
		return tessera_error_set(
			s->err, TESSERA_ERR_INPUT,
			"tessera.conf does not say which text of snconfig means a bad tile: set "
			"SnconfigBad or SnconfigGood");
	for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		s->number++;
		if ((size_t)(end - text) >= sizeof(line))
			return set_parse_error(s, "too long");
		memcpy(line, text, (size_t)(end - text));
		line[end - text] = '\0';
		if (read_line(s, line) < 0)
			return -1;
	}
	s->number++;
	if (*text != '\0')
		return set_parse_error(s, "incomplete: the output may have been cut");
	if (tessera_tileset_empty(&s->source->known))
		return set_parse_error(s,
				       "the end, and no tile was found, or none that SnconfigBad "
				       "or SnconfigGood matches");
	return 0;
}

int snconfig_read(const char *text, const struct tessera_platform *p, const char *bad,
		  const char *good, struct tessera_health_source *source, struct tessera_error *err)
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
