/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of tessera report, and its output as table, chart and SVG image.
 */
#ifndef TESSERA_REPORT_H
#define TESSERA_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "command/view/table.h"
#include "lib/account/usage.h"
#include "lib/conf/conf.h"
#include "lib/util/error.h"

struct report {
	const struct tessera_conf *conf;
	enum tessera_usage_by by;
	time_t start, end;
	const struct tessera_usage_row **rows;
	size_t count;
	const struct tessera_usage_row *total; /* of all rows; each job counts once */
};

/* One kind of accelerator in a chart. */
struct report_series {
	char title[TESSERA_NAME_MAX + 16];
	enum { REPORT_TILES, REPORT_IPUS, REPORT_POOL } what;
	size_t pool;
};

#define REPORT_SERIES_MAX (2 + TESSERA_POOLS_MAX)

/* Set SERIES to those of which jobs held something: tiles, IPUs, pools. Returns their number. */
size_t report_series(const struct report *report, struct report_series *series);

/* Seconds for which a row held accelerators of SERIES; TESSERA_UNKNOWN if unknown. */
uint64_t report_held(const struct report_series *series, const struct tessera_usage_row *row);

/* The seconds that a row held, in three parts. */
struct report_parts {
	uint64_t used;
	uint64_t idle;    /* held and sampled, but not used */
	uint64_t unknown; /* held but not sampled, or held by jobs whose use is unknown */
};

/*
 * Divide HELD, the seconds that ROW held, which must be known. The parts add up to HELD; used /
 * (used + idle) is the efficiency in the table.
 */
struct report_parts report_parts(const struct report_series *series,
				 const struct tessera_usage_row *row, uint64_t held);

/* The largest known number of seconds in a series, at least 1. */
uint64_t report_largest(const struct report *report, const struct report_series *series);

/* The user, account, job, day or node of a row. Never NULL. */
const char *report_name(const struct report *report, const struct tessera_usage_row *row);

/* Print the table. CHOSEN and FORM are those of table_new(). Returns 0, or -1 with ERR. */
int report_table(const struct report *report, const char *chosen, enum table_form form, FILE *out,
		 struct tessera_error *err);

/* Print bars that fill WIDTH columns; UNICODE: of block characters, otherwise of ASCII. */
void report_chart(const struct report *report, FILE *out, unsigned width, bool unicode);

/* Write an SVG image without external resources. Returns 0, or -1 with ERR. */
int report_svg(const struct report *report, const char *path, struct tessera_error *err);

#endif /* TESSERA_REPORT_H */
