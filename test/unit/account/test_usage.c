/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/account/usage.h"
#include "test/unit/unit.h"

#define U   TESSERA_UNKNOWN
#define NOW 5000

/*
 * A job of user ann that held 2 RDUs with 16 tiles from 1000 to 1100, without samples.
 */
static struct tessera_usage_record plain(void)
{
	return (struct tessera_usage_record){.user = "ann",
					     .account = "physics",
					     .job = "12",
					     .node_count = 1,
					     .eligible = 990,
					     .start = 1000,
					     .end = 1100,
					     .counts = {.rdus = 2, .tiles = 16},
					     .used_tiles = U,
					     .used_ipus = U,
					     .outside = U,
					     .seen = U};
}

static struct tessera_usage *fresh(enum tessera_usage_by by, time_t start, time_t end)
{
	struct tessera_error err = {0};
	struct tessera_usage *usage = tessera_usage_new(by, start, end, NOW, &err);

	ck_assert_msg(usage != NULL, "%s", err.text);
	return usage;
}

static size_t rows_of(const struct tessera_usage *usage, const struct tessera_usage_row ***rows)
{
	size_t count = 0;

	ck_assert_int_eq(tessera_usage_rows(usage, rows, &count, NULL), 0);
	return count;
}

START_TEST(unknown_spreads)
{
	ck_assert_uint_eq(tessera_usage_plus(2, 3), 5);
	ck_assert_uint_eq(tessera_usage_plus(U, 0), U);
	ck_assert_uint_eq(tessera_usage_plus(0, U), U);
	ck_assert_uint_eq(tessera_usage_plus(U - 1, 0), U - 1);
	ck_assert_uint_eq(tessera_usage_plus(U - 1, 2), U);
	ck_assert_uint_eq(tessera_usage_times(2, 3), 6);
	ck_assert_uint_eq(tessera_usage_times(U, 0), 0);
	ck_assert_uint_eq(tessera_usage_times(0, U), 0);
	ck_assert_uint_eq(tessera_usage_times(U, 1), U);
	ck_assert_uint_eq(tessera_usage_times(3, U), U);
	ck_assert_uint_eq(tessera_usage_times(1ULL << 33, 1ULL << 33), U);
}
END_TEST

/* Where a run lies and what is left of it in [1000, 2000), with NOW at 5000. */
static const struct {
	time_t start, end;
	int added;
	uint64_t seconds;
} cuts[] = {
	{1000, 1100, 1, 100}, {1000, 2000, 1, 1000}, {1900, 2100, 1, 100}, {900, 1010, 1, 10},
	{1, 0, 1, 1000},      {1500, 0, 1, 500},     {900, 3000, 1, 1000}, {900, 1000, 0, 0},
	{900, 999, 0, 0},     {2000, 2100, 0, 0},    {2000, 2000, 0, 0},   {1999, 2000, 1, 1},
	{1000, 1000, 1, 0},   {1500, 1500, 1, 0},    {999, 999, 0, 0},     {0, 1500, 0, 0},
	{0, 0, 0, 0},         {1500, 1400, 0, 0},    {6000, 0, 0, 0},      {999, 1001, 1, 1},
};

START_TEST(cut_to_the_window)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;

	record.start = cuts[_i].start;
	record.end = cuts[_i].end;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), cuts[_i].added);
	ck_assert_uint_eq(rows_of(usage, &rows), (size_t)cuts[_i].added);
	if (cuts[_i].added > 0) {
		ck_assert_uint_eq(rows[0]->seconds.tiles, 16 * cuts[_i].seconds);
		ck_assert_uint_eq(rows[0]->seconds.rdus, 2 * cuts[_i].seconds);
		ck_assert_uint_eq(rows[0]->seconds.ipus, 0);
		ck_assert_uint_eq(rows[0]->jobs, 1);
	}
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.tiles, 16 * cuts[_i].seconds);
	ck_assert_uint_eq(tessera_usage_total(usage)->jobs, (uint64_t)cuts[_i].added);
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(a_running_job_lasts_until_now)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, NOW + 1000);
	struct tessera_usage_record record = plain();

	record.end = 0;
	record.used_tiles = 7;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.tiles, (uint64_t)16 * (NOW - 1000));
	/* Its use is unknown before it ends. */
	ck_assert_uint_eq(tessera_usage_total(usage)->used_tiles, U);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(nothing_held_is_no_row)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;

	memset(&record.counts, 0, sizeof(record.counts));
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 0);
	ck_assert_uint_eq(rows_of(usage, &rows), 0);
	free(rows);
	record.counts.pools[TESSERA_POOLS_MAX - 1] = 3;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.pools[TESSERA_POOLS_MAX - 1], 300);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(each_run_counts)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_JOB, 1000, 2000);
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;

	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.eligible = 1150;
	record.start = 1200;
	record.end = 1250;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.job = "9";
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.job = "12_3";
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.job = "12+1";
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	/* The same ID for another user's job, after Slurm's job IDs were reset. */
	record.job = "12";
	record.user = "bob";
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 5);
	ck_assert_str_eq(rows[0]->job, "9");
	ck_assert_str_eq(rows[1]->job, "12");
	ck_assert_str_eq(rows[1]->user, "ann");
	ck_assert_str_eq(rows[1]->account, "physics");
	ck_assert_uint_eq(rows[1]->jobs, 2);
	ck_assert_uint_eq(rows[1]->seconds.tiles, 16 * 150);
	ck_assert_uint_eq(rows[1]->wait, 10 + 50);
	ck_assert_str_eq(rows[2]->user, "bob");
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(waiting)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	struct tessera_usage_record record = plain();

	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	/* The clock was set back: the wait is 0, not negative. */
	record.eligible = 1001;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->wait, 10);
	record.eligible = 0;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->wait, U);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(what_is_used)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	const struct tessera_usage_row *total = tessera_usage_total(usage);
	struct tessera_usage_record record = plain();

	record.used_tiles = 400;
	record.seen = 50; /* half of the time */
	record.outside = 3;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(total->used_tiles, 400);
	ck_assert_uint_eq(total->known_tiles, 800);
	ck_assert_uint_eq(total->known_used_tiles, 400);
	ck_assert_uint_eq(total->outside, 3);
	ck_assert_uint_eq(total->outside_known, 1);
	/* Without IPUs the use of IPUs is 0, even without samples. */
	ck_assert_uint_eq(total->used_ipus, 0);
	ck_assert_uint_eq(total->known_ipus, 0);

	/* On two nodes: 200 node-seconds, all sampled. */
	record.node_count = 2;
	record.seen = 200;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(total->known_tiles, 800 + 1600);
	/* Samples that cover more than the run. */
	record.seen = 300;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(total->known_tiles, 800 + 1600 + 1600);
	ck_assert_uint_eq(total->used_tiles, 1200);

	/* One job with unknown use makes the total unknown; the known part is unchanged. */
	record = plain();
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(total->used_tiles, U);
	ck_assert_uint_eq(total->known_tiles, 4000);
	ck_assert_uint_eq(total->known_used_tiles, 1200);
	ck_assert_uint_eq(total->outside, 9);
	ck_assert_uint_eq(total->outside_known, 3);
	ck_assert_uint_eq(total->seconds.tiles, 4 * 1600);
	tessera_usage_free(usage);
}
END_TEST

/* The use of a part of a run is unknown, and so is that of a run without samples. */
START_TEST(part_of_a_run)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 1050);
	struct tessera_usage_record record = plain();

	record.used_tiles = 400;
	record.outside = 5;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.tiles, 800);
	ck_assert_uint_eq(tessera_usage_total(usage)->used_tiles, U);
	ck_assert_uint_eq(tessera_usage_total(usage)->known_tiles, 0);
	ck_assert_uint_eq(tessera_usage_total(usage)->outside, 0);
	ck_assert_uint_eq(tessera_usage_total(usage)->outside_known, 0);
	tessera_usage_free(usage);

	usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	record.used_tiles = 0;
	record.seen = 0;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->used_tiles, U);
	tessera_usage_free(usage);
}
END_TEST

/* A job that holds nothing but uses something has a row, but does not count as a job. */
START_TEST(thief)
{
	static const char *const names[] = {"h1", "h2"};
	static const enum tessera_usage_by all[] = {TESSERA_USAGE_BY_USER, TESSERA_USAGE_BY_JOB,
						    TESSERA_USAGE_BY_DAY, TESSERA_USAGE_BY_NODE};
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;
	struct tessera_usage *usage;

	record.counts = (struct tessera_usage_held){0};
	record.outside = 5;
	record.nodes = names;
	for (size_t n = 0; n < sizeof(all) / sizeof(*all); n++) {
		usage = fresh(all[n], 1000, 2000);
		ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
		ck_assert_uint_eq(rows_of(usage, &rows), 1);
		ck_assert_uint_eq(rows[0]->outside, 5);
		ck_assert_uint_eq(rows[0]->jobs, 0);
		ck_assert_uint_eq(rows[0]->wait, 0);
		ck_assert_uint_eq(rows[0]->seconds.tiles, 0);
		ck_assert_uint_eq(rows[0]->used_tiles, 0);
		ck_assert_uint_eq(tessera_usage_total(usage)->outside, 5);
		ck_assert_uint_eq(tessera_usage_total(usage)->jobs, 0);
		free(rows);
		tessera_usage_free(usage);
	}
	/* By node or for a part of its time, its use is unknown, so it has no row. */
	record.node_count = 2;
	usage = fresh(TESSERA_USAGE_BY_NODE, 1000, 2000);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 0);
	ck_assert_uint_eq(tessera_usage_total(usage)->outside, 5);
	free(rows);
	tessera_usage_free(usage);
	usage = fresh(TESSERA_USAGE_BY_USER, 1000, 1050);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 0);
	/* Nor does a job whose use is unknown or 0. */
	record.end = 1040;
	record.outside = U;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 0);
	record.outside = 0;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 0);
	ck_assert_uint_eq(rows_of(usage, &rows), 0);
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(by_node)
{
	static const char *const names[] = {"h10", "h9", "h1"};
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_NODE, 1000, 2000);
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;

	record.nodes = names;
	record.node_count = 3;
	record.used_tiles = 300;
	record.end = 1007; /* 14 RDU-seconds for three */
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 3);
	ck_assert_str_eq(rows[0]->node, "h1");
	ck_assert_str_eq(rows[1]->node, "h9");
	ck_assert_str_eq(rows[2]->node, "h10");
	ck_assert_uint_eq(rows[0]->seconds.rdus, 4);
	ck_assert_uint_eq(rows[1]->seconds.rdus, 5);
	ck_assert_uint_eq(rows[2]->seconds.rdus, 5);
	ck_assert_uint_eq(rows[2]->used_tiles, U);
	ck_assert_uint_eq(rows[2]->jobs, 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->jobs, 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->used_tiles, 300);
	free(rows);
	tessera_usage_free(usage);

	/* The use of a job on one node is known by node. */
	usage = fresh(TESSERA_USAGE_BY_NODE, 1000, 2000);
	record.node_count = 1;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.nodes = NULL;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 2);
	ck_assert_str_eq(rows[0]->node, "");
	ck_assert_uint_eq(rows[1]->used_tiles, 300);
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(too_much_is_unknown)
{
	struct tessera_usage *usage = fresh(TESSERA_USAGE_BY_USER, 1000, 2000);
	struct tessera_usage_record record = plain();

	record.counts.rdus = U / 100 - 1;
	record.counts.ipus = U;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.rdus, (U / 100 - 1) * 100);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.ipus, U);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.rdus, U);
	ck_assert_uint_eq(tessera_usage_total(usage)->seconds.tiles, 3200);
	tessera_usage_free(usage);
}
END_TEST

START_TEST(wrong_windows)
{
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_usage_new(TESSERA_USAGE_BY_USER, 1000, 1000, NOW, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_null(tessera_usage_new(TESSERA_USAGE_BY_DAY, 1000, 999, NOW, &err));
	ck_assert_ptr_null(
		tessera_usage_new(TESSERA_USAGE_BY_DAY, 1000, (time_t)100002 * 86400, NOW, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	tessera_usage_free(NULL);
}
END_TEST

/*
 * Time zones by their rules, for machines without zone files. In Santiago the clock changes at
 * midnight.
 */
#define BERLIN   "CET-1CEST,M3.5.0,M10.5.0/3"
#define SANTIAGO "<-04>4<-03>,M9.1.6/24,M4.1.6/24"

/* Days with an unusual length or beginning, and the first second of each. */
static const struct {
	const char *zone;
	time_t start, end;
	size_t count;
	time_t days[5];
} calendars[] = {
	{"UTC", 1794787200, 1794787201, 2, {1794787200, 1794873600}},
	{"UTC", 1794787199, 1794873600, 3, {1794700800, 1794787200, 1794873600}},
	/* 2026-03-29 has 23 hours in Berlin, 2026-10-25 has 25. */
	{BERLIN, 1774738800, 1774821600, 2, {1774738800, 1774821600}},
	{BERLIN, 1792880000, 1792969201, 3, {1792879200, 1792969200, 1793055600}},
	/* In Santiago 2026-09-06 begins at 01:00. */
	{SANTIAGO, 1788660000, 1788670000, 3, {1788580800, 1788667200, 1788750000}},
};

START_TEST(days_begin)
{
	size_t count = 0;
	time_t *days;

	setenv("TZ", calendars[_i].zone, 1);
	tzset();
	days = tessera_usage_days(calendars[_i].start, calendars[_i].end, &count, NULL);
	ck_assert_ptr_nonnull(days);
	for (size_t n = 0; n < count && n < 5; n++)
		ck_assert_msg(days[n] == calendars[_i].days[n],
			      "%s: day %zu begins at %lld, not at %lld", calendars[_i].zone, n,
			      (long long)days[n], (long long)calendars[_i].days[n]);
	ck_assert_uint_eq(count, calendars[_i].count);
	free(days);
}
END_TEST

START_TEST(by_day)
{
	struct tessera_usage *usage;
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;

	setenv("TZ", BERLIN, 1);
	tzset();
	/* From 2026-10-24 23:00 to 2026-10-26 01:00: an hour, a day of 25 hours, an hour. */
	record.start = 1792879200 - 3600;
	record.end = 1792969200 + 3600;
	record.used_tiles = 5;
	usage = fresh(TESSERA_USAGE_BY_DAY, record.start - 1000, record.end + 1000);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	record.start = record.end - 60;
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 3);
	ck_assert_str_eq(rows[0]->day, "2026-10-24");
	ck_assert_str_eq(rows[1]->day, "2026-10-25");
	ck_assert_str_eq(rows[2]->day, "2026-10-26");
	ck_assert_uint_eq(rows[0]->seconds.rdus, 2 * 3600);
	ck_assert_uint_eq(rows[1]->seconds.rdus, 2 * 25 * 3600);
	ck_assert_uint_eq(rows[2]->seconds.rdus, 2 * 3600 + 2 * 60);
	ck_assert_uint_eq(rows[0]->jobs, 1);
	ck_assert_uint_eq(rows[2]->jobs, 2);
	ck_assert_uint_eq(rows[1]->used_tiles, U);
	ck_assert_uint_eq(rows[2]->known_used_tiles, 5);
	ck_assert_uint_eq(tessera_usage_total(usage)->used_tiles, 10);
	ck_assert_uint_eq(tessera_usage_total(usage)->jobs, 2);
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

/*
 * A run that begins at midnight is on one day. A run that the window clips is not whole, even if it
 * is on one day.
 */
START_TEST(edges_of_a_day)
{
	struct tessera_usage_record record = plain();
	const struct tessera_usage_row **rows;
	struct tessera_usage *usage;

	setenv("TZ", BERLIN, 1);
	tzset();
	record.start = 1792969200;
	record.end = record.start + 60;
	record.used_tiles = 5;
	usage = fresh(TESSERA_USAGE_BY_DAY, record.start - 86400, record.end);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 1);
	ck_assert_str_eq(rows[0]->day, "2026-10-26");
	ck_assert_uint_eq(rows[0]->used_tiles, 5);
	free(rows);
	tessera_usage_free(usage);

	usage = fresh(TESSERA_USAGE_BY_DAY, record.start + 10, record.end);
	ck_assert_int_eq(tessera_usage_add(usage, &record, NULL), 1);
	ck_assert_uint_eq(rows_of(usage, &rows), 1);
	ck_assert_uint_eq(rows[0]->seconds.tiles, 16 * 50);
	ck_assert_uint_eq(rows[0]->used_tiles, U);
	free(rows);
	tessera_usage_free(usage);
}
END_TEST

static uint32_t seed;

static unsigned some(unsigned below)
{
	seed = seed * 1103515245U + 12345U;
	return (seed >> 8) % below;
}

/*
 * The rows of every kind have the same sums for the same jobs, equal to the total.
 */
START_TEST(sums_are_the_same)
{
	static const enum tessera_usage_by kinds[] = {
		TESSERA_USAGE_BY_USER, TESSERA_USAGE_BY_ACCOUNT, TESSERA_USAGE_BY_JOB,
		TESSERA_USAGE_BY_DAY, TESSERA_USAGE_BY_NODE};
	static const char *const zones[] = {"UTC", SANTIAGO, BERLIN, "<+0545>-5:45"};
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	const time_t day = 86400, base = 1788000000;
	struct tessera_usage *usage[5];
	uint64_t tiles = 0, ipus = 0, jobs = 0;
	time_t start, end;

	setenv("TZ", zones[_i % 4], 1);
	tzset();
	seed = (uint32_t)_i;
	start = base + some(20 * 86400);
	end = start + 1 + some(30 * 86400);
	for (size_t k = 0; k < 5; k++)
		usage[k] = tessera_usage_new(kinds[k], start, end, base + 40 * day, NULL);
	for (size_t n = 0; n < 200; n++) {
		struct tessera_usage_record record = plain();
		char job[16];
		time_t from, to;

		snprintf(job, sizeof(job), "%u", some(150));
		record.job = job;
		record.user = names[some(5)];
		record.account = some(10) > 0 ? names[some(3)] : NULL;
		record.start = base + some(50 * 86400);
		record.end = some(10) > 0 ? record.start + some(5 * 86400) : 0;
		record.counts = (struct tessera_usage_held){.tiles = some(9), .ipus = some(3)};
		record.nodes = names;
		record.node_count = 1 + some(5);
		for (size_t k = 0; k < 5; k++)
			ck_assert_int_ge(tessera_usage_add(usage[k], &record, NULL), 0);
		/* Compute the expected sums independently. */
		from = record.start > start ? record.start : start;
		to = record.end != 0 ? record.end : base + 40 * day;
		to = to < end ? to : end;
		if (to > from) {
			tiles += record.counts.tiles * (uint64_t)(to - from);
			ipus += record.counts.ipus * (uint64_t)(to - from);
		}
	}
	for (size_t k = 0; k < 5; k++) {
		const struct tessera_usage_row **rows, *total = tessera_usage_total(usage[k]);
		uint64_t sum_tiles = 0, sum_ipus = 0, sum_jobs = 0;
		size_t count = rows_of(usage[k], &rows);

		for (size_t n = 0; n < count; n++) {
			sum_tiles += rows[n]->seconds.tiles;
			sum_ipus += rows[n]->seconds.ipus;
			sum_jobs += rows[n]->jobs;
		}
		ck_assert_uint_eq(sum_tiles, tiles);
		ck_assert_uint_eq(sum_ipus, ipus);
		ck_assert_uint_eq(total->seconds.tiles, tiles);
		jobs = k == 0 ? sum_jobs : jobs;
		ck_assert_uint_eq(total->jobs, jobs);
		if (k < 3)
			ck_assert_uint_eq(sum_jobs, jobs);
		free(rows);
		tessera_usage_free(usage[k]);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, unknown_spreads);
	tcase_add_loop_test(tcase, cut_to_the_window, 0, sizeof(cuts) / sizeof(*cuts));
	tcase_add_test(tcase, a_running_job_lasts_until_now);
	tcase_add_test(tcase, nothing_held_is_no_row);
	tcase_add_test(tcase, each_run_counts);
	tcase_add_test(tcase, waiting);
	tcase_add_test(tcase, what_is_used);
	tcase_add_test(tcase, part_of_a_run);
	tcase_add_test(tcase, thief);
	tcase_add_test(tcase, by_node);
	tcase_add_test(tcase, too_much_is_unknown);
	tcase_add_test(tcase, wrong_windows);
	tcase_add_loop_test(tcase, days_begin, 0, sizeof(calendars) / sizeof(*calendars));
	tcase_add_test(tcase, by_day);
	tcase_add_test(tcase, edges_of_a_day);
	tcase_add_loop_test(tcase, sums_are_the_same, 0, 100);
}

UNIT_MAIN("usage", add_tests)
