/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/state/ledger_internal.h"
#include "lib/util/utf8.h"

static const struct {
	const char *name;
	enum tessera_row_state state;
} states[] = {
	{"held", TESSERA_ROW_HELD},
	{"short", TESSERA_ROW_SHORT},
	{"refused", TESSERA_ROW_REFUSED},
	{"withheld", TESSERA_ROW_WITHHELD},
};

#define STATES (sizeof(states) / sizeof(states[0]))

/* Writing */

static const char *state_name(enum tessera_row_state state)
{
	for (size_t i = 0; i < STATES; i++)
		if (states[i].state == state)
			return states[i].name;
	return "unknown";
}

/* BUF has LEDGER_TILES_MAX bytes. */
static const char *format_tiles(const struct tessera_ledger *ledger,
				const struct tessera_tileset *tiles, char *buf)
{
	size_t len = tessera_tileset_format(&ledger->platform, tiles, TESSERA_FORM_TILES, buf,
					    LEDGER_TILES_MAX);

	return len > 0 ? buf : "-";
}

/* Steps read these only of a job that holds tiles. */
static void write_tasks(FILE *fp, const struct tessera_row *row)
{
	if (row->state != TESSERA_ROW_HELD)
		return;
	if (row->tasks != 0 && row->job_tasks != 0)
		fprintf(fp, " tasks %u of %u", row->tasks, row->job_tasks);
	if (row->own)
		fputs(" own", fp);
}

char *ledger_format(const struct tessera_ledger *ledger)
{
	char tiles[LEDGER_TILES_MAX], *text = NULL;
	size_t len = 0, step = 0;
	FILE *fp = open_memstream(&text, &len);
	bool failed;

	if (fp == NULL)
		return NULL;
	fprintf(fp, LEDGER_TITLE "%s\n", ledger->platform.name);
	for (size_t i = 0; i < ledger->row_count; i++) {
		const struct tessera_row *row = &ledger->rows[i];

		fprintf(fp, "job %u uid %u state %s restarts %u tiles %s", row->job, row->uid,
			state_name(row->state), row->restarts,
			format_tiles(ledger, &row->tiles, tiles));
		write_tasks(fp, row);
		if (row->since != 0)
			fprintf(fp, " since %ju", (uintmax_t)row->since);
		fprintf(fp, " text %s\n", row->text[0] != '\0' ? row->text : "-");
		for (; step < ledger->step_count && ledger->steps[step].job == row->job; step++) {
			const struct tessera_step_row *s = &ledger->steps[step];

			fprintf(fp, "step %u.%u pid %jd start %ju tiles %s\n", s->job, s->step,
				(intmax_t)s->pid, (uintmax_t)s->start,
				format_tiles(ledger, &s->tiles, tiles));
		}
	}
	fprintf(fp, "end %zu\n", ledger->row_count + ledger->step_count);
	failed = ferror(fp) != 0;
	if (fclose(fp) != 0 || failed) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Reading */

struct lines {
	const char *name;     /* of the file, for messages */
	const char *at, *end; /* the unread rest of the line */
	const char *next;     /* the next line */
	const char *limit;    /* the end of the text */
	unsigned number;      /* of the line, from 1 */
	struct tessera_error *err;
};

__attribute__((format(printf, 2, 3))) static int set_damaged(const struct lines *in,
							     const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tessera_error_set(
		in->err, TESSERA_ERR_INPUT,
		"%s:%u: %s: stop this node's jobs and their leftover processes, remove the file "
		"and restart slurmd",
		in->name, in->number, what);
}

/* A row breaks the rules; or memory is short, and then the file is not damaged. */
static int set_refused(const struct lines *in, const struct tessera_error *why)
{
	if (why->code == TESSERA_ERR_NOMEM)
		return tessera_error_set(in->err, why->code, "%s", why->text);
	return set_damaged(in, "%s", why->text);
}

static int read_line(struct lines *in)
{
	in->number++;
	if (in->next == in->limit)
		return set_damaged(in, "the file is truncated: its last line \"end\" is missing");
	in->at = in->next;
	in->end = memchr(in->at, '\n', (size_t)(in->limit - in->at));
	if (in->end == NULL)
		return set_damaged(in, "the file is truncated: this line has no newline");
	in->next = in->end + 1;
	return 0;
}

/* Each skip_ or read_ function advances past what it has read, or returns false. */

static bool skip_word(struct lines *in, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len) != 0)
		return false;
	in->at += len;
	return true;
}

/* A number has one spelling: no sign, no spaces, no leading zeros. */
static bool read_number(struct lines *in, uint64_t max, uint64_t *number)
{
	const char *start = in->at;
	uint64_t n = 0;

	for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
		uint64_t digit = (uint64_t)(*in->at - '0');

		if (n > (max - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*number = n;
	return in->at > start && (start[0] != '0' || in->at == start + 1);
}

static bool read_u32(struct lines *in, uint32_t *number)
{
	uint64_t n;

	if (!read_number(in, UINT32_MAX, &n))
		return false;
	*number = (uint32_t)n;
	return true;
}

static bool read_state(struct lines *in, enum tessera_row_state *state)
{
	for (size_t i = 0; i < STATES; i++)
		if (skip_word(in, states[i].name)) {
			*state = states[i].state;
			return true;
		}
	return false;
}

/* A set has one spelling, too: formatting it again must give the same text. */
static bool read_tiles(struct lines *in, const struct tessera_ledger *ledger,
		       struct tessera_tileset *tiles)
{
	const char *end = memchr(in->at, ' ', (size_t)(in->end - in->at));
	size_t len = (size_t)((end != NULL ? end : in->end) - in->at);
	char text[LEDGER_TILES_MAX], again[LEDGER_TILES_MAX];

	tessera_tileset_clear(tiles);
	if (len >= sizeof(text) || memchr(in->at, '\0', len) != NULL)
		return false;
	memcpy(text, in->at, len);
	text[len] = '\0';
	in->at += len;
	if (strcmp(text, "-") == 0)
		return true;
	return tessera_tileset_parse(&ledger->platform, text, tiles, NULL) == 0 &&
	       strcmp(format_tiles(ledger, tiles, again), text) == 0;
}

/* Unknown counts are omitted, never written as zeros; a ledger of an older release has none. */
static bool read_tasks(struct lines *in, struct tessera_row *row)
{
	if (row->state != TESSERA_ROW_HELD)
		return true;
	if (skip_word(in, " tasks ") &&
	    (!read_u32(in, &row->tasks) || row->tasks == 0 || !skip_word(in, " of ") ||
	     !read_u32(in, &row->job_tasks) || row->job_tasks == 0))
		return false;
	row->own = skip_word(in, " own");
	return true;
}

/* Omitted if unknown, never written as zero. */
static bool read_since(struct lines *in, uint64_t *since)
{
	return !skip_word(in, " since ") || (read_number(in, UINT64_MAX, since) && *since != 0);
}

/* The rest of the line. */
static bool read_text(struct lines *in, char *text, size_t size)
{
	size_t len = (size_t)(in->end - in->at);

	if (len == 0 || len >= size)
		return false;
	memcpy(text, in->at, len);
	text[len] = '\0';
	if (strlen(text) != len || !utf8_is_clean(text))
		return false;
	if (strcmp(text, "-") == 0)
		text[0] = '\0';
	in->at = in->end;
	return true;
}

/* Is the next line the last, and does it count no rows? */
static bool has_no_rows(const struct lines *in)
{
	static const char last[] = "end 0\n";

	return (size_t)(in->limit - in->next) == strlen(last) &&
	       memcmp(in->next, last, strlen(last)) == 0;
}

/*
 * The platform may have been renamed since the file was written. A ledger without rows does not
 * depend on the platform; the next commit writes the new name.
 */
static int read_title(struct lines *in, const struct tessera_ledger *ledger)
{
	size_t len;

	if (read_line(in) < 0)
		return -1;
	if (!skip_word(in, LEDGER_TITLE))
		return set_damaged(in, "not a ledger of format 1");
	len = (size_t)(in->end - in->at);
	if (len == strlen(ledger->platform.name) && memcmp(in->at, ledger->platform.name, len) == 0)
		return 0;
	if (len == 0 || len >= TESSERA_NAME_MAX || strspn(in->at, TEXT_NAME_CHARS) != len)
		return set_damaged(in, "not a valid platform name");
	if (has_no_rows(in))
		return 0;
	return set_damaged(in, "the ledger has jobs on tiles of platform %.*s, but this node is %s",
			   (int)len, in->at, ledger->platform.name);
}

/* "job " has been read. */
static int read_job(struct lines *in, struct tessera_ledger *ledger)
{
	const struct tessera_row *last = tessera_ledger_row(ledger, ledger->row_count - 1);
	struct tessera_error err = {0};
	struct tessera_row row = {0};

	if (!read_u32(in, &row.job) || !skip_word(in, " uid ") || !read_u32(in, &row.uid) ||
	    !skip_word(in, " state ") || !read_state(in, &row.state) ||
	    !skip_word(in, " restarts ") || !read_u32(in, &row.restarts) ||
	    !skip_word(in, " tiles ") || !read_tiles(in, ledger, &row.tiles) ||
	    !read_tasks(in, &row) || !read_since(in, &row.since) || !skip_word(in, " text ") ||
	    !read_text(in, row.text, sizeof(row.text)))
		return set_damaged(in, "not a valid job row");
	if (last != NULL && !ledger_row_before(last, &row))
		return set_damaged(in, "job %u must not follow job %u", row.job, last->job);
	if (ledger_check_row(ledger, &row, &err) < 0 || ledger_insert_row(ledger, &row, &err) < 0)
		return set_refused(in, &err);
	return 0;
}

/* "step " has been read. */
static int read_step(struct lines *in, struct tessera_ledger *ledger)
{
	const struct tessera_row *job = tessera_ledger_row(ledger, ledger->row_count - 1);
	const struct tessera_step_row *last =
		tessera_ledger_step_row(ledger, ledger->step_count - 1);
	struct tessera_step_row row = {0};
	struct tessera_error err = {0};
	uint64_t pid = 0;

	if (!read_u32(in, &row.job) || !skip_word(in, ".") || !read_u32(in, &row.step) ||
	    !skip_word(in, " pid ") || !read_number(in, INT32_MAX, &pid) ||
	    !skip_word(in, " start ") || !read_number(in, UINT64_MAX, &row.start) ||
	    !skip_word(in, " tiles ") || !read_tiles(in, ledger, &row.tiles) || in->at < in->end)
		return set_damaged(in, "not a valid step row");
	row.pid = (pid_t)pid;
	if (job == NULL || job->job != row.job || job->state == TESSERA_ROW_WITHHELD)
		return set_damaged(in, "step %u.%u does not follow its job", row.job, row.step);
	if (last != NULL && last->job == row.job && row.step <= last->step)
		return set_damaged(in, "step %u.%u must not follow step %u.%u", row.job, row.step,
				   last->job, last->step);
	if (ledger_check_step(ledger, &row, &err) < 0 || ledger_insert_step(ledger, &row, &err) < 0)
		return set_refused(in, &err);
	return 0;
}

/* "end " has been read. */
static int read_end(struct lines *in, const struct tessera_ledger *ledger)
{
	size_t rows = ledger->row_count + ledger->step_count;
	uint64_t count = 0;

	if (!read_number(in, TESSERA_LEDGER_ROWS_MAX, &count) || in->at < in->end)
		return set_damaged(in, "cannot parse the number of rows after \"end\"");
	if (count != rows)
		return set_damaged(in, "the file has %zu rows, but \"end\" counts %ju", rows,
				   (uintmax_t)count);
	if (in->next < in->limit) {
		in->number++;
		return set_damaged(in, "unexpected text after \"end\"");
	}
	return 0;
}

int ledger_parse(struct tessera_ledger *ledger, const char *name, const char *text, size_t len,
		 struct tessera_error *err)
{
	struct lines in = {.name = name, .next = text, .limit = text + len, .err = err};
	int rc = read_title(&in, ledger);

	while (rc == 0) {
		if (read_line(&in) < 0)
			return -1;
		if (skip_word(&in, "end "))
			return read_end(&in, ledger);
		if (skip_word(&in, "job "))
			rc = read_job(&in, ledger);
		else if (skip_word(&in, "step "))
			rc = read_step(&in, ledger);
		else
			rc = set_damaged(&in, "neither a row nor \"end\"");
	}
	return rc;
}
