/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of tessera report. JSON and CSV have seconds, a plain table has hours; the names of the
 * columns are a stable interface.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command/view/report.h"

enum value {
	USER,
	ACCOUNT,
	JOB,
	JOBS,
	RDU_SECONDS,
	TILE_SECONDS,
	IPU_SECONDS,
	USED_TILE_SECONDS,
	USED_IPU_SECONDS,
	WAIT_SECONDS,
	DAY,
	NODE,
	KNOWN_TILE_SECONDS,
	KNOWN_USED_TILE_SECONDS,
	KNOWN_IPU_SECONDS,
	KNOWN_USED_IPU_SECONDS,
	OUTSIDE_TILE_SECONDS,
	MACHINE_VALUES, /* up to here: seconds of pools follow */
	WAIT = MACHINE_VALUES,
	RDU_HOURS,
	TILE_HOURS,
	IPU_HOURS,
	USED_TILE_HOURS,
	USED_IPU_HOURS,
	TILE_EFFICIENCY,
	TILE_KNOWN,
	IPU_EFFICIENCY,
	IPU_KNOWN,
	OUTSIDE_TILE_HOURS,
	VALUES,
	POOL_SECONDS = VALUES,
	POOL_HOURS = POOL_SECONDS + TESSERA_POOLS_MAX,
};

static const struct table_column columns[VALUES] = {
	[USER] = {"user", "USER", TABLE_TEXT, false},
	[ACCOUNT] = {"account", "ACCOUNT", TABLE_TEXT, false},
	[JOB] = {"job", "JOB", TABLE_TEXT, false},
	[JOBS] = {"jobs", "JOBS", TABLE_NUMBER, true},
	[RDU_SECONDS] = {"rdu_seconds", "RDU-S", TABLE_NUMBER, false},
	[TILE_SECONDS] = {"tile_seconds", "TILE-S", TABLE_NUMBER, false},
	[IPU_SECONDS] = {"ipu_seconds", "IPU-S", TABLE_NUMBER, false},
	[USED_TILE_SECONDS] = {"used_tile_seconds", "USED-TILE-S", TABLE_NUMBER, false},
	[USED_IPU_SECONDS] = {"used_ipu_seconds", "USED-IPU-S", TABLE_NUMBER, false},
	[WAIT_SECONDS] = {"wait_seconds", "WAIT-S", TABLE_NUMBER, false},
	[DAY] = {"day", "DAY", TABLE_TEXT, false},
	[NODE] = {"node", "NODE", TABLE_TEXT, false},
	[KNOWN_TILE_SECONDS] = {"known_tile_seconds", "KNOWN-TILE-S", TABLE_NUMBER, false},
	[KNOWN_USED_TILE_SECONDS] = {"known_used_tile_seconds", "KNOWN-USED-TILE-S", TABLE_NUMBER,
				     false},
	[KNOWN_IPU_SECONDS] = {"known_ipu_seconds", "KNOWN-IPU-S", TABLE_NUMBER, false},
	[KNOWN_USED_IPU_SECONDS] = {"known_used_ipu_seconds", "KNOWN-USED-IPU-S", TABLE_NUMBER,
				    false},
	[OUTSIDE_TILE_SECONDS] = {"outside_tile_seconds", "OUTSIDE-TILE-S", TABLE_NUMBER, false},
	[WAIT] = {"wait", "WAIT", TABLE_TEXT, true},
	[RDU_HOURS] = {"rdu_hours", "RDU-H", TABLE_NUMBER, false},
	[TILE_HOURS] = {"tile_hours", "TILE-H", TABLE_NUMBER, false},
	[IPU_HOURS] = {"ipu_hours", "IPU-H", TABLE_NUMBER, false},
	[USED_TILE_HOURS] = {"used_tile_hours", "USED-TILE-H", TABLE_NUMBER, false},
	[USED_IPU_HOURS] = {"used_ipu_hours", "USED-IPU-H", TABLE_NUMBER, false},
	[TILE_EFFICIENCY] = {"tile_efficiency", "TILE-EFF%", TABLE_NUMBER, false},
	[TILE_KNOWN] = {"tile_known", "OF-TILE%", TABLE_NUMBER, false},
	[IPU_KNOWN] = {"ipu_known", "OF-IPU%", TABLE_NUMBER, false},
	[IPU_EFFICIENCY] = {"ipu_efficiency", "IPU-EFF%", TABLE_NUMBER, false},
	[OUTSIDE_TILE_HOURS] = {"outside_tile_hours", "OUTSIDE-TILE-H", TABLE_NUMBER, false},
};

/* The columns of this report, including those of its pools. */
struct layout {
	struct table_column columns[VALUES + 2 * TESSERA_POOLS_MAX];
	/* An enum value; for pools POOL_SECONDS or POOL_HOURS plus the index of the pool. */
	unsigned value[VALUES + 2 * TESSERA_POOLS_MAX];
	size_t count;
	char names[2 * TESSERA_POOLS_MAX][TESSERA_NAME_MAX + 8];
	char titles[2 * TESSERA_POOLS_MAX][TESSERA_NAME_MAX + 8];
	/* The columns of JSON and CSV, as an argument of -o. */
	char machine[1024 + TESSERA_POOLS_MAX * (TESSERA_NAME_MAX + 9)];
};

static void seconds_text(uint64_t seconds, char *buf, size_t len)
{
	snprintf(buf, len, "%llu", (unsigned long long)seconds);
}

static bool number_text(uint64_t seconds, bool hours, char *buf, size_t len)
{
	if (seconds == TESSERA_UNKNOWN)
		return false;
	if (hours)
		snprintf(buf, len, "%.2f", (double)seconds / 3600);
	else
		seconds_text(seconds, buf, len);
	return true;
}

/* The mean wait in the format of Slurm's commands. */
static bool wait_text(const struct tessera_usage_row *row, char *buf, size_t len)
{
	unsigned long long mean;
	int used = 0;

	if (row->wait == TESSERA_UNKNOWN || row->jobs == 0)
		return false;
	mean = row->wait / row->jobs;
	if (mean >= 86400)
		used = snprintf(buf, len, "%llu-", mean / 86400);
	snprintf(buf + used, len - (size_t)used, "%02llu:%02llu:%02llu", mean / 3600 % 24,
		 mean / 60 % 60, mean % 60);
	return true;
}

static bool percent_text(uint64_t used, uint64_t held, char *buf, size_t len)
{
	if (used == TESSERA_UNKNOWN || held == TESSERA_UNKNOWN || held == 0)
		return false;
	snprintf(buf, len, "%.0f", 100 * (double)used / (double)held);
	return true;
}

static bool time_text(const struct tessera_usage_row *row, unsigned value, char *buf, size_t len)
{
	switch (value) {
	case RDU_SECONDS:
	case RDU_HOURS:
		return number_text(row->seconds.rdus, value == RDU_HOURS, buf, len);
	case TILE_SECONDS:
	case TILE_HOURS:
		return number_text(row->seconds.tiles, value == TILE_HOURS, buf, len);
	case IPU_SECONDS:
	case IPU_HOURS:
		return number_text(row->seconds.ipus, value == IPU_HOURS, buf, len);
	case USED_TILE_SECONDS:
	case USED_TILE_HOURS:
		return number_text(row->used_tiles, value == USED_TILE_HOURS, buf, len);
	case USED_IPU_SECONDS:
	case USED_IPU_HOURS:
		return number_text(row->used_ipus, value == USED_IPU_HOURS, buf, len);
	case KNOWN_TILE_SECONDS:
		return number_text(row->known_tiles, false, buf, len);
	case KNOWN_USED_TILE_SECONDS:
		return number_text(row->known_used_tiles, false, buf, len);
	case KNOWN_IPU_SECONDS:
		return number_text(row->known_ipus, false, buf, len);
	case KNOWN_USED_IPU_SECONDS:
		return number_text(row->known_used_ipus, false, buf, len);
	case OUTSIDE_TILE_SECONDS:
	case OUTSIDE_TILE_HOURS:
		return number_text(row->outside_known > 0 ? row->outside : TESSERA_UNKNOWN,
				   value == OUTSIDE_TILE_HOURS, buf, len);
	case TILE_EFFICIENCY:
		return percent_text(row->known_used_tiles, row->known_tiles, buf, len);
	case TILE_KNOWN:
		return percent_text(row->known_tiles, row->seconds.tiles, buf, len);
	case IPU_KNOWN:
		return percent_text(row->known_ipus, row->seconds.ipus, buf, len);
	case IPU_EFFICIENCY:
		return percent_text(row->known_used_ipus, row->known_ipus, buf, len);
	default:
		break;
	}
	if (value >= POOL_HOURS)
		return number_text(row->seconds.pools[value - POOL_HOURS], true, buf, len);
	return number_text(row->seconds.pools[value - POOL_SECONDS], false, buf, len);
}

/* The text of a cell, perhaps in BUF; NULL if it is unknown. */
static const char *cell_text(const struct tessera_usage_row *row, unsigned value, char *buf,
			     size_t len)
{
	switch (value) {
	case USER:
		return row->user;
	case ACCOUNT:
		return row->account;
	case JOB:
		return row->job;
	case DAY:
		return row->day;
	case NODE:
		return row->node;
	case JOBS:
		seconds_text(row->jobs, buf, len);
		return buf;
	case WAIT:
		return wait_text(row, buf, len) ? buf : NULL;
	case WAIT_SECONDS:
		return number_text(row->wait, false, buf, len) ? buf : NULL;
	default:
		return time_text(row, value, buf, len) ? buf : NULL;
	}
}

static void layout_add(struct layout *layout, unsigned value, const struct table_column *column,
		       bool usual)
{
	layout->columns[layout->count] = *column;
	layout->columns[layout->count].usual = usual;
	layout->value[layout->count++] = value;
}

static void layout_add_pool(struct layout *layout, size_t n, const char *name, bool hours,
			    bool usual)
{
	size_t own = hours ? n + TESSERA_POOLS_MAX : n;
	struct table_column column = {layout->names[own], layout->titles[own], TABLE_NUMBER, false};
	char *title = layout->titles[own];

	snprintf(layout->names[own], sizeof(layout->names[own]), "%s_%s", name,
		 hours ? "hours" : "seconds");
	snprintf(title, sizeof(layout->titles[own]), "%s-%s", name, hours ? "H" : "S");
	for (; *title != '\0'; title++)
		*title = (char)toupper((unsigned char)*title);
	layout_add(layout, (hours ? POOL_HOURS : POOL_SECONDS) + (unsigned)n, &column, usual);
}

/* Is the column shown by default? Not if no job held the resource. */
static bool is_usual(const struct report *report, unsigned value)
{
	const struct tessera_usage_row *total = report->total;
	bool empty = report->count == 0, tiles = empty || total->seconds.tiles != 0;
	bool ipus = empty || total->seconds.ipus != 0;

	switch (value) {
	case USER:
		return report->by == TESSERA_USAGE_BY_USER || report->by == TESSERA_USAGE_BY_JOB;
	case ACCOUNT:
		return report->by == TESSERA_USAGE_BY_ACCOUNT || report->by == TESSERA_USAGE_BY_JOB;
	case JOB:
		return report->by == TESSERA_USAGE_BY_JOB;
	case DAY:
		return report->by == TESSERA_USAGE_BY_DAY;
	case NODE:
		return report->by == TESSERA_USAGE_BY_NODE;
	case RDU_HOURS:
	case TILE_HOURS:
	case USED_TILE_HOURS:
	case TILE_EFFICIENCY:
	case TILE_KNOWN:
		return tiles;
	case IPU_HOURS:
	case USED_IPU_HOURS:
	case IPU_EFFICIENCY:
	case IPU_KNOWN:
		return ipus;
	case OUTSIDE_TILE_HOURS:
		return total->outside != 0;
	default:
		return columns[value].usual;
	}
}

/* Add the columns other than those of pools, from left to right. */
static void layout_add_values(const struct report *report, struct layout *layout)
{
	static const unsigned first[] = {DAY,
					 NODE,
					 JOB,
					 USER,
					 ACCOUNT,
					 JOBS,
					 WAIT,
					 RDU_HOURS,
					 TILE_HOURS,
					 USED_TILE_HOURS,
					 TILE_EFFICIENCY,
					 TILE_KNOWN,
					 IPU_HOURS,
					 USED_IPU_HOURS,
					 IPU_EFFICIENCY,
					 IPU_KNOWN,
					 OUTSIDE_TILE_HOURS};
	bool added[VALUES] = {false};

	for (size_t n = 0; n < sizeof(first) / sizeof(first[0]); n++) {
		layout_add(layout, first[n], &columns[first[n]], is_usual(report, first[n]));
		added[first[n]] = true;
	}
	/* The others are seconds, in the order of JSON and CSV. */
	for (unsigned value = 0; value < VALUES; value++)
		if (!added[value])
			layout_add(layout, value, &columns[value], is_usual(report, value));
}

static void layout_make(const struct report *report, struct layout *layout)
{
	const struct tessera_pool *pool;
	size_t used = 0;

	memset(layout, 0, sizeof(*layout));
	layout_add_values(report, layout);
	for (size_t n = 0; n < MACHINE_VALUES; n++)
		used += (size_t)snprintf(layout->machine + used, sizeof(layout->machine) - used,
					 "%s%s", n > 0 ? "," : "", columns[n].name);
	for (size_t n = 0;
	     n < TESSERA_POOLS_MAX && (pool = tessera_conf_pool_at(report->conf, n)) != NULL; n++) {
		layout_add_pool(layout, n, pool->name, true, report->total->seconds.pools[n] != 0);
		layout_add_pool(layout, n, pool->name, false, false);
		used += (size_t)snprintf(layout->machine + used, sizeof(layout->machine) - used,
					 ",%s", layout->names[n]);
	}
}

static int add_row(struct table *table, const struct layout *layout,
		   const struct tessera_usage_row *row, struct tessera_error *err)
{
	char buf[32];

	if (table_row(table, err) < 0)
		return -1;
	for (size_t n = 0; n < layout->count; n++) {
		if (table_set(table, n, cell_text(row, layout->value[n], buf, sizeof(buf)), err) <
		    0)
			return -1;
	}
	return 0;
}

/* The last row of a plain table. */
static int add_total(struct table *table, const struct layout *layout, const struct report *report,
		     struct tessera_error *err)
{
	static const char *const word = "total";
	struct tessera_usage_row row = *report->total;

	row.user = report->by == TESSERA_USAGE_BY_USER ? word : NULL;
	row.account = report->by == TESSERA_USAGE_BY_ACCOUNT ? word : NULL;
	row.job = report->by == TESSERA_USAGE_BY_JOB ? word : NULL;
	row.day = report->by == TESSERA_USAGE_BY_DAY ? word : NULL;
	row.node = report->by == TESSERA_USAGE_BY_NODE ? word : NULL;
	return add_row(table, layout, &row, err);
}

/*
 * List the columns that a narrow table omits, in this order: they can be computed from other
 * columns, or are elsewhere in the output. The column that identifies the row is never one of them.
 * Returns their number.
 */
static size_t spare_columns(const struct layout *layout, enum tessera_usage_by by, size_t *spare)
{
	static const unsigned order[] = {
		USED_IPU_HOURS, USED_TILE_HOURS, RDU_HOURS, OUTSIDE_TILE_HOURS, WAIT, ACCOUNT,
		JOBS,           IPU_KNOWN,       TILE_KNOWN};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		for (size_t n = 0; n < layout->count; n++)
			if (layout->value[n] == order[i] &&
			    (order[i] != ACCOUNT || by != TESSERA_USAGE_BY_ACCOUNT))
				spare[count++] = n;
	return count;
}

int report_table(const struct report *report, const char *chosen, enum table_form form, FILE *out,
		 struct tessera_error *err)
{
	bool machine = form == TABLE_JSON || form == TABLE_CSV;
	size_t spare[VALUES];
	struct layout layout;
	struct table *table;
	int rc = 0;

	layout_make(report, &layout);
	table = table_new(layout.columns, layout.count,
			  chosen == NULL && machine ? layout.machine : chosen, form, "report", err);
	if (table == NULL)
		return -1;
	table_spare(table, spare, spare_columns(&layout, report->by, spare));
	for (size_t n = 0; rc == 0 && n < report->count; n++)
		rc = add_row(table, &layout, report->rows[n], err);
	if (rc == 0 && form == TABLE_PLAIN && report->count > 1)
		rc = add_total(table, &layout, report, err);
	if (rc == 0)
		rc = table_print(table, out, err);
	table_free(table);
	return rc;
}
