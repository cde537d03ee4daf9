/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/account/usage.h"

struct tessera_usage {
	enum tessera_usage_by by;
	time_t start, end, now;
	time_t *days; /* by day: when they begin; the last is not before end */
	size_t day_count;
	void *tree; /* of struct owned_row */
	size_t rows;
	struct tessera_usage_row total;
};

/* A row and the copies of its strings. */
struct owned_row {
	struct tessera_usage_row row; /* first: compare_rows() takes both */
	char *texts[5];
};

/* A part of a run, by time or by node. */
struct part {
	time_t from, to;
	size_t node;  /* by node: the index of the node */
	size_t nodes; /* by node: the number of nodes; else 1 */
	bool whole;   /* the whole of a run that has ended */
};

uint64_t tessera_usage_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == TESSERA_UNKNOWN || b == TESSERA_UNKNOWN || __builtin_add_overflow(a, b, &sum))
		return TESSERA_UNKNOWN;
	return sum;
}

uint64_t tessera_usage_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	if (a == 0 || b == 0)
		return 0;
	if (a == TESSERA_UNKNOWN || b == TESSERA_UNKNOWN || __builtin_mul_overflow(a, b, &product))
		return TESSERA_UNKNOWN;
	return product;
}

/* The share of the part's node in TOTAL. */
static uint64_t compute_share(uint64_t total, const struct part *part)
{
	if (part->nodes <= 1 || total == TESSERA_UNKNOWN)
		return total;
	return total / part->nodes + (part->node < total % part->nodes ? 1 : 0);
}

/* The part of HELD that samples covered, if they covered SEEN of ALL seconds. */
static uint64_t compute_sampled(uint64_t held, uint64_t seen, uint64_t all)
{
	if (held == TESSERA_UNKNOWN || seen >= all)
		return held;
	return (uint64_t)((unsigned __int128)held * seen / all);
}

/* Add the use of one kind of accelerator to a row. */
static void add_use(const struct tessera_usage_record *record, const struct part *part,
		    uint64_t held, uint64_t recorded, uint64_t *used, uint64_t *known,
		    uint64_t *known_used)
{
	uint64_t all = tessera_usage_times((uint64_t)(part->to - part->from),
					   record->node_count > 0 ? record->node_count : 1);

	if (held == 0)
		return;
	/*
	 * The samples' sum is of a whole run on all its nodes: it cannot be divided by time or
	 * node.
	 */
	if (!part->whole || part->nodes > 1 || recorded == TESSERA_UNKNOWN || record->seen == 0) {
		*used = TESSERA_UNKNOWN;
		return;
	}
	*used = tessera_usage_plus(*used, recorded);
	*known = tessera_usage_plus(*known, compute_sampled(held, record->seen, all));
	*known_used = tessera_usage_plus(*known_used, recorded);
}

static uint64_t compute_wait(const struct tessera_usage_record *record)
{
	if (record->eligible == 0)
		return TESSERA_UNKNOWN;
	return record->start > record->eligible ? (uint64_t)(record->start - record->eligible) : 0;
}

static bool has_accelerators(const struct tessera_usage_held *counts)
{
	bool any = counts->rdus > 0 || counts->tiles > 0 || counts->ipus > 0;

	for (size_t n = 0; n < TESSERA_POOLS_MAX; n++)
		any = any || counts->pools[n] > 0;
	return any;
}

/* Is the part's use outside an allocation known? */
static bool is_outside_known(const struct tessera_usage_record *record, const struct part *part)
{
	return part->whole && part->nodes <= 1 && record->outside != TESSERA_UNKNOWN;
}

/* Does the part count? Without accelerators, only if it used some outside an allocation. */
static bool is_counted(const struct tessera_usage_record *record, const struct part *part)
{
	return has_accelerators(&record->counts) ||
	       (is_outside_known(record, part) && record->outside > 0);
}

static void add_part(struct tessera_usage_row *row, const struct tessera_usage_record *record,
		     const struct part *part)
{
	uint64_t seconds = (uint64_t)(part->to - part->from);
	const struct tessera_usage_held *counts = &record->counts;
	struct tessera_usage_held held;

	held.rdus = compute_share(tessera_usage_times(counts->rdus, seconds), part);
	held.tiles = compute_share(tessera_usage_times(counts->tiles, seconds), part);
	held.ipus = compute_share(tessera_usage_times(counts->ipus, seconds), part);
	row->seconds.rdus = tessera_usage_plus(row->seconds.rdus, held.rdus);
	row->seconds.tiles = tessera_usage_plus(row->seconds.tiles, held.tiles);
	row->seconds.ipus = tessera_usage_plus(row->seconds.ipus, held.ipus);
	for (size_t n = 0; n < TESSERA_POOLS_MAX; n++) {
		held.pools[n] = compute_share(tessera_usage_times(counts->pools[n], seconds), part);
		row->seconds.pools[n] = tessera_usage_plus(row->seconds.pools[n], held.pools[n]);
	}
	add_use(record, part, held.tiles, record->used_tiles, &row->used_tiles, &row->known_tiles,
		&row->known_used_tiles);
	add_use(record, part, held.ipus, record->used_ipus, &row->used_ipus, &row->known_ipus,
		&row->known_used_ipus);
	if (is_outside_known(record, part)) {
		row->outside = tessera_usage_plus(row->outside, record->outside);
		row->outside_known++;
	}
	if (!has_accelerators(counts))
		return;
	row->jobs++;
	row->wait = tessera_usage_plus(row->wait, compute_wait(record));
}

/* Natural order (job 9 before job 10), NULL first. */
static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strverscmp(a, b);
}

static int compare_rows(const void *left, const void *right)
{
	const struct tessera_usage_row *a = left, *b = right;
	int order = compare_text(a->day, b->day);

	if (order == 0)
		order = compare_text(a->node, b->node);
	if (order == 0)
		order = compare_text(a->job, b->job);
	if (order == 0)
		order = compare_text(a->account, b->account);
	if (order == 0)
		order = compare_text(a->user, b->user);
	return order;
}

static void free_row(void *arg)
{
	struct owned_row *owned = arg;

	for (size_t n = 0; n < sizeof(owned->texts) / sizeof(*owned->texts); n++)
		free(owned->texts[n]);
	free(owned);
}

/* Set *COPY and *TO to a copy of FROM, unless that is NULL. Returns false if out of memory. */
static bool copy_text(const char **to, char **copy, const char *from)
{
	if (from == NULL)
		return true;
	*copy = strdup(from);
	*to = *copy;
	return *copy != NULL;
}

/* The row with the strings of KEY, added if missing. Returns NULL if out of memory. */
static struct tessera_usage_row *find_or_add_row(struct tessera_usage *usage,
						 const struct tessera_usage_row *key)
{
	struct owned_row **found = tfind(key, &usage->tree, compare_rows), *made;

	if (found != NULL)
		return &(*found)->row;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	if (!copy_text(&made->row.user, &made->texts[0], key->user) ||
	    !copy_text(&made->row.account, &made->texts[1], key->account) ||
	    !copy_text(&made->row.job, &made->texts[2], key->job) ||
	    !copy_text(&made->row.day, &made->texts[3], key->day) ||
	    !copy_text(&made->row.node, &made->texts[4], key->node) ||
	    tsearch(made, &usage->tree, compare_rows) == NULL) {
		free_row(made);
		return NULL;
	}
	usage->rows++;
	return &made->row;
}

static const char *text_or_empty(const char *text)
{
	return text != NULL ? text : "";
}

static bool add_to_row(struct tessera_usage *usage, const struct tessera_usage_record *record,
		       const struct part *part, const char *day)
{
	struct tessera_usage_row key = {0}, *row;

	if (!is_counted(record, part))
		return true;
	if (usage->by == TESSERA_USAGE_BY_USER || usage->by == TESSERA_USAGE_BY_JOB)
		key.user = text_or_empty(record->user);
	if (usage->by == TESSERA_USAGE_BY_ACCOUNT || usage->by == TESSERA_USAGE_BY_JOB)
		key.account = text_or_empty(record->account);
	if (usage->by == TESSERA_USAGE_BY_JOB)
		key.job = text_or_empty(record->job);
	if (usage->by == TESSERA_USAGE_BY_NODE)
		key.node = text_or_empty(record->nodes != NULL ? record->nodes[part->node] : NULL);
	key.day = day;
	row = find_or_add_row(usage, &key);
	if (row == NULL)
		return false;
	add_part(row, record, part);
	return true;
}

/* The index of the last day that begins at WHEN or before. */
static size_t find_day(const struct tessera_usage *usage, time_t when)
{
	size_t low = 0, high = usage->day_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (usage->days[middle] <= when)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool add_days(struct tessera_usage *usage, const struct tessera_usage_record *record,
		     const struct part *whole)
{
	for (size_t n = find_day(usage, whole->from); n + 1 < usage->day_count; n++) {
		struct part part = *whole;
		char name[sizeof("-2147483648-00-00")];
		struct tm day = {0};

		if (part.from < usage->days[n])
			part.from = usage->days[n];
		if (part.to > usage->days[n + 1])
			part.to = usage->days[n + 1];
		part.whole = whole->whole && part.from == whole->from && part.to == whole->to;
		localtime_r(&usage->days[n], &day);
		strftime(name, sizeof(name), "%Y-%m-%d", &day);
		if (!add_to_row(usage, record, &part, name))
			return false;
		if (part.to == whole->to)
			break;
	}
	return true;
}

static bool add_nodes(struct tessera_usage *usage, const struct tessera_usage_record *record,
		      struct part part)
{
	part.nodes = record->nodes != NULL ? record->node_count : 1;
	for (part.node = 0; part.node < part.nodes; part.node++) {
		if (!add_to_row(usage, record, &part, NULL))
			return false;
	}
	return true;
}

/*
 * Clip a run to the window. Returns false if none of it is inside. A run of 0 seconds is inside if
 * its start is.
 */
static bool clip_run(const struct tessera_usage *usage, const struct tessera_usage_record *record,
		     struct part *part)
{
	time_t end = record->end != 0 ? record->end : usage->now;

	if (record->start == 0 || record->start >= usage->end || end < record->start)
		return false;
	if (end <= usage->start && record->start < usage->start)
		return false;
	*part = (struct part){.from = record->start, .to = end, .nodes = 1};
	if (part->from < usage->start)
		part->from = usage->start;
	if (part->to > usage->end)
		part->to = usage->end;
	part->whole = part->from == record->start && part->to == record->end;
	return true;
}

int tessera_usage_add(struct tessera_usage *usage, const struct tessera_usage_record *record,
		      struct tessera_error *err)
{
	struct part part;
	bool done;

	if (!clip_run(usage, record, &part) || !is_counted(record, &part))
		return 0;
	if (usage->by == TESSERA_USAGE_BY_DAY)
		done = add_days(usage, record, &part);
	else if (usage->by == TESSERA_USAGE_BY_NODE)
		done = add_nodes(usage, record, part);
	else
		done = add_to_row(usage, record, &part, NULL);
	if (!done)
		return tessera_error_nomem(err);
	add_part(&usage->total, record, &part);
	return 1;
}

struct tessera_usage *tessera_usage_new(enum tessera_usage_by by, time_t start, time_t end,
					time_t now, struct tessera_error *err)
{
	struct tessera_usage *usage = NULL;

	if (end <= start) {
		tessera_error_set(err, TESSERA_ERR_INPUT, "the end must be after the start");
		return NULL;
	}
	usage = calloc(1, sizeof(*usage));
	if (usage == NULL) {
		tessera_error_nomem(err);
		return NULL;
	}
	usage->by = by;
	usage->start = start;
	usage->end = end;
	usage->now = now;
	if (by == TESSERA_USAGE_BY_DAY) {
		usage->days = tessera_usage_days(start, end, &usage->day_count, err);
		if (usage->days == NULL) {
			tessera_usage_free(usage);
			return NULL;
		}
	}
	return usage;
}

struct walk {
	const struct tessera_usage_row **rows;
	size_t count;
};

static void collect_row(const void *node, VISIT visit, void *arg)
{
	struct walk *walk = arg;

	if (visit == postorder || visit == leaf)
		walk->rows[walk->count++] = &(*(struct owned_row *const *)node)->row;
}

int tessera_usage_rows(const struct tessera_usage *usage, const struct tessera_usage_row ***rows,
		       size_t *count, struct tessera_error *err)
{
	struct walk walk = {.rows = calloc(usage->rows + 1, sizeof(struct tessera_usage_row *))};

	if (walk.rows == NULL)
		return tessera_error_nomem(err);
	twalk_r(usage->tree, collect_row, &walk);
	*rows = walk.rows;
	*count = walk.count;
	return 0;
}

const struct tessera_usage_row *tessera_usage_total(const struct tessera_usage *usage)
{
	return &usage->total;
}

void tessera_usage_free(struct tessera_usage *usage)
{
	if (usage == NULL)
		return;
	tdestroy(usage->tree, free_row);
	free(usage->days);
	free(usage);
}
