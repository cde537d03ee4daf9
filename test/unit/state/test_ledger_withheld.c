/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's rows of ended jobs: withheld tiles. */
#include "config.h"

#include "test/unit/state/ledger_unit.h"

static void withhold(struct tessera_ledger *ledger, uint32_t job, const char *text)
{
	struct tessera_error err = {0};

	need(tessera_ledger_withhold(ledger, job, text, &err) == 0, err.text);
}

static bool release(struct tessera_ledger *ledger, uint32_t job, const char *tiles)
{
	struct tessera_tileset set = tiles_of(tiles);

	return tessera_ledger_release(ledger, job, &set);
}

static bool reword(struct tessera_ledger *ledger, uint32_t job, const char *tiles, const char *text)
{
	struct tessera_tileset set = tiles_of(tiles);

	return tessera_ledger_reword(ledger, job, &set, text);
}

static void expect_free(const struct tessera_ledger *ledger, const char *tiles)
{
	struct tessera_tileset left, want = tiles_of(tiles);

	tessera_ledger_free_tiles(ledger, &left);
	ck_assert(tessera_tileset_equal(&left, &want));
}

static void expect_withheld(const struct tessera_ledger *ledger, const char *tiles)
{
	struct tessera_tileset withheld = {{0x5a}}, want = {0};

	if (tiles[0] != '\0')
		want = tiles_of(tiles);
	tessera_ledger_withheld(ledger, &withheld);
	ck_assert(tessera_tileset_equal(&withheld, &want));
}

START_TEST(withheld_and_released)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_tileset left;
	char owner[128];

	put_row(ledger, 10, "0-7");
	put_row(ledger, 11, "8-15");
	put_step(ledger, 10, 0, "0-3");
	put_step(ledger, 11, 0, "8");
	expect_withheld(ledger, "");
	withhold(ledger, 10, "process 7 (x) of uid 1010 still holds /dev/rdu");
	ck_assert_ptr_null(tessera_ledger_job(ledger, 10));
	ck_assert_uint_eq(tessera_ledger_row(ledger, 0)->job, 10);
	ck_assert_uint_eq(tessera_ledger_row(ledger, 0)->uid, 1010);
	ck_assert_int_eq(tessera_ledger_row(ledger, 0)->state, TESSERA_ROW_WITHHELD);
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->job, 11);
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 1));
	expect_free(ledger, "16-63");
	expect_withheld(ledger, "0-7");
	tessera_ledger_free_of_job(ledger, 10, &left);
	ck_assert(tessera_tileset_empty(&left));
	tessera_ledger_owner(7, owner, sizeof(owner), ledger);
	ck_assert_str_eq(owner, "job 10 (uid 1010), which has ended but left a process behind");
	ck_assert(!tessera_ledger_drop(ledger, 10));
	commit(ledger);
	tessera_ledger_close(ledger);
	ledger = open_ledger();
	ck_assert_str_eq(tessera_ledger_row(ledger, 0)->text,
			 "process 7 (x) of uid 1010 still holds /dev/rdu");
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->job, 11);
	ck_assert(!release(ledger, 10, "0-6"));
	ck_assert(!release(ledger, 11, "8-15"));
	ck_assert(!release(ledger, 12, "0-7"));
	expect_free(ledger, "16-63");
	ck_assert(release(ledger, 10, "0-7"));
	ck_assert(!release(ledger, 10, "0-7"));
	expect_free(ledger, "0-7,16-63");
	tessera_ledger_close(ledger);
}
END_TEST

/* A requeued job keeps its ID. */
START_TEST(of_earlier_runs)
{
	static const char *const want[] = {"40", "0", "9", "20", "30"};
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_row row;

	put_row(ledger, 9, "40");
	put_row(ledger, 10, "20-21");
	withhold(ledger, 10, "a");
	put_row(ledger, 10, "9,30-39");
	withhold(ledger, 10, "b");
	put_row(ledger, 10, "0-3");
	put_row(ledger, 11, "22");
	put_step(ledger, 10, 0, "0");
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(tessera_tileset_next(&tessera_ledger_row(ledger, i)->tiles, 0),
				  strtoul(want[i], NULL, 10));
	ck_assert_int_eq(tessera_ledger_job(ledger, 10)->state, TESSERA_ROW_HELD);
	ck_assert_int_eq(tessera_ledger_row(ledger, 2)->state, TESSERA_ROW_WITHHELD);
	commit(ledger);
	/* Tiles withheld from an earlier run are not the job's. */
	row = row_of(10, "3-9");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), -1);
	put_row(ledger, 10, "-");
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 0));
	ck_assert(tessera_ledger_drop(ledger, 10));
	ck_assert(!tessera_ledger_drop(ledger, 10));
	ck_assert(release(ledger, 10, "20-21"));
	ck_assert_uint_eq(tessera_tileset_next(&tessera_ledger_row(ledger, 1)->tiles, 0), 9);
	ck_assert_uint_eq(tessera_ledger_row(ledger, 2)->job, 11);
	commit(ledger);
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(no_tile_twice)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_error err = {0};
	struct tessera_step_row step = step_of(10, 0, "0");
	struct tessera_row row = row_of(11, "7-8");

	put_row(ledger, 10, "0-7");
	withhold(ledger, 10, "");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE,
		     "tile 0.7 is already held by job 10 (uid 1010), which has ended");
	row = row_of(10, "0");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE,
		     "tile 0.0 is already held by job 10 (uid 1010), which has ended");
	ck_assert_int_eq(tessera_ledger_put_step(ledger, &step, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 10 holds none");
	row = row_of(12, "63");
	row.state = TESSERA_ROW_WITHHELD;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 12");
	put_row(ledger, 10, "8");
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(nothing_to_withhold)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_error err = {0};

	put_row(ledger, 10, "-");
	put_row(ledger, 11, "0");
	withhold(ledger, 11, "");
	for (uint32_t job = 9; job <= 11; job++) {
		ck_assert_int_eq(tessera_ledger_withhold(ledger, job, "", &err), -1);
		expect_error(&err, TESSERA_ERR_INPUT, "holds no tiles to withhold");
	}
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 10));
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(texts)
{
	struct tessera_ledger *ledger = open_ledger();
	char text[600];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	put_row(ledger, 10, "0");
	put_row(ledger, 11, "1");
	withhold(ledger, 10, "a\nb");
	ck_assert_str_eq(tessera_ledger_row(ledger, 0)->text, "a?b");
	ck_assert(!reword(ledger, 10, "1", "x"));
	ck_assert(!reword(ledger, 11, "1", "x"));
	ck_assert(reword(ledger, 10, "0", "\033c"));
	ck_assert_str_eq(tessera_ledger_row(ledger, 0)->text, "?c");
	ck_assert_str_eq(tessera_ledger_row(ledger, 1)->text, "");
	ck_assert(reword(ledger, 10, "0", text));
	ck_assert_uint_eq(strlen(tessera_ledger_row(ledger, 0)->text), 511);
	commit(ledger);
	tessera_ledger_close(ledger);
	tessera_ledger_close(read_ledger());
}
END_TEST

/* In a full ledger, a held row can still become a withheld one. */
START_TEST(full)
{
	struct tessera_ledger *ledger = open_ledger();

	for (uint32_t job = 2; job <= TESSERA_LEDGER_ROWS_MAX; job++)
		put_row(ledger, job, "-");
	put_row(ledger, 1, "0");
	withhold(ledger, 1, "");
	ck_assert_int_eq(tessera_ledger_row(ledger, 0)->state, TESSERA_ROW_WITHHELD);
	ck_assert_ptr_nonnull(tessera_ledger_row(ledger, TESSERA_LEDGER_ROWS_MAX - 1));
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(since_stays)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_row row = row_of(10, "0");

	row.since = 4711;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
	withhold(ledger, 10, "x");
	commit(ledger);
	tessera_ledger_close(ledger);
	expect_file("tessera-ledger 1 sn30-8\n"
		    "job 10 uid 1010 state withheld restarts 0 tiles 0 since 4711 text x\nend 1\n");
	ledger = read_ledger();
	ck_assert_uint_eq(tessera_ledger_row(ledger, 0)->since, 4711);
	tessera_ledger_close(ledger);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, withheld_and_released);
	tcase_add_test(tcase, of_earlier_runs);
	tcase_add_test(tcase, no_tile_twice);
	tcase_add_test(tcase, nothing_to_withhold);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, full);
	tcase_add_test(tcase, since_stays);
}

UNIT_MAIN("ledger_withheld", add_tests)
