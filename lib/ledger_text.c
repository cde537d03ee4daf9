/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_parts.h"
#include "lib/text.h"

#define TITLE "tessera-ledger 1 "

static const struct {
	const char *name;
	enum tessera_row_state state;
} states[] = {
	{"held", TESSERA_ROW_HELD},
	{"short", TESSERA_ROW_SHORT},
	{"refused", TESSERA_ROW_REFUSED},
	{"stale", TESSERA_ROW_STALE},
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

static const char *tiles_text(const struct tessera_ledger *ledger, const struct tessera_tileset *tiles, char *buf)
{
	size_t len = tessera_tileset_format(&ledger->platform, tiles, TESSERA_FORM_TILES, buf, LEDGER_TILES_MAX);

	return len > 0 ? buf : "-";
}

/* Only those who hold tiles have steps that share them out. */
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
	fprintf(fp, TITLE "%s\n", ledger->platform.name);
	for (size_t i = 0; i < ledger->row_count; i++) {
		const struct tessera_row *row = &ledger->rows[i];

		fprintf(fp, "job %u uid %u state %s restarts %u tiles %s", row->job, row->uid,
			state_name(row->state), row->restarts, tiles_text(ledger, &row->tiles, tiles));
		write_tasks(fp, row);
		if (row->since != 0)
			fprintf(fp, " since %ju", (uintmax_t)row->since);
		fprintf(fp, " text %s\n", row->text[0] != '\0' ? row->text : "-");
		for (; step < ledger->step_count && ledger->steps[step].job == row->job; step++) {
			const struct tessera_step_row *s = &ledger->steps[step];

			fprintf(fp, "step %u.%u pid %jd start %ju tiles %s\n", s->job, s->step, (intmax_t)s->pid,
				(uintmax_t)s->start, tiles_text(ledger, &s->tiles, tiles));
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
	const char *name;
	const char *at, *end; /* what is left of the line */
	const char *next;     /* the next line */
	const char *limit;
	unsigned number;
	struct tessera_error *err;
};

__attribute__((format(printf, 2, 3))) static int damaged(const struct lines *in, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tessera_error_set(in->err, TESSERA_ERR_INPUT,
				 "%s:%u: %s: stop the jobs of this node and all that they left running, remove the "
				 "file and restart slurmd",
				 in->name, in->number, what);
}

/* A row breaks the rules, or there is no memory for it, which is not the file's fault. */
static int refused(const struct lines *in, const struct tessera_error *why)
{
	if (why->code == TESSERA_ERR_MISSING)
		return tessera_error_set(in->err, why->code, "%s", why->text);
	return damaged(in, "%s", why->text);
}

static int next_line(struct lines *in)
{
	in->number++;
	if (in->next == in->limit)
		return damaged(in, "the file was cut, its last line \"end\" is missing");
	in->at = in->next;
	in->end = memchr(in->at, '\n', (size_t)(in->limit - in->at));
	if (in->end == NULL)
		return damaged(in, "the file was cut, this line has no end");
	in->next = in->end + 1;
	return 0;
}

/* Each takes_ function goes on behind what it has read; false if it is not there. */

static bool takes(struct lines *in, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len) != 0)
		return false;
	in->at += len;
	return true;
}

/* One way to write a number: no sign, no blanks, no zeros before it. */
static bool takes_number(struct lines *in, uint64_t max, uint64_t *number)
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

static bool takes_u32(struct lines *in, uint32_t *number)
{
	uint64_t n;

	if (!takes_number(in, UINT32_MAX, &n))
		return false;
	*number = (uint32_t)n;
	return true;
}

static bool takes_state(struct lines *in, enum tessera_row_state *state)
{
	for (size_t i = 0; i < STATES; i++)
		if (takes(in, states[i].name)) {
			*state = states[i].state;
			return true;
		}
	return false;
}

/* One way to write a set, too: a set that is read must be written again as it was. */
static bool takes_tiles(struct lines *in, const struct tessera_ledger *ledger, struct tessera_tileset *tiles)
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
	       strcmp(tiles_text(ledger, tiles, again), text) == 0;
}

/* What is not known is not written, and never as zeros; a ledger of an older release has none. */
static bool takes_tasks(struct lines *in, struct tessera_row *row)
{
	if (row->state != TESSERA_ROW_HELD)
		return true;
	if (takes(in, " tasks ") && (!takes_u32(in, &row->tasks) || row->tasks == 0 || !takes(in, " of ") ||
				     !takes_u32(in, &row->job_tasks) || row->job_tasks == 0))
		return false;
	row->own = takes(in, " own");
	return true;
}

/* Most rows have none: nothing is written then, and never a zero. */
static bool takes_since(struct lines *in, uint64_t *since)
{
	return !takes(in, " since ") || (takes_number(in, UINT64_MAX, since) && *since != 0);
}

/* All that is left. */
static bool takes_text(struct lines *in, char *text, size_t size)
{
	size_t len = (size_t)(in->end - in->at);

	if (len == 0 || len >= size)
		return false;
	memcpy(text, in->at, len);
	text[len] = '\0';
	if (strlen(text) != len || !text_is_clean(text))
		return false;
	if (strcmp(text, "-") == 0)
		text[0] = '\0';
	in->at = in->end;
	return true;
}

/* Nothing but the last line is left, and it counts no rows. */
static bool is_empty(const struct lines *in)
{
	static const char last[] = "end 0\n";

	return (size_t)(in->limit - in->next) == strlen(last) && memcmp(in->next, last, strlen(last)) == 0;
}

/*
 * The platform may have got another name since the file was written. Without rows nothing in it depends on the platform;
 * what is written next has the new name.
 */
static int read_title(struct lines *in, const struct tessera_ledger *ledger)
{
	size_t len;

	if (next_line(in) < 0)
		return -1;
	if (!takes(in, TITLE))
		return damaged(in, "this is no ledger of format 1");
	len = (size_t)(in->end - in->at);
	if (len == strlen(ledger->platform.name) && memcmp(in->at, ledger->platform.name, len) == 0)
		return 0;
	if (len == 0 || len >= TESSERA_NAME_MAX || strspn(in->at, TEXT_NAME_CHARS) != len)
		return damaged(in, "this is no name of a platform");
	if (is_empty(in))
		return 0;
	return damaged(in, "the ledger has jobs on tiles of platform %.*s, but this node is of %s", (int)len,
		       in->at, ledger->platform.name);
}

/* "job " has been read. */
static int read_job(struct lines *in, struct tessera_ledger *ledger)
{
	const struct tessera_row *last = tessera_ledger_row(ledger, ledger->row_count - 1);
	struct tessera_error err = {0};
	struct tessera_row row = {0};

	if (!takes_u32(in, &row.job) || !takes(in, " uid ") || !takes_u32(in, &row.uid) || !takes(in, " state ") ||
	    !takes_state(in, &row.state) || !takes(in, " restarts ") || !takes_u32(in, &row.restarts) ||
	    !takes(in, " tiles ") || !takes_tiles(in, ledger, &row.tiles) || !takes_tasks(in, &row) ||
	    !takes_since(in, &row.since) || !takes(in, " text ") || !takes_text(in, row.text, sizeof(row.text)))
		return damaged(in, "this is no row of a job");
	if (last != NULL && !ledger_row_before(last, &row))
		return damaged(in, "job %u stands after job %u", row.job, last->job);
	if (ledger_check_row(ledger, &row, &err) < 0 || ledger_insert_row(ledger, &row, &err) < 0)
		return refused(in, &err);
	return 0;
}

/* "step " has been read. */
static int read_step(struct lines *in, struct tessera_ledger *ledger)
{
	const struct tessera_row *job = tessera_ledger_row(ledger, ledger->row_count - 1);
	const struct tessera_step_row *last = tessera_ledger_step_row(ledger, ledger->step_count - 1);
	struct tessera_step_row row = {0};
	struct tessera_error err = {0};
	uint64_t pid = 0;

	if (!takes_u32(in, &row.job) || !takes(in, ".") || !takes_u32(in, &row.step) || !takes(in, " pid ") ||
	    !takes_number(in, INT32_MAX, &pid) || !takes(in, " start ") ||
	    !takes_number(in, UINT64_MAX, &row.start) || !takes(in, " tiles ") ||
	    !takes_tiles(in, ledger, &row.tiles) || in->at < in->end)
		return damaged(in, "this is no row of a step");
	row.pid = (pid_t)pid;
	if (job == NULL || job->job != row.job || job->state == TESSERA_ROW_STALE)
		return damaged(in, "step %u.%u does not stand after its job", row.job, row.step);
	if (last != NULL && last->job == row.job && row.step <= last->step)
		return damaged(in, "step %u.%u stands after step %u.%u", row.job, row.step, last->job, last->step);
	if (ledger_check_step(ledger, &row, &err) < 0 || ledger_insert_step(ledger, &row, &err) < 0)
		return refused(in, &err);
	return 0;
}

/* "end " has been read. */
static int read_end(struct lines *in, const struct tessera_ledger *ledger)
{
	size_t rows = ledger->row_count + ledger->step_count;
	uint64_t count = 0;

	if (!takes_number(in, TESSERA_LEDGER_ROWS_MAX, &count) || in->at < in->end)
		return damaged(in, "the number of rows after \"end\" cannot be read");
	if (count != rows)
		return damaged(in, "there are %zu rows, but there should be %ju", rows, (uintmax_t)count);
	if (in->next < in->limit) {
		in->number++;
		return damaged(in, "something stands after \"end\"");
	}
	return 0;
}

int ledger_parse(struct tessera_ledger *ledger, const char *name, const char *text, size_t len,
		 struct tessera_error *err)
{
	struct lines in = {.name = name, .next = text, .limit = text + len, .err = err};
	int rc = read_title(&in, ledger);

	while (rc == 0) {
		if (next_line(&in) < 0)
			return -1;
		if (takes(&in, "end "))
			return read_end(&in, ledger);
		if (takes(&in, "job "))
			rc = read_job(&in, ledger);
		else if (takes(&in, "step "))
			rc = read_step(&in, ledger);
		else
			rc = damaged(&in, "this is neither a row nor \"end\"");
	}
	return rc;
}
