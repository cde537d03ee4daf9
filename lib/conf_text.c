/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <confuse.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/conf_parts.h"

#define LISTED_MAX 24 /* keys in a sentence; a vipu block has fewer */

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
	return tessera_error_set(r->err, TESSERA_ERR_MISSING, "%s: there is no memory left to read it", r->name);
}

/* Before libconfuse */

/* Nothing that a terminal would act upon when it stands in a sentence, and no NUL, after which nothing is read. */
static int check_plain(struct reading *r, const char *text, size_t len)
{
	int line = 1;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			return conf_fail_at(r, line,
					    "there is a control character (number %d): this is not plain text", c);
		if (c == '\n')
			line++;
	}
	return 0;
}

/*
 * The end of the string that starts at P, or NULL. It must be on the same line: libconfuse would complain of a
 * forgotten quote at the end of the file. Its escapes could bring back the control characters.
 */
static char *end_of_string(struct reading *r, char *p, int line)
{
	char *end = p + 1 + strcspn(p + 1, "\n\\\"'");

	while (*end != *p && (*end == '"' || *end == '\''))
		end += 1 + strcspn(end + 1, "\n\\\"'");
	if (*end == *p)
		return end;
	if (*end == '\\')
		conf_fail_at(r, line, "there is a backslash in a string: it has no meaning here, leave it out");
	else
		conf_fail_at(r, line, "a string is not closed with %c on its line", *p);
	return NULL;
}

/*
 * Blanks out comments, because libconfuse 3.3 counts three lines for each, and refuses what it would read in ways
 * that nobody expects: it drops * and +, and takes the end of the file for the end of a comment or a block.
 */
static int prepare(struct reading *r, char *text)
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
			p = end_of_string(r, p, line);
			if (p == NULL)
				return -1;
		} else if (*p == '/' && !in_word && (p[1] == '/' || p[1] == '*')) {
			/* Only where a word starts: http://host is one word. */
			return conf_fail_at(r, line, "\"/%c\" does not start a comment: write #", p[1]);
		} else if (*p == '*' || *p == '+') {
			return conf_fail_at(r, line, "a \"%c\" can only stand in a string: put \"...\" around it",
					    *p);
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

/* libconfuse would replace ${X} by the environment's X, which this library may not read. Comments are gone. */
static int refuse_environment(struct reading *r, const char *text)
{
	const char *at = strstr(text, "${");
	int line = 1;

	if (at == NULL)
		return 0;
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return conf_fail_at(r, line, "${...} is not replaced by anything: write the value itself");
}

/* With libconfuse */

/*
 * libconfuse calls back without a pointer for the caller's own things, so the reading under way is kept here, from
 * the start to the end of cfg_parse_buf(). Nothing else in the library is static and changes.
 */
static _Thread_local struct reading *under_way;

/* Does the line LINE of the file have WORD in it, whatever the case? */
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
 * libconfuse SAID the title of a second block, in quotes, but not where the first is, nor of which kind they are, which the line of the
 * second one usually does.
 */
static void fail_duplicate(struct reading *r, int line, char *said)
{
	const struct block *first = NULL;
	char *title = strchr(said, '\''), *end = strrchr(said, '\'');

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
		conf_fail_at(r, line, "%s %.80s is described twice: line %d has it already",
			     conf_block_names[first->kind], title, first->line);
	*end = '\'';
}

/* libconfuse's complaint. It does not say which keys there are, so that is added where it misses one. */
__attribute__((format(printf, 2, 0))) static void on_error(cfg_t *cfg, const char *fmt, va_list ap)
{
	char text[400];
	int used = vsnprintf(text, sizeof(text), fmt, ap);
	const char *before = ": known here are ";

	if (strstr(fmt, "duplicate title '%s'") != NULL)
		fail_duplicate(under_way, cfg->line, text);
	if (strstr(fmt, "no such option") == NULL)
		before = NULL;
	/* More than one can take in: the manual has them in order. */
	if (before != NULL && cfg_num(cfg) > LISTED_MAX && used >= 0 && used < (int)sizeof(text)) {
		snprintf(text + used, sizeof(text) - (size_t)used, ": tessera.conf(5) lists all there are");
		before = NULL;
	}
	for (unsigned i = 0; before != NULL && i < cfg_num(cfg) && used >= 0 && used < (int)sizeof(text); i++) {
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s", before, cfg->opts[i].name);
		before = ", ";
	}
	conf_fail_at(under_way, cfg->line, "%s", text);
}

static int on_value(cfg_t *cfg, cfg_opt_t *opt)
{
	struct reading *r = under_way;
	bool outside = cfg == r->root;
	struct block *b = outside ? &r->settings : &r->open;
	size_t k = 0;

	while (k < conf_key_count && (strcmp(conf_block_names[conf_keys[k].block], cfg_name(cfg)) != 0 ||
				      strcmp(conf_keys[k].name, opt->name) != 0))
		k++;
	/* "platform=a|Xrdus" would reach from outside into a block that is closed. */
	if (k == conf_key_count)
		return conf_fail_at(r, cfg->line, "%s can only be set in its block", opt->name);
	if (b->value[k].text != NULL)
		return conf_fail_at(r, cfg->line, "%s is set twice: line %d has it already", opt->name,
				    b->value[k].line);
	b->value[k].text = cfg_opt_getstr(opt);
	b->value[k].line = cfg->line;
	/* While a block is read, the file's own line stays where the block began. */
	if (!outside)
		b->line = r->root->line;
	return 0;
}

static int on_block(cfg_t *cfg, cfg_opt_t *opt)
{
	struct reading *r = under_way;
	struct block *more = realloc(r->blocks, (r->count + 1) * sizeof(*more));

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

/* libconfuse's view of the table: all values are texts, and all blocks have a title. */
static cfg_t *new_parser(void)
{
	cfg_opt_t opts[BLOCK_KINDS][CONF_KEYS_MAX + BLOCK_KINDS + 1];
	unsigned used[BLOCK_KINDS] = {0};

	memset(opts, 0, sizeof(opts));
	for (size_t k = 0; k < conf_key_count; k++) {
		enum block_kind b = conf_keys[k].block;

		opts[b][used[b]++] = (cfg_opt_t){
			.name = conf_keys[k].name, .type = CFGT_STR, .flags = CFGF_NODEFAULT, .validcb = on_value};
	}
	for (int b = PLATFORM; b < BLOCK_KINDS; b++)
		opts[ROOT][used[ROOT]++] = (cfg_opt_t){.name = conf_block_names[b],
						       .type = CFGT_SEC,
						       .flags = CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES,
						       .subopts = opts[b],
						       .validcb = on_block};
	return cfg_init(opts[ROOT], CFGF_NOCASE);
}

static int parse(struct reading *r, const char *text)
{
	int rc;

	r->root = new_parser();
	if (r->root == NULL)
		return conf_fail_memory(r);
	cfg_set_error_function(r->root, on_error);
	under_way = r;
	r->text = text;
	rc = cfg_parse_buf(r->root, text);
	under_way = NULL;
	if (rc != CFG_SUCCESS && !r->failed)
		return conf_fail_at(r, r->root->line, "this cannot be read");
	return rc == CFG_SUCCESS && !r->failed ? 0 : -1;
}

int conf_text_read(struct reading *r, char *text, size_t len)
{
	if (check_plain(r, text, len) < 0 || prepare(r, text) < 0 || refuse_environment(r, text) < 0)
		return -1;
	return parse(r, text);
}

void conf_text_free(struct reading *r)
{
	if (r->root != NULL)
		cfg_free(r->root);
	free(r->blocks);
}
