/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars in a terminal: how long each row's accelerators were held, and how much of that they were used.
 */
#include "config.h"

#include <string.h>

#include "gres/report.h"

uint64_t report_held(const struct report_series *series, const struct usage_row *row)
{
	if (series->what == REPORT_TILES)
		return row->seconds.tiles;
	return series->what == REPORT_IPUS ? row->seconds.ipus : row->seconds.pools[series->pool];
}

uint64_t report_used(const struct report_series *series, const struct usage_row *row)
{
	if (series->what == REPORT_TILES)
		return row->used_tiles;
	return series->what == REPORT_IPUS ? row->used_ipus : TESSERA_UNKNOWN;
}

size_t report_series(const struct report *report, struct report_series *series)
{
	const struct usage_held *total = &report->total->seconds;
	const struct tessera_pool *pool;
	size_t count = 0;

	if (total->tiles != 0)
		series[count++] = (struct report_series){"tile-hours", REPORT_TILES, 0};
	if (total->ipus != 0)
		series[count++] = (struct report_series){"IPU-hours", REPORT_IPUS, 0};
	for (size_t n = 0; n < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(report->conf, n)) != NULL; n++) {
		if (total->pools[n] == 0)
			continue;
		series[count] = (struct report_series){"", REPORT_POOL, n};
		snprintf(series[count].title, sizeof(series[count].title), "%s-hours", pool->name);
		count++;
	}
	return count;
}

uint64_t report_largest(const struct report *report, const struct report_series *series)
{
	uint64_t largest = 1;

	for (size_t n = 0; n < report->count; n++) {
		uint64_t held = report_held(series, report->rows[n]);

		if (held != TESSERA_UNKNOWN && held > largest)
			largest = held;
	}
	return largest;
}

const char *report_name(const struct report *report, const struct usage_row *row)
{
	const char *name = NULL;

	switch (report->by) {
	case USAGE_BY_USER:
		name = row->user;
		break;
	case USAGE_BY_ACCOUNT:
		name = row->account;
		break;
	case USAGE_BY_JOB:
		name = row->job;
		break;
	case USAGE_BY_DAY:
		name = row->day;
		break;
	case USAGE_BY_NODE:
		name = row->node;
		break;
	}
	return name != NULL && *name != '\0' ? name : "-";
}

static void print_cells(FILE *out, const char *cell, unsigned count)
{
	for (; count > 0; count--)
		fputs(cell, out);
}

/* How many of WIDTH cells PART of ALL fills; what is not nothing is seen. */
static unsigned cells(uint64_t part, uint64_t all, unsigned width)
{
	unsigned filled = (unsigned)((double)part / (double)all * width + 0.5);

	if (part > 0 && filled == 0)
		filled = 1;
	return filled < width ? filled : width;
}

static void print_bar(FILE *out, uint64_t held, uint64_t used, uint64_t largest, unsigned width, bool unicode)
{
	unsigned all = cells(held, largest, width), busy;

	if (used == TESSERA_UNKNOWN) {
		print_cells(out, unicode ? "\u2592" : "=", all);
	} else {
		busy = cells(used, largest, width);
		busy = busy < all ? busy : all;
		print_cells(out, unicode ? "\u2588" : "#", busy);
		print_cells(out, unicode ? "\u2591" : "-", all - busy);
	}
	fprintf(out, " %.2f\n", (double)held / 3600);
}

static void print_series(const struct report *report, const struct report_series *series, FILE *out, unsigned width,
			 bool unicode)
{
	uint64_t largest = report_largest(report, series);
	int name_width = 0, number_width = snprintf(NULL, 0, " %.2f", (double)largest / 3600);
	unsigned room;

	for (size_t n = 0; n < report->count; n++) {
		int len = (int)strnlen(report_name(report, report->rows[n]), 40);

		name_width = len > name_width ? len : name_width;
	}
	room = width > (unsigned)(name_width + 2 + number_width) + 10
		       ? width - (unsigned)(name_width + 2 + number_width)
		       : 10;
	fprintf(out, "%s\n", series->title);
	for (size_t n = 0; n < report->count; n++) {
		uint64_t held = report_held(series, report->rows[n]);

		fprintf(out, "%-*.40s  ", name_width, report_name(report, report->rows[n]));
		if (held == TESSERA_UNKNOWN)
			fputs("unknown\n", out);
		else
			print_bar(out, held, report_used(series, report->rows[n]), largest, room, unicode);
	}
	fputc('\n', out);
}

void report_chart(const struct report *report, FILE *out, unsigned width, bool unicode)
{
	struct report_series series[REPORT_SERIES_MAX];
	size_t count = report_series(report, series);

	for (size_t n = 0; n < count; n++)
		print_series(report, &series[n], out, width, unicode);
	if (count > 0)
		fprintf(out, "held: %s used, %s not used, %s use unknown\n", unicode ? "\u2588" : "#",
			unicode ? "\u2591" : "-", unicode ? "\u2592" : "=");
}
