/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/usage.h"

struct usage {
	enum usage_by by;
	time_t start, end, now;
	time_t *days; /* by day: when they begin; the last is not before the end */
	size_t day_count;
	void *tree; /* of struct kept_row */
	size_t rows;
	struct usage_row total;
};

/* A row and the copies of its texts. */
struct kept_row {
	struct usage_row row; /* first: it is found as one */
	char *texts[5];
};

/* A part of a run: of its time, and of its nodes. */
struct part {
	time_t from, to;
	size_t node;  /* by node: which of them */
	size_t nodes; /* of so many; 1 is all */
	bool whole;   /* this is all of a run that has ended */
};

uint64_t usage_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == TESSERA_UNKNOWN || b == TESSERA_UNKNOWN || __builtin_add_overflow(a, b, &sum))
		return TESSERA_UNKNOWN;
	return sum;
}

uint64_t usage_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	if (a == 0 || b == 0)
		return 0;
	if (a == TESSERA_UNKNOWN || b == TESSERA_UNKNOWN || __builtin_mul_overflow(a, b, &product))
		return TESSERA_UNKNOWN;
	return product;
}

/* The share of one of the part's nodes. */
static uint64_t share(uint64_t total, const struct part *part)
{
	if (part->nodes <= 1 || total == TESSERA_UNKNOWN)
		return total;
	return total / part->nodes + (part->node < total % part->nodes ? 1 : 0);
}

/* How much of HELD samples looked at, who saw SEEN of ALL seconds. */
static uint64_t looked_at(uint64_t held, uint64_t seen, uint64_t all)
{
	if (held == TESSERA_UNKNOWN || seen >= all)
		return held;
	return (uint64_t)((unsigned __int128)held * seen / all);
}

/* What one kind of accelerator adds to a row's use. */
static void add_use(const struct usage_record *record, const struct part *part, uint64_t held, uint64_t recorded,
		    uint64_t *used, uint64_t *known, uint64_t *known_used)
{
	uint64_t all =
		usage_times((uint64_t)(part->to - part->from), record->node_count > 0 ? record->node_count : 1);

	if (held == 0)
		return;
	/* The samples' sum is of a whole run on all its nodes: which part of it was when and where, it does not say. */
	if (!part->whole || part->nodes > 1 || recorded == TESSERA_UNKNOWN || record->seen == 0) {
		*used = TESSERA_UNKNOWN;
		return;
	}
	*used = usage_plus(*used, recorded);
	*known = usage_plus(*known, looked_at(held, record->seen, all));
	*known_used = usage_plus(*known_used, recorded);
}

static uint64_t waited(const struct usage_record *record)
{
	if (record->eligible == 0)
		return TESSERA_UNKNOWN;
	return record->start > record->eligible ? (uint64_t)(record->start - record->eligible) : 0;
}

static bool holds(const struct usage_held *counts)
{
	bool any = counts->rdus > 0 || counts->tiles > 0 || counts->ipus > 0;

	for (size_t n = 0; n < TESSERA_POOLS_MAX; n++)
		any = any || counts->pools[n] > 0;
	return any;
}

/* Is it known of this part what it used that it did not hold? */
static bool knows_outside(const struct usage_record *record, const struct part *part)
{
	return part->whole && part->nodes <= 1 && record->outside != TESSERA_UNKNOWN;
}

/* Has the part a place in the sums? Of who holds nothing, only what was used all the same. */
static bool counts(const struct usage_record *record, const struct part *part)
{
	return holds(&record->counts) || (knows_outside(record, part) && record->outside > 0);
}

static void add_part(struct usage_row *row, const struct usage_record *record, const struct part *part)
{
	uint64_t seconds = (uint64_t)(part->to - part->from);
	const struct usage_held *counts = &record->counts;
	struct usage_held held;

	held.rdus = share(usage_times(counts->rdus, seconds), part);
	held.tiles = share(usage_times(counts->tiles, seconds), part);
	held.ipus = share(usage_times(counts->ipus, seconds), part);
	row->seconds.rdus = usage_plus(row->seconds.rdus, held.rdus);
	row->seconds.tiles = usage_plus(row->seconds.tiles, held.tiles);
	row->seconds.ipus = usage_plus(row->seconds.ipus, held.ipus);
	for (size_t n = 0; n < TESSERA_POOLS_MAX; n++) {
		held.pools[n] = share(usage_times(counts->pools[n], seconds), part);
		row->seconds.pools[n] = usage_plus(row->seconds.pools[n], held.pools[n]);
	}
	add_use(record, part, held.tiles, record->used_tiles, &row->used_tiles, &row->known_tiles,
		&row->known_used_tiles);
	add_use(record, part, held.ipus, record->used_ipus, &row->used_ipus, &row->known_ipus,
		&row->known_used_ipus);
	if (knows_outside(record, part)) {
		row->outside = usage_plus(row->outside, record->outside);
		row->outside_known++;
	}
	if (!holds(counts))
		return;
	row->jobs++;
	row->wait = usage_plus(row->wait, waited(record));
}

/* The natural order: job 9 before job 10. NULL first. */
static int compare_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	return strverscmp(a, b);
}

static int compare_rows(const void *left, const void *right)
{
	const struct usage_row *a = left, *b = right;
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

static void row_free(void *arg)
{
	struct kept_row *kept = arg;

	for (size_t n = 0; n < sizeof(kept->texts) / sizeof(*kept->texts); n++)
		free(kept->texts[n]);
	free(kept);
}

/* Keep a copy of FROM in *COPY, and point *TO at it. */
static bool keep(const char **to, char **copy, const char *from)
{
	if (from == NULL)
		return true;
	*copy = strdup(from);
	*to = *copy;
	return *copy != NULL;
}

/* The row with the texts of KEY, which is made if there is none. NULL: no memory. */
static struct usage_row *row_of(struct usage *usage, const struct usage_row *key)
{
	struct kept_row **found = tfind(key, &usage->tree, compare_rows), *made;

	if (found != NULL)
		return &(*found)->row;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	if (!keep(&made->row.user, &made->texts[0], key->user) ||
	    !keep(&made->row.account, &made->texts[1], key->account) ||
	    !keep(&made->row.job, &made->texts[2], key->job) || !keep(&made->row.day, &made->texts[3], key->day) ||
	    !keep(&made->row.node, &made->texts[4], key->node) ||
	    tsearch(made, &usage->tree, compare_rows) == NULL) {
		row_free(made);
		return NULL;
	}
	usage->rows++;
	return &made->row;
}

static const char *known(const char *text)
{
	return text != NULL ? text : "";
}

static bool add_to_row(struct usage *usage, const struct usage_record *record, const struct part *part,
		       const char *day)
{
	struct usage_row key = {0}, *row;

	if (!counts(record, part))
		return true;
	if (usage->by == USAGE_BY_USER || usage->by == USAGE_BY_JOB)
		key.user = known(record->user);
	if (usage->by == USAGE_BY_ACCOUNT || usage->by == USAGE_BY_JOB)
		key.account = known(record->account);
	if (usage->by == USAGE_BY_JOB)
		key.job = known(record->job);
	if (usage->by == USAGE_BY_NODE)
		key.node = known(record->nodes != NULL ? record->nodes[part->node] : NULL);
	key.day = day;
	row = row_of(usage, &key);
	if (row == NULL)
		return false;
	add_part(row, record, part);
	return true;
}

/* The last day that begins at WHEN or before. */
static size_t day_of(const struct usage *usage, time_t when)
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

static bool add_days(struct usage *usage, const struct usage_record *record, const struct part *whole)
{
	for (size_t n = day_of(usage, whole->from); n + 1 < usage->day_count; n++) {
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

static bool add_nodes(struct usage *usage, const struct usage_record *record, struct part part)
{
	part.nodes = record->nodes != NULL ? record->node_count : 1;
	for (part.node = 0; part.node < part.nodes; part.node++) {
		if (!add_to_row(usage, record, &part, NULL))
			return false;
	}
	return true;
}

/* Cut a run to the window. False: none of it is inside. A run of no seconds is inside where it started. */
static bool cut(const struct usage *usage, const struct usage_record *record, struct part *part)
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

int usage_add(struct usage *usage, const struct usage_record *record, struct tessera_error *err)
{
	struct part part;
	bool done;

	if (!cut(usage, record, &part) || !counts(record, &part))
		return 0;
	if (usage->by == USAGE_BY_DAY)
		done = add_days(usage, record, &part);
	else if (usage->by == USAGE_BY_NODE)
		done = add_nodes(usage, record, part);
	else
		done = add_to_row(usage, record, &part, NULL);
	if (!done)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	add_part(&usage->total, record, &part);
	return 1;
}

struct usage *usage_new(enum usage_by by, time_t start, time_t end, time_t now, struct tessera_error *err)
{
	struct usage *usage = NULL;

	if (end <= start) {
		tessera_error_set(err, TESSERA_ERR_INPUT, "the end is not after the start");
		return NULL;
	}
	usage = calloc(1, sizeof(*usage));
	if (usage == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		return NULL;
	}
	usage->by = by;
	usage->start = start;
	usage->end = end;
	usage->now = now;
	if (by == USAGE_BY_DAY) {
		usage->days = usage_days(start, end, &usage->day_count, err);
		if (usage->days == NULL) {
			usage_free(usage);
			return NULL;
		}
	}
	return usage;
}

struct walk {
	const struct usage_row **rows;
	size_t count;
};

static void collect(const void *node, VISIT visit, void *arg)
{
	struct walk *walk = arg;

	if (visit == postorder || visit == leaf)
		walk->rows[walk->count++] = &(*(struct kept_row *const *)node)->row;
}

int usage_rows(const struct usage *usage, const struct usage_row ***rows, size_t *count, struct tessera_error *err)
{
	struct walk walk = {.rows = calloc(usage->rows + 1, sizeof(struct usage_row *))};

	if (walk.rows == NULL)
		return tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
	twalk_r(usage->tree, collect, &walk);
	*rows = walk.rows;
	*count = walk.count;
	return 0;
}

const struct usage_row *usage_total(const struct usage *usage)
{
	return &usage->total;
}

void usage_free(struct usage *usage)
{
	if (usage == NULL)
		return;
	tdestroy(usage->tree, row_free);
	free(usage->days);
	free(usage);
}
