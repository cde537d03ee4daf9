/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/view/table.h"
#include "command/view/tilemap.h"
#include "lib/util/utf8.h"

struct table {
	const struct table_column *columns;
	size_t count;
	enum table_form form;
	struct libscols_table *scols;
	struct libscols_column **shown; /* for each of the columns; NULL if it is not shown */
	struct libscols_line *line;     /* the row being filled */
	bool chosen;                    /* by -o: print all of these columns */
	const size_t *spare;            /* columns to leave out if the line is too long, in order */
	size_t spare_count;
};

#define USUAL_WIDTH 80 /* of a line that is not for a terminal */
#define WRAP_MIN    16 /* the least width of a text column */

static int fail_nomem(struct tessera_error *err)
{
	return tessera_error_nomem(err);
}

static int unknown_column(const struct table *t, const char *name, size_t len,
			  struct tessera_error *err)
{
	char names[sizeof(err->text)] = "";
	size_t used = 0;

	for (size_t i = 0; i < t->count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i > 0 ? " " : "", t->columns[i].name);
	return tessera_error_set(err, TESSERA_ERR_USAGE, "unknown column '%.*s': use some of: %s",
				 len < 80 ? (int)len : 80, name, names);
}

/* Columns are shown in the order in which they are added here. */
static int show_column(struct table *t, size_t column, struct tessera_error *err)
{
	const struct table_column *c = &t->columns[column];
	bool person = t->form == TABLE_PLAIN;
	struct libscols_column *made;

	if (t->shown[column] != NULL)
		return tessera_error_set(err, TESSERA_ERR_USAGE, "column '%s' is chosen twice",
					 c->name);
	made = scols_table_new_column(t->scols, person || t->form == TABLE_RAW ? c->title : c->name,
				      0, c->kind == TABLE_NUMBER ? SCOLS_FL_RIGHT : 0);
	if (made == NULL)
		return fail_nomem(err);
	if (c->kind == TABLE_NUMBER && scols_column_set_json_type(made, SCOLS_JSON_NUMBER) != 0)
		return fail_nomem(err);
	t->shown[column] = made;
	return 0;
}

static int show_usual(struct table *t, bool all, struct tessera_error *err)
{
	for (size_t i = 0; i < t->count; i++)
		if ((all || t->columns[i].usual) && show_column(t, i, err) < 0)
			return -1;
	return 0;
}

static int show_named(struct table *t, const char *name, size_t len, struct tessera_error *err)
{
	for (size_t i = 0; i < t->count; i++)
		if (strlen(t->columns[i].name) == len &&
		    strncmp(t->columns[i].name, name, len) == 0)
			return show_column(t, i, err);
	return unknown_column(t, name, len, err);
}

static int show_chosen(struct table *t, const char *chosen, struct tessera_error *err)
{
	if (chosen == NULL)
		return show_usual(t, t->form == TABLE_JSON || t->form == TABLE_CSV, err);
	if (*chosen == '+') {
		chosen++;
		if (show_usual(t, false, err) < 0)
			return -1;
	}
	for (;;) {
		size_t len = strcspn(chosen, ",");

		if (show_named(t, chosen, len, err) < 0)
			return -1;
		if (chosen[len] == '\0')
			return 0;
		chosen += len + 1;
	}
}

static int set_form(struct table *t, const char *json_name)
{
	if (t->form == TABLE_JSON)
		return scols_table_enable_json(t->scols, 1) == 0
			       ? scols_table_set_name(t->scols, json_name)
			       : -1;
	return t->form == TABLE_RAW ? scols_table_enable_raw(t->scols, 1) : 0;
}

struct table *table_new(const struct table_column *columns, size_t count, const char *chosen,
			enum table_form form, const char *json_name, struct tessera_error *err)
{
	struct table *t = calloc(1, sizeof(*t));

	if (t == NULL) {
		fail_nomem(err);
		return NULL;
	}
	t->columns = columns;
	t->count = count;
	t->form = form;
	t->chosen = chosen != NULL;
	t->scols = scols_new_table();
	t->shown = calloc(count, sizeof(struct libscols_column *));
	if (t->scols == NULL || t->shown == NULL || set_form(t, json_name) != 0) {
		fail_nomem(err);
		goto failed;
	}
	if (show_chosen(t, chosen, err) < 0)
		goto failed;
	return t;
failed:
	table_free(t);
	return NULL;
}

/* The text of an unset cell. */
static const char *format_unknown(const struct table *t)
{
	return t->form == TABLE_PLAIN || t->form == TABLE_RAW ? "-" : NULL;
}

int table_row(struct table *t, struct tessera_error *err)
{
	t->line = scols_table_new_line(t->scols, NULL);
	if (t->line == NULL)
		return fail_nomem(err);
	for (size_t i = 0; i < t->count; i++)
		if (table_set(t, i, NULL, err) < 0)
			return -1;
	return 0;
}

int table_set(struct table *t, size_t column, const char *text, struct tessera_error *err)
{
	char *copy = NULL;

	if (t->shown[column] == NULL)
		return 0;
	if (text == NULL)
		text = format_unknown(t);
	if (text != NULL && (copy = strdup(text)) == NULL)
		return fail_nomem(err);
	/* A user's text must not send escape sequences to the terminal. */
	if (copy != NULL)
		utf8_clean(copy);
	if (scols_line_refer_column_data(t->line, t->shown[column], copy) != 0) {
		free(copy);
		return fail_nomem(err);
	}
	return 0;
}

int table_set_number(struct table *t, size_t column, uint64_t number, struct tessera_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return table_set(t, column, text, err);
}

int table_set_text(struct table *t, size_t column, const char *text, struct tessera_error *err)
{
	return table_set(t, column, text[0] != '\0' ? text : NULL, err);
}

int table_set_colour(struct table *t, size_t column, const char *colour)
{
	struct libscols_cell *cell;

	if (t->shown[column] == NULL)
		return 0;
	cell = scols_line_get_column_cell(t->line, t->shown[column]);
	return cell != NULL && scols_cell_set_color(cell, colour) == 0 ? 0 : -1;
}

static void print_csv_cell(FILE *out, const char *text)
{
	if (text[strcspn(text, "\",\r\n")] == '\0') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++)
		fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
	fputc('"', out);
}

/* Print the cells of LINE; LINE NULL: the names of the columns. */
static void print_line(struct table *t, FILE *out, struct libscols_line *line, char between)
{
	size_t columns = scols_table_get_ncols(t->scols);
	bool first = true;

	for (size_t i = 0; i < columns; i++) {
		struct libscols_column *column = scols_table_get_column(t->scols, i);
		const char *text;

		if (scols_column_is_hidden(column))
			continue;
		if (line != NULL)
			text = scols_cell_get_data(scols_line_get_column_cell(line, column));
		else
			text = scols_cell_get_data(scols_column_get_header(column));
		if (!first)
			fputc(between, out);
		first = false;
		print_csv_cell(out, text != NULL ? text : "");
	}
	fputc('\n', out);
}

static void print_csv(struct table *t, FILE *out)
{
	size_t lines = scols_table_get_nlines(t->scols);

	print_line(t, out, NULL, ',');
	for (size_t i = 0; i < lines; i++)
		print_line(t, out, scols_table_get_line(t->scols, i), ',');
}

/* libsmartcols prints {"name": [...]}; the stable interface is the list alone. */
static int print_json(struct table *t, FILE *out)
{
	char *text = NULL, *start, *end;

	if (scols_print_table_to_string(t->scols, &text) != 0)
		return -1;
	start = strchr(text, '[');
	end = strrchr(text, ']');
	if (start != NULL && end != NULL)
		fprintf(out, "%.*s\n", (int)(end + 1 - start), start);
	free(text);
	return start != NULL && end != NULL ? 0 : -1;
}

void table_spare(struct table *t, const size_t *columns, size_t count)
{
	t->spare = columns;
	t->spare_count = count;
}

unsigned table_width(FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return USUAL_WIDTH;
}

/* The number of characters: continuation bytes of UTF-8 do not count. */
static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; text != NULL && *text != '\0'; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* The width of a column: that of its widest cell or its title. 0 if it is not shown. */
static size_t column_width(struct table *t, size_t column)
{
	struct libscols_column *shown = t->shown[column];
	size_t lines = scols_table_get_nlines(t->scols), width;

	if (shown == NULL)
		return 0;
	width = count_characters(scols_cell_get_data(scols_column_get_header(shown)));
	for (size_t i = 0; i < lines; i++) {
		struct libscols_line *line = scols_table_get_line(t->scols, i);
		size_t len = count_characters(
			scols_cell_get_data(scols_line_get_column_cell(line, shown)));

		width = len > width ? len : width;
	}
	return width;
}

/* Width of a line, with a space between columns. WIDTHS: width of each column. */
static size_t line_width(const struct table *t, const size_t *widths)
{
	size_t sum = 0, shown = 0;

	for (size_t i = 0; i < t->count; i++) {
		sum += widths[i];
		shown += t->shown[i] != NULL;
	}
	return shown > 0 ? sum + shown - 1 : 0;
}

/* Omit columns until a line fits WIDTH. */
static int leave_out(struct table *t, size_t *widths, size_t width)
{
	for (size_t i = 0; i < t->spare_count && line_width(t, widths) > width; i++) {
		size_t column = t->spare[i];

		if (t->shown[column] == NULL)
			continue;
		if (scols_column_set_flags(t->shown[column],
					   scols_column_get_flags(t->shown[column]) |
						   SCOLS_FL_HIDDEN) != 0)
			return -1;
		t->shown[column] = NULL;
		widths[column] = 0;
	}
	return 0;
}

/*
 * Where to break TEXT, which is longer than ROOM bytes: at a space or after a comma if there is
 * one.
 */
static size_t line_end(const char *text, size_t room)
{
	size_t end = room;

	while (end > 0 && text[end] != ' ' && text[end - 1] != ',')
		end--;
	if (end > 0)
		return end;
	/* Do not break inside a character. */
	while (room > 1 && ((unsigned char)text[room] & 0xc0) == 0x80)
		room--;
	return room;
}

/* TEXT in lines of at most ROOM bytes, which the caller frees; NULL when out of memory. */
static char *wrap_text(const char *text, size_t room)
{
	/* Each line has at least one byte, and one more for its end. */
	char *copy = malloc(2 * strlen(text) + 1), *to = copy;

	while (copy != NULL && strlen(text) > room) {
		size_t end = line_end(text, room);

		memcpy(to, text, end);
		to += end;
		*to++ = '\n';
		text += end;
		text += strspn(text, " ");
	}
	if (copy != NULL)
		memcpy(to, text, strlen(text) + 1);
	return copy;
}

/* Wrap the cells of a column. */
static int wrap_column(struct table *t, size_t column, size_t room)
{
	struct libscols_column *shown = t->shown[column];
	size_t lines = scols_table_get_nlines(t->scols);

	if (scols_column_set_flags(shown, scols_column_get_flags(shown) | SCOLS_FL_WRAP) != 0 ||
	    scols_column_set_safechars(shown, "\n") != 0 ||
	    scols_column_set_wrapfunc(shown, scols_wrapnl_chunksize, scols_wrapnl_nextchunk,
				      NULL) != 0)
		return -1;
	for (size_t i = 0; i < lines; i++) {
		struct libscols_cell *cell =
			scols_line_get_column_cell(scols_table_get_line(t->scols, i), shown);
		const char *text = scols_cell_get_data(cell);
		char *copy = text != NULL ? wrap_text(text, room) : NULL;

		if (text != NULL && (copy == NULL || scols_cell_refer_data(cell, copy) != 0)) {
			free(copy);
			return -1;
		}
	}
	return 0;
}

/* The widest column of texts that can be made narrower; t->count if there is none. */
static size_t widest_text(const struct table *t, const size_t *widths)
{
	size_t found = t->count;

	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].kind == TABLE_TEXT && widths[i] > WRAP_MIN &&
		    (found == t->count || widths[i] > widths[found]))
			found = i;
	return found;
}

/* Make the widest text columns narrower until a line fits WIDTH, or none can be made narrower. */
static int wrap_columns(struct table *t, size_t *widths, size_t width)
{
	size_t total, widest;

	while ((total = line_width(t, widths)) > width &&
	       (widest = widest_text(t, widths)) < t->count) {
		size_t excess = total - width, slack = widths[widest] - WRAP_MIN;

		widths[widest] -= excess < slack ? excess : slack;
		if (wrap_column(t, widest, widths[widest]) < 0)
			return -1;
	}
	return 0;
}

/* Fit a plain table to the width of OUT. Texts are wrapped on a terminal only. */
static int fit_width(struct table *t, FILE *out)
{
	size_t *widths = calloc(t->count, sizeof(*widths)), width = table_width(out);
	int rc = widths != NULL ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < t->count; i++)
		widths[i] = column_width(t, i);
	if (rc == 0 && !t->chosen)
		rc = leave_out(t, widths, width);
	if (rc == 0 && isatty(fileno(out)))
		rc = wrap_columns(t, widths, width);
	free(widths);
	return rc;
}

int table_print(struct table *t, FILE *out, struct tessera_error *err)
{
	int rc = 0;

	scols_table_enable_colors(t->scols, tilemap_colour(out));
	if (t->form == TABLE_PLAIN && fit_width(t, out) < 0)
		return fail_nomem(err);
	if (t->form == TABLE_CSV)
		print_csv(t, out);
	else if (t->form == TABLE_JSON)
		rc = print_json(t, out);
	else if (scols_table_is_empty(t->scols))
		print_line(t, out, NULL, ' ');
	else if (scols_table_set_stream(t->scols, out) != 0)
		rc = -1;
	else
		rc = scols_print_table(t->scols);
	if (rc != 0)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "cannot print the table: %s",
					 strerror(errno));
	return 0;
}

void table_free(struct table *t)
{
	if (t == NULL)
		return;
	scols_unref_table(t->scols);
	free(t->shown);
	free(t);
}
