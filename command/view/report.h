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
	const struct tessera_usage_row *total; /* in which each job counts once */
};

/* One kind of accelerator in a chart. */
struct report_series {
	char title[TESSERA_NAME_MAX + 16];
	enum { REPORT_TILES, REPORT_IPUS, REPORT_POOL } what;
	size_t pool;
};

#define REPORT_SERIES_MAX (2 + TESSERA_POOLS_MAX)

/* The series of which there is something: tiles, IPUs, pools. Returns their number. */
size_t report_series(const struct report *report, struct report_series *series);

/* Seconds that a row held of it; TESSERA_UNKNOWN if that is not known. */
uint64_t report_held(const struct report_series *series, const struct tessera_usage_row *row);

/* Where the seconds went that a row held: their sum is what it held. */
struct report_parts {
	uint64_t used;
	uint64_t idle;    /* held while samples looked, and not used */
	uint64_t unknown; /* held while no sample looked, and of jobs whose use is unknown */
};

/*
 * All of a row's HELD seconds, which must be known. used / (used + idle) is the efficiency that the
 * table has.
 */
struct report_parts report_parts(const struct report_series *series,
				 const struct tessera_usage_row *row, uint64_t held);

/* The largest known number of a series, at least 1. */
uint64_t report_largest(const struct report *report, const struct report_series *series);

/* What a row is of: a user, an account, a job, a day, a node. Never NULL. */
const char *report_name(const struct report *report, const struct tessera_usage_row *row);

/* CHOSEN as table_new() has it. Returns 0, or -1 with ERR. */
int report_table(const struct report *report, const char *chosen, enum table_form form, FILE *out,
		 struct tessera_error *err);

/* Bars that fill WIDTH columns, of block characters if UNICODE says so. */
void report_chart(const struct report *report, FILE *out, unsigned width, bool unicode);

/* Write an SVG image without external resources. Returns 0, or -1 with ERR. */
int report_svg(const struct report *report, const char *path, struct tessera_error *err);

#endif /* TESSERA_REPORT_H */
