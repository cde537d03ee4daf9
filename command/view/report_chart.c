/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars in a terminal: how long each row's accelerators were held, and how much of that they were
 * used, idle, or not sampled.
 */
#include "config.h"

#include <string.h>

#include "command/view/report.h"

uint64_t report_held(const struct report_series *series, const struct tessera_usage_row *row)
{
	if (series->what == REPORT_TILES)
		return row->seconds.tiles;
	return series->what == REPORT_IPUS ? row->seconds.ipus : row->seconds.pools[series->pool];
}

struct report_parts report_parts(const struct report_series *series,
				 const struct tessera_usage_row *row, uint64_t held)
{
	uint64_t known = 0, used = 0;

	if (series->what == REPORT_TILES) {
		known = row->known_tiles;
		used = row->known_used_tiles;
	} else if (series->what == REPORT_IPUS) {
		known = row->known_ipus;
		used = row->known_used_ipus;
	}
	/* Sums that overflowed are unknown; pools that are only counted are never sampled. */
	if (known == TESSERA_UNKNOWN || used == TESSERA_UNKNOWN)
		known = 0;
	if (known > held)
		known = held;
	if (used > known)
		used = known;
	return (struct report_parts){.used = used, .idle = known - used, .unknown = held - known};
}

size_t report_series(const struct report *report, struct report_series *series)
{
	const struct tessera_usage_held *total = &report->total->seconds;
	const struct tessera_pool *pool;
	size_t count = 0;

	if (total->tiles != 0)
		series[count++] = (struct report_series){"tile-hours", REPORT_TILES, 0};
	if (total->ipus != 0)
		series[count++] = (struct report_series){"IPU-hours", REPORT_IPUS, 0};
	for (size_t n = 0;
	     n < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(report->conf, n)) != NULL; n++) {
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

const char *report_name(const struct report *report, const struct tessera_usage_row *row)
{
	const char *name = NULL;

	switch (report->by) {
	case TESSERA_USAGE_BY_USER:
		name = row->user;
		break;
	case TESSERA_USAGE_BY_ACCOUNT:
		name = row->account;
		break;
	case TESSERA_USAGE_BY_JOB:
		name = row->job;
		break;
	case TESSERA_USAGE_BY_DAY:
		name = row->day;
		break;
	case TESSERA_USAGE_BY_NODE:
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

/* The number of WIDTH cells for PART of ALL: at least one if PART is not 0. */
static unsigned cells(uint64_t part, uint64_t all, unsigned width)
{
	unsigned filled = (unsigned)((double)part / (double)all * width + 0.5);

	if (part > 0 && filled == 0)
		filled = 1;
	return filled < width ? filled : width;
}

/* The character for each part of a bar. */
struct pen {
	const char *used, *idle, *unknown;
};

static struct pen pen_of(bool unicode)
{
	if (unicode)
		return (struct pen){"\u2588", "\u2591", "\u00b7"};
	return (struct pen){"#", "-", "?"};
}

/*
 * The cells of the first of two parts that share COUNT cells. Each part that is not 0 gets at least
 * one, if there are two cells.
 */
static unsigned divide(uint64_t first, uint64_t second, unsigned count)
{
	unsigned part = first > 0 ? cells(first, first + second, count) : 0;

	if (second > 0 && part == count && count > 1)
		part--;
	return part;
}

static void print_bar(FILE *out, const struct report_parts *parts, uint64_t largest, unsigned width,
		      const struct pen *pen)
{
	uint64_t known = parts->used + parts->idle, held = known + parts->unknown;
	unsigned all = cells(held, largest, width), looked = divide(known, parts->unknown, all);
	unsigned busy = divide(parts->used, parts->idle, looked);

	print_cells(out, pen->used, busy);
	print_cells(out, pen->idle, looked - busy);
	print_cells(out, pen->unknown, all - looked);
	fprintf(out, " %.2f\n", (double)held / 3600);
}

static void print_series(const struct report *report, const struct report_series *series, FILE *out,
			 unsigned width, const struct pen *pen)
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
		struct report_parts parts;

		fprintf(out, "%-*.40s  ", name_width, report_name(report, report->rows[n]));
		if (held == TESSERA_UNKNOWN) {
			fputs("unknown\n", out);
			continue;
		}
		parts = report_parts(series, report->rows[n], held);
		print_bar(out, &parts, largest, room, pen);
	}
	fputc('\n', out);
}

void report_chart(const struct report *report, FILE *out, unsigned width, bool unicode)
{
	struct report_series series[REPORT_SERIES_MAX];
	size_t count = report_series(report, series);
	struct pen pen = pen_of(unicode);

	for (size_t n = 0; n < count; n++)
		print_series(report, &series[n], out, width, &pen);
	if (count > 0)
		fprintf(out, "held: %s used, %s not used, %s unknown (not sampled)\n", pen.used,
			pen.idle, pen.unknown);
}
