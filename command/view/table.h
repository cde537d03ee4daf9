/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the commands, over libsmartcols: a person's table, --raw, --json, --csv, columns chosen
 * with -o. Colours as tilemap_colour() has it.
 */
#ifndef TESSERA_TABLE_H
#define TESSERA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/util/error.h"

enum table_kind { TABLE_TEXT, TABLE_NUMBER }; /* a number is one in JSON, and stands at the right */

struct table_column {
	const char *name;  /* in -o, JSON and CSV: lower case, a stable interface */
	const char *title; /* in the header of a plain table */
	enum table_kind kind;
	bool usual; /* shown by default */
};

enum table_form { TABLE_PLAIN, TABLE_RAW, TABLE_JSON, TABLE_CSV };

struct table; /* under way */

/*
 * COLUMNS has COUNT of them and must outlive the table. CHOSEN is what -o says ("user,jobs",
 * "+wait" adds to the usual ones), or NULL; JSON and CSV have all columns unless -o names some.
 * Returns NULL with ERR: TESSERA_ERR_USAGE and a list of the columns there are when one is unknown.
 * To be freed with table_free().
 */
struct table *table_new(const struct table_column *columns, size_t count, const char *chosen,
			enum table_form form, const char *json_name, struct tessera_error *err);

/*
 * A new row, and then its cells by the column's number. NULL is unknown: "-" for a person, null in
 * JSON, empty in CSV.
 */
int table_row(struct table *table, struct tessera_error *err);
int table_set(struct table *table, size_t column, const char *text, struct tessera_error *err);
int table_set_colour(struct table *table, size_t column, const char *colour);

/*
 * A person's table that is too wide for its reader goes without these COUNT columns, the first
 * first, as far as needed; not if some were chosen with -o. COLUMNS is kept, not copied.
 */
void table_spare(struct table *table, const size_t *columns, size_t count);

/* The width of OUT: the terminal's, or 80. */
unsigned table_width(FILE *out);

/*
 * Print it, on a terminal with long texts wrapped to its width. JSON is a list of objects: [ {...},
 * ... ]. An empty table has its head line, or [].
 */
int table_print(struct table *table, FILE *out, struct tessera_error *err);
void table_free(struct table *table);

#endif /* TESSERA_TABLE_H */
