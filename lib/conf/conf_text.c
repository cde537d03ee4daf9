/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <confuse.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/conf/conf_internal.h"
#include "lib/util/array.h"
#include "lib/util/strbuf.h"

#define LISTED_MAX 24 /* keys listed in a message; only the file itself has more */

int conf_fail_at(struct reading *r, int line, const char *fmt, ...)
{
	char text[sizeof(((struct tessera_error *)NULL)->text)];
	va_list ap;

	if (r->failed)
		return -1;
	r->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tessera_error_set(r->err, TESSERA_ERR_INPUT, "%s:%d: %s", r->name, line, text);
}

int conf_fail_memory(struct reading *r)
{
	r->failed = true;
	return tessera_error_nomem(r->err);
}

/* Checks before libconfuse parses the text */

/*
 * Reject control characters, which would act on a terminal when a message quotes them, and NUL,
 * which would end the text early.
 */
static int check_plain(struct reading *r, const char *text, size_t len)
{
	int line = 1;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			return conf_fail_at(
				r, line, "contains a control character (number %d): not plain text",
				c);
		if (c == '\n')
			line++;
	}
	return 0;
}

/*
 * The end of the string that starts at P, or NULL with r->err. It must be on the same line, because
 * libconfuse would report a missing quote only at the end of the file. Escapes are not allowed,
 * because they could produce control characters.
 */
static char *find_string_end(struct reading *r, char *p, int line)
{
	char *end = p + 1 + strcspn(p + 1, "\n\\\"'");

	while (*end != *p && (*end == '"' || *end == '\''))
		end += 1 + strcspn(end + 1, "\n\\\"'");
	if (*end == *p)
		return end;
	if (*end == '\\')
		conf_fail_at(r, line,
			     "backslash in a string: escapes are not supported, leave it out");
	else
		conf_fail_at(r, line, "a string is not closed with %c on its line", *p);
	return NULL;
}

/*
 * Replace comments by spaces, because libconfuse 3.3 counts three lines for each. Reject syntax
 * that libconfuse reads in unexpected ways: it ignores * and +, and accepts the end of the file as
 * the end of a comment or block.
 */
static int prepare_text(struct reading *r, char *text)
{
	bool in_word = false;
	int depth = 0, opened = 0;
	int line = 1;

	for (char *p = text; *p != '\0'; p++) {
		if (*p == '#') {
			size_t len = strcspn(p, "\n");

			memset(p, ' ', len);
			p += len - 1;
		} else if (*p == '"' || *p == '\'') {
			p = find_string_end(r, p, line);
			if (p == NULL)
				return -1;
		} else if (*p == '/' && !in_word && (p[1] == '/' || p[1] == '*')) {
			/* Only at the start of a word: http://host is one word. */
			return conf_fail_at(r, line, "\"/%c\" does not start a comment: write #",
					    p[1]);
		} else if (*p == '*' || *p == '+') {
			return conf_fail_at(
				r, line,
				"\"%c\" is allowed only in a string: put \"...\" around it", *p);
		} else if (*p == '{') {
			if (depth++ == 0)
				opened = line;
		} else if (*p == '}' && depth > 0) {
			depth--;
		}
		in_word = strchr(" \t\r\n\"'={}(),", *p) == NULL;
		if (*p == '\n')
			line++;
	}
	return depth > 0 ? conf_fail_at(r, opened, "the { on this line is not closed with a }") : 0;
}

/*
 * libconfuse would expand ${X} from the environment, which this library must not read. TEXT has no
 * comments any more.
 */
static int reject_environment(struct reading *r, const char *text)
{
	const char *at = strstr(text, "${");
	int line = 1;

	if (at == NULL)
		return 0;
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return conf_fail_at(r, line, "${...} is not expanded: write the value itself");
}

/* Parsing with libconfuse */

/*
 * Set during cfg_parse_buf(), because libconfuse has no user pointer for callbacks. The only static
 * variable in libtessera that changes.
 */
static _Thread_local struct reading *reading_now;

/* Does line LINE of the file contain WORD, ignoring case? */
static bool line_has(const struct reading *r, int line, const char *word)
{
	const char *p = r->text, *end;

	while (--line > 0 && *p != '\0') {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	for (end = p + strcspn(p, "\n"); p < end; p++)
		if (strncasecmp(p, word, strlen(word)) == 0)
			return true;
	return false;
}

/*
 * libconfuse's MESSAGE quotes the title of the second block, but contains neither the kind of the
 * blocks nor the line of the first. The line of the second usually contains the kind.
 */
static void report_duplicate(struct reading *r, int line, char *message)
{
	const struct block *first = NULL;
	char *title = strchr(message, '\''), *end = strrchr(message, '\'');

	if (title == end)
		return;
	*end = '\0';
	title++;
	for (size_t i = 0; i < r->count; i++) {
		const struct block *b = &r->blocks[i];

		if (strcasecmp(b->title, title) == 0 &&
		    (first == NULL || line_has(r, line, conf_block_names[b->kind])))
			first = b;
	}
	if (first != NULL)
		conf_fail_at(r, line, "%s %.80s is defined twice: line %d has it already",
			     conf_block_names[first->kind], title, first->line);
	*end = '\'';
}

/* A list too long to read is replaced by a reference to the manual. */
static void put_known_keys(struct strbuf *s, cfg_t *cfg)
{
	unsigned count = cfg_num(cfg);

	if (count > LISTED_MAX) {
		strbuf_put(s, ": tessera.conf(5) lists all keys");
		return;
	}
	for (unsigned i = 0; i < count; i++)
		strbuf_put(s, "%s%s", i == 0 ? ": allowed here are " : ", ", cfg->opts[i].name);
}

/* libconfuse's messages do not list the keys that are allowed, so they are added here. */
__attribute__((format(printf, 2, 0))) static void on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	char message[400], text[600];
	struct strbuf s = strbuf_start(text, sizeof(text));

	vsnprintf(message, sizeof(message), fmt, ap);
	if (strstr(fmt, "duplicate title '%s'") != NULL)
		report_duplicate(reading_now, cfg->line, message);
	strbuf_put(&s, "%s", message);
	if (strstr(fmt, "no such option") != NULL)
		put_known_keys(&s, cfg);
	conf_fail_at(reading_now, cfg->line, "%s", text);
}

static int on_value(cfg_t *cfg, cfg_opt_t *opt)
{
	struct reading *r = reading_now;
	bool outside = cfg == r->root;
	struct block *b = outside ? &r->settings : &r->open;
	size_t k = 0;

	while (k < conf_key_count &&
	       (strcmp(conf_block_names[conf_keys[k].block], cfg_name(cfg)) != 0 ||
		strcmp(conf_keys[k].name, opt->name) != 0))
		k++;
	/* libconfuse accepts "platform=a|Xrdus" outside the block. */
	if (k == conf_key_count)
		return conf_fail_at(r, cfg->line, "%s can only be set in its block", opt->name);
	if (b->value[k].text != NULL)
		return conf_fail_at(r, cfg->line, "%s is set twice: line %d has it already",
				    opt->name, b->value[k].line);
	b->value[k].text = cfg_opt_getstr(opt);
	b->value[k].line = cfg->line;
	/* While libconfuse parses a block, root->line stays at its first line. */
	if (!outside)
		b->line = r->root->line;
	return 0;
}

static int on_block(cfg_t *cfg, cfg_opt_t *opt)
{
	struct reading *r = reading_now;
	struct block *more = array_grow(r->blocks, r->count, sizeof(*more));

	if (more == NULL)
		return conf_fail_memory(r);
	r->blocks = more;
	while (strcmp(conf_block_names[r->open.kind], opt->name) != 0)
		r->open.kind++;
	r->open.title = cfg_title(cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1));
	if (r->open.line == 0)
		r->open.line = cfg->line;
	r->blocks[r->count++] = r->open;
	memset(&r->open, 0, sizeof(r->open));
	return 0;
}

/* Create a libconfuse parser for conf_keys[]: all values are strings, all blocks have titles. */
static cfg_t *new_parser(void)
{
	cfg_opt_t opts[BLOCK_KINDS][CONF_KEYS_MAX + BLOCK_KINDS + 1];
	unsigned used[BLOCK_KINDS] = {0};

	memset(opts, 0, sizeof(opts));
	for (size_t k = 0; k < conf_key_count; k++) {
		enum block_kind b = conf_keys[k].block;

		opts[b][used[b]++] = (cfg_opt_t){.name = conf_keys[k].name,
						 .type = CFGT_STR,
						 .flags = CFGF_NODEFAULT,
						 .validcb = on_value};
	}
	for (int b = PLATFORM; b < BLOCK_KINDS; b++)
		opts[ROOT][used[ROOT]++] =
			(cfg_opt_t){.name = conf_block_names[b],
				    .type = CFGT_SEC,
				    .flags = CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES,
				    .subopts = opts[b],
				    .validcb = on_block};
	return cfg_init(opts[ROOT], CFGF_NOCASE);
}

static int parse_text(struct reading *r, const char *text)
{
	int rc;

	r->root = new_parser();
	if (r->root == NULL)
		return conf_fail_memory(r);
	cfg_set_error_function(r->root, on_error);
	reading_now = r;
	r->text = text;
	rc = cfg_parse_buf(r->root, text);
	reading_now = NULL;
	if (rc != CFG_SUCCESS && !r->failed)
		return conf_fail_at(r, r->root->line, "syntax error");
	return rc == CFG_SUCCESS && !r->failed ? 0 : -1;
}

int conf_text_read(struct reading *r, char *text, size_t len)
{
	if (check_plain(r, text, len) < 0 || prepare_text(r, text) < 0 ||
	    reject_environment(r, text) < 0)
		return -1;
	return parse_text(r, text);
}

void conf_text_free(struct reading *r)
{
	if (r->root != NULL)
		cfg_free(r->root);
	free(r->blocks);
}
