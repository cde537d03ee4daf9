/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/account/sample.h"
#include "test/unit/unit.h"

/*
 * The node: job 10 holds tiles 0-7, job 11 tiles 8-11, job 12 was short of tiles. Process N, from
 * 100 on, belongs to job N / 10; process 1 belongs to no job, process 2 has ended.
 */
static char dir[] = "/tmp/tessera-sample.XXXXXX";
static struct tessera_ledger *ledger;
static struct sntilestat stat;
static struct sample sample;

static void add_row(uint32_t job, unsigned first, unsigned count, enum tessera_row_state state)
{
	struct tessera_row row = {.job = job, .uid = 1, .state = state, .restarts = 2};
	struct tessera_error err = {0};

	tessera_tileset_add_range(&row.tiles, first, count);
	ck_assert_msg(tessera_ledger_put(ledger, &row, &err) == 0, "%s", err.text);
}

static void setup(void)
{
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_error err = {0};

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(tessera_ledger_open(dir, p, 100, &ledger, &err), 0);
	add_row(10, 0, 8, TESSERA_ROW_HELD);
	add_row(11, 8, 4, TESSERA_ROW_HELD);
	add_row(12, 0, 0, TESSERA_ROW_SHORT);
	stat = (struct sntilestat){0};
	tessera_tileset_add_range(&stat.listed, 0, 64);
	sample = (struct sample){0};
}

static void teardown(void)
{
	char lock[64];

	sample_free(&sample);
	tessera_ledger_close(ledger);
	snprintf(lock, sizeof(lock), "%s/lock", dir);
	unlink(lock);
	rmdir(dir);
}

static int whose(pid_t pid, uint32_t *job, void *arg, struct tessera_error *err)
{
	int *asked = arg;

	*job = 12345; /* must be ignored if the process belongs to no job */
	++*asked;
	if (pid == 3)
		return tessera_error_set(err, TESSERA_ERR_UNAVAILABLE, "slurmd is down");
	if (pid >= 100)
		*job = (uint32_t)pid / 10;
	return pid >= 100 ? SAMPLE_JOB : pid == 1 ? SAMPLE_NO_JOB : SAMPLE_GONE;
}

static void set_owner(pid_t pid, unsigned first, unsigned count)
{
	for (unsigned t = first; t < first + count; t++)
		stat.owner[t] = pid;
}

static int take_sample(void)
{
	struct tessera_error err = {0};
	int asked = 0, rc = sample_add_tiles(&sample, ledger, &stat, whose, &asked, &err);

	return rc < 0 ? -1 : asked;
}

static void expect(uint32_t job, unsigned busy, unsigned outside)
{
	const struct sample_job *seen = sample_find(&sample, job);

	ck_assert_ptr_nonnull(seen);
	ck_assert(seen->tiles_known);
	ck_assert_uint_eq(seen->busy_tiles, busy);
	ck_assert_uint_eq(seen->outside_tiles, outside);
}

/* It is known that no tile is in use. */
START_TEST(nobody)
{
	ck_assert_int_eq(take_sample(), 0);
	ck_assert_uint_eq(sample.count, 3);
	expect(0, 0, 0);
	expect(10, 0, 0);
	expect(11, 0, 0);
	ck_assert_uint_eq(sample_find(&sample, 10)->tiles, 8);
	ck_assert_uint_eq(sample_find(&sample, 10)->restarts, 2);
	ck_assert(sample_find(&sample, 10)->holds);
}
END_TEST

START_TEST(own_tiles)
{
	set_owner(100, 0, 4);
	set_owner(101, 4, 1);
	set_owner(110, 8, 4);
	ck_assert_int_eq(take_sample(), 3); /* one query for each process */
	expect(10, 5, 0);
	expect(11, 4, 0);
	ck_assert_uint_eq(sample.count, 3);
}
END_TEST

/*
 * Use of another job's tile and of a free tile; by a job that holds nothing, by one that was short
 * of tiles, and by a process outside any job.
 */
START_TEST(outside)
{
	set_owner(100, 6, 4);
	set_owner(1, 11, 1);
	set_owner(110, 20, 2);
	set_owner(120, 30, 1);
	set_owner(990, 40, 3);
	set_owner(1, 50, 2);
	ck_assert_int_ge(take_sample(), 0);
	expect(10, 2, 2);
	expect(11, 0, 2);
	expect(12, 0, 1);
	expect(99, 0, 3);
	expect(0, 0, 3);
	ck_assert_uint_eq(sample.count, 5);
	ck_assert(!sample_find(&sample, 99)->holds);
}
END_TEST

/*
 * Tiles of an earlier run are withheld: their use by the requeued job, or by leftover processes, is
 * outside the allocation.
 */
START_TEST(kept_back)
{
	ck_assert_int_eq(tessera_ledger_withhold(ledger, 10, "process 1", NULL), 0);
	add_row(10, 20, 2, TESSERA_ROW_HELD);
	set_owner(1, 0, 3);
	set_owner(100, 3, 1);
	set_owner(2, 4, 1);
	set_owner(100, 20, 1);
	ck_assert_int_ge(take_sample(), 0);
	expect(0, 0, 3);
	expect(10, 1, 1);
	ck_assert_uint_eq(sample_find(&sample, 10)->tiles, 2);
}
END_TEST

/* The use of a free tile by a process that has ended counts for no job. */
START_TEST(gone)
{
	set_owner(2, 0, 3);
	set_owner(2, 40, 2);
	ck_assert_int_ge(take_sample(), 0);
	expect(10, 3, 0);
	expect(0, 0, 0);
	ck_assert_uint_eq(sample.count, 3);
}
END_TEST

/* One tile of a job is not listed: the job's use is unknown, that of others is known. */
START_TEST(not_told)
{
	struct tessera_tileset five = {0};

	tessera_tileset_add(&five, 5);
	tessera_tileset_minus(&stat.listed, &five);
	set_owner(100, 0, 4);
	set_owner(100, 20, 1);
	ck_assert_int_ge(take_sample(), 0);
	ck_assert(!sample_find(&sample, 10)->tiles_known);
	expect(11, 0, 0);
}
END_TEST

START_TEST(nobody_can_say)
{
	set_owner(100, 0, 4);
	set_owner(3, 9, 1);
	ck_assert_int_eq(take_sample(), -1);
}
END_TEST

START_TEST(ipus)
{
	const struct tessera_job_record holdings[] = {
		{.job = 10, .restarts = 2, .ipus = 4, .partition = "slurm_10"},
		{.job = 20, .restarts = 1, .ipus = 2, .partition = "slurm_20"},
	};
	const struct gcmonitor_ipu used[] = {
		{.pid = 100, .partition = ""},       /* by its process */
		{.pid = 100, .partition = "p"},      /* whatever the partition */
		{.pid = 2, .partition = "slurm_20"}, /* by the partition */
		/* a job without IPUs is attached to another job's */
		{.pid = 990, .partition = "slurm_20"},
		{.pid = 110, .partition = "slurm_20"}, /* a job that has only tiles */
		{.pid = 1, .partition = ""},           /* of no job */
		{.pid = 990, .partition = "other"},
	};
	struct tessera_error err = {0};
	int asked = 0;

	ck_assert_int_ge(take_sample(), 0);
	for (size_t i = 0; i < 2; i++)
		ck_assert_int_eq(sample_add_job_record(&sample, &holdings[i], &err), 0);
	ck_assert_int_eq(sample_add_ipus(&sample, holdings, 2, used, 7, whose, &asked, &err), 0);
	ck_assert_uint_eq(sample_find(&sample, 10)->busy_ipus, 2);
	ck_assert_uint_eq(sample_find(&sample, 20)->busy_ipus, 3);
	ck_assert_uint_eq(sample_find(&sample, 11)->busy_ipus, 0);
	ck_assert(sample_find(&sample, 20)->ipus_known);
	ck_assert(!sample_find(&sample, 20)->tiles_known);
	ck_assert_uint_eq(sample_find(&sample, 20)->restarts, 1);
	ck_assert_uint_eq(sample.count, 4);
}
END_TEST

/* Many jobs: the array grows. */
START_TEST(many_jobs)
{
	for (unsigned t = 0; t < 64; t++)
		set_owner((pid_t)(t + 100) * 10, t, 1);
	ck_assert_int_eq(take_sample(), 64);
	ck_assert_uint_eq(sample.count, 67);
	expect(163, 0, 1);
}
END_TEST

static void apply(const struct sample_job *seen, time_t now, unsigned interval, unsigned most,
		  struct tessera_sample_record *used)
{
	const struct sample_time when = {.now = now, .interval = interval, .most = most};

	sample_apply(seen, &when, used);
}

/* Use outside an allocation counts since the node's last sample, not since the job's. */
START_TEST(now_and_then)
{
	const struct sample_job seen = {.job = 99, .tiles_known = true, .outside_tiles = 1};
	const struct sample_time when = {.now = 1240, .previous = 1180, .most = 300};
	struct tessera_sample_record used = {0};

	apply(&seen, 1000, 0, 300, &used);
	sample_apply(&seen, &when, &used);
	ck_assert_uint_eq(used.outside_seconds, 60);
	ck_assert_uint_eq(used.seen, 60);
}
END_TEST

START_TEST(merged)
{
	struct sample_job more[] = {{.job = 11,
				     .busy_ipus = 1,
				     .ipus = 2,
				     .ipus_known = true,
				     .holds = true,
				     .restarts = 2},
				    {.job = 77, .outside_tiles = 3, .tiles_known = true}};
	const struct sample other = {.jobs = more, .count = 2};
	struct tessera_error err = {0};

	set_owner(110, 8, 4);
	ck_assert_int_ge(take_sample(), 0);
	ck_assert_int_eq(sample_merge(&sample, &other, &err), 0);
	expect(11, 4, 0);
	ck_assert_uint_eq(sample_find(&sample, 11)->busy_ipus, 1);
	ck_assert(sample_find(&sample, 11)->ipus_known);
	ck_assert_uint_eq(sample_find(&sample, 11)->tiles, 4);
	expect(77, 0, 3);
	ck_assert_uint_eq(sample.count, 4);
}
END_TEST

/*
 * The first sample counts 0 seconds, the next the time between, up to the maximum; 0 if the clock
 * was set back.
 */
START_TEST(seconds)
{
	const struct sample_job seen = {
		.job = 10, .holds = true, .tiles_known = true, .busy_tiles = 3, .outside_tiles = 2};
	struct tessera_sample_record used = {0};

	apply(&seen, 1000, 0, 300, &used);
	ck_assert_uint_eq(used.job, 10);
	ck_assert_uint_eq(used.samples, 1);
	ck_assert_int_eq(used.first, 1000);
	ck_assert_int_eq(used.last, 1000);
	ck_assert_uint_eq(used.seen, 0);
	ck_assert(used.has_tiles);
	ck_assert(!used.has_ipus);
	ck_assert_uint_eq(used.tile_seconds, 0);
	apply(&seen, 1060, 0, 300, &used);
	ck_assert_uint_eq(used.seen, 60);
	ck_assert_uint_eq(used.tile_seconds, 180);
	ck_assert_uint_eq(used.outside_seconds, 120);
	apply(&seen, 1360, 0, 300, &used);
	ck_assert_uint_eq(used.seen, 360);
	apply(&seen, 9000, 0, 300, &used);
	ck_assert_uint_eq(used.seen, 660);
	apply(&seen, 8000, 0, 300, &used);
	ck_assert_uint_eq(used.seen, 660);
	ck_assert_int_eq(used.last, 8000);
	ck_assert_uint_eq(used.samples, 5);
	ck_assert_int_eq(used.first, 1000);
}
END_TEST

/* A given interval counts for every sample, including the first. */
START_TEST(interval)
{
	const struct sample_job seen = {
		.job = 10, .holds = true, .ipus_known = true, .busy_ipus = 2};
	struct tessera_sample_record used = {0};

	apply(&seen, 1000, 60, 30, &used);
	apply(&seen, 1000, 60, 30, &used);
	ck_assert_uint_eq(used.seen, 120);
	ck_assert_uint_eq(used.ipu_seconds, 240);
	ck_assert(used.has_ipus);
	ck_assert(!used.has_tiles);
}
END_TEST

/*
 * Another run of the job starts from zero. For a job that holds nothing, the run is unknown, so its
 * record continues.
 */
START_TEST(another_run)
{
	struct sample_job seen = {
		.job = 10, .holds = true, .tiles_known = true, .busy_tiles = 1, .restarts = 1};
	struct tessera_sample_record used = {0};

	apply(&seen, 1000, 60, 300, &used);
	seen.holds = false;
	seen.restarts = 0;
	apply(&seen, 1060, 60, 300, &used);
	ck_assert_uint_eq(used.tile_seconds, 120);
	seen.holds = true;
	seen.restarts = 2;
	apply(&seen, 1120, 0, 300, &used);
	ck_assert_uint_eq(used.tile_seconds, 0);
	ck_assert_uint_eq(used.seen, 0);
	ck_assert_uint_eq(used.restarts, 2);
	ck_assert_int_eq(used.first, 1120);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, nobody);
	tcase_add_test(tcase, own_tiles);
	tcase_add_test(tcase, outside);
	tcase_add_test(tcase, kept_back);
	tcase_add_test(tcase, gone);
	tcase_add_test(tcase, not_told);
	tcase_add_test(tcase, nobody_can_say);
	tcase_add_test(tcase, ipus);
	tcase_add_test(tcase, many_jobs);
	tcase_add_test(tcase, merged);
	tcase_add_test(tcase, now_and_then);
	tcase_add_test(tcase, seconds);
	tcase_add_test(tcase, interval);
	tcase_add_test(tcase, another_run);
}

UNIT_MAIN("sample", add_tests)
