/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of the commands, based on libsmartcols: plain for a person, --raw, --json, --csv, with
 * the columns of -o. tilemap_colour() decides whether there are colours.
 */
#ifndef TESSERA_TABLE_H
#define TESSERA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/util/error.h"

/* A TABLE_NUMBER is aligned to the right, and is a number in JSON. */
enum table_kind { TABLE_TEXT, TABLE_NUMBER };

struct table_column {
	const char *name;  /* in -o, JSON and CSV: lower case, a stable interface */
	const char *title; /* in the header of a plain table */
	enum table_kind kind;
	bool usual; /* shown by default */
};

enum table_form { TABLE_PLAIN, TABLE_RAW, TABLE_JSON, TABLE_CSV };

struct table; /* being filled */

/*
 * Make a table. COLUMNS has COUNT elements and must outlive the table. CHOSEN is the argument of -o
 * ("user,jobs"; "+wait" adds to the default columns), or NULL; JSON and CSV have all columns unless
 * -o names some. Returns NULL with ERR; if a column is unknown, with TESSERA_ERR_USAGE and a list
 * of the columns. Free the table with table_free().
 */
struct table *table_new(const struct table_column *columns, size_t count, const char *chosen,
			enum table_form form, const char *json_name, struct tessera_error *err);

/*
 * Add a row, then set its cells; COLUMN is an index in COLUMNS. NULL is unknown: "-" in plain and
 * raw form, null in JSON, empty in CSV. Return 0, or -1; the first two with ERR.
 */
int table_row(struct table *table, struct tessera_error *err);
int table_set(struct table *table, size_t column, const char *text, struct tessera_error *err);
int table_set_colour(struct table *table, size_t column, const char *colour);

/* As table_set(), for a number; and for a TEXT that is unknown if it is empty. */
int table_set_number(struct table *table, size_t column, uint64_t number,
		     struct tessera_error *err);
int table_set_text(struct table *table, size_t column, const char *text, struct tessera_error *err);

/*
 * Let a plain table that is too wide omit these COUNT columns, in this order, as many as necessary;
 * unless -o chose columns. COLUMNS is not copied and must outlive the table.
 */
void table_spare(struct table *table, const size_t *columns, size_t count);

/* The width of OUT: that of the terminal, otherwise 80. */
unsigned table_width(FILE *out);

/*
 * Print the table; on a terminal, long texts are wrapped to its width. JSON is a list of objects: [
 * {...}, ... ]. An empty table is its header line, or []. Returns 0, or -1 with ERR.
 */
int table_print(struct table *table, FILE *out, struct tessera_error *err);
void table_free(struct table *table);

#endif /* TESSERA_TABLE_H */
