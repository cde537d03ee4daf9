/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's rows: which are accepted together, and the queries on them. */
#include "config.h"

#include <signal.h>
#include <sys/prctl.h>

#include "test/unit/state/ledger_unit.h"

START_TEST(empty)
{
	struct tessera_ledger *ledger = read_ledger();
	struct tessera_tileset tiles, all = tiles_of("0-63");
	char owner[32] = "x";

	ck_assert_ptr_null(tessera_ledger_row(ledger, 0));
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 0));
	ck_assert_ptr_null(tessera_ledger_job(ledger, 1));
	tessera_ledger_free_tiles(ledger, &tiles);
	ck_assert(tessera_tileset_equal(&tiles, &all));
	tessera_ledger_free_of_job(ledger, 1, &tiles);
	ck_assert(tessera_tileset_empty(&tiles));
	tessera_ledger_owner(3, owner, sizeof(owner), ledger);
	ck_assert_str_eq(owner, "");
	ck_assert(!tessera_ledger_drop(ledger, 1));
	ck_assert(!tessera_ledger_drop_step(ledger, 1, 0));
	tessera_ledger_close(ledger);
	tessera_ledger_close(NULL);
}
END_TEST

START_TEST(rows_in_order)
{
	static const uint32_t jobs[] = {50, 7, 4294967295u, 51, 1};
	static const char *const tiles[] = {"0-7", "8", "9-15", "-", "60-63"};
	static const uint32_t sorted[] = {1, 7, 50, 51, 4294967295u};
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_tileset left, want = tiles_of("16-59");
	char owner[64];

	for (size_t i = 0; i < 5; i++)
		put_row(ledger, jobs[i], tiles[i]);
	for (size_t i = 0; i < 5; i++)
		ck_assert_uint_eq(tessera_ledger_row(ledger, i)->job, sorted[i]);
	ck_assert_ptr_null(tessera_ledger_row(ledger, 5));
	ck_assert_uint_eq(tessera_ledger_job(ledger, 50)->uid, 1050);
	ck_assert_ptr_null(tessera_ledger_job(ledger, 49));
	ck_assert_ptr_null(tessera_ledger_job(ledger, 52));
	tessera_ledger_free_tiles(ledger, &left);
	ck_assert(tessera_tileset_equal(&left, &want));

	tessera_ledger_owner(8, owner, sizeof(owner), ledger);
	ck_assert_str_eq(owner, "job 7 (uid 1007)");
	tessera_ledger_owner(8, owner, 5, ledger);
	ck_assert_str_eq(owner, "job ");
	tessera_ledger_owner(16, owner, sizeof(owner), ledger);
	ck_assert_str_eq(owner, "");

	ck_assert(tessera_ledger_drop(ledger, 50));
	ck_assert(!tessera_ledger_drop(ledger, 50));
	ck_assert_uint_eq(tessera_ledger_row(ledger, 2)->job, 51);
	ck_assert_uint_eq(tessera_ledger_row(ledger, 3)->job, 4294967295u);
	ck_assert_ptr_null(tessera_ledger_row(ledger, 4));
	ck_assert(tessera_ledger_drop(ledger, 4294967295u));
	ck_assert(tessera_ledger_drop(ledger, 1));
	ck_assert_uint_eq(tessera_ledger_row(ledger, 0)->job, 7);
	ck_assert_ptr_null(tessera_ledger_row(ledger, 2));
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(no_tile_twice)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_error err = {0};
	struct tessera_row row;

	put_row(ledger, 10, "0-7");
	put_row(ledger, 12, "16-23");
	row = row_of(11, "6-15");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "tile 0.6 is already held by job 10 (uid 1010)");
	row = row_of(11, "22,63");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "tile 2.6 is already held by job 12 (uid 1012)");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), -1);
	ck_assert_ptr_null(tessera_ledger_job(ledger, 11));

	/* A job's new row may overlap its old one, but not another job's. */
	put_row(ledger, 10, "4-11");
	row = row_of(10, "0-16");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "tile 2.0 is already held by job 12");
	row.tiles = tiles_of("4-11");
	ck_assert(tessera_tileset_equal(&tessera_ledger_job(ledger, 10)->tiles, &row.tiles));
	put_row(ledger, 11, "0-3");
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(invalid_rows)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_error err = {0};
	struct tessera_row row = row_of(5, "0");

	row.job = 0;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 0");
	row = row_of(5, "63");
	tessera_tileset_add(&row.tiles, 64);
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 5 has tile 64, but sn30-8 has 64 tiles");
	row = row_of(5, "0");
	row.state = TESSERA_ROW_REFUSED;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 5 has 1 tile:");
	row = row_of(5, "-");
	row.state = TESSERA_ROW_HELD;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_INPUT, "job 5 has 0 tiles");
	for (int state = 0; state <= 5; state += 5) {
		row.state = (enum tessera_row_state)state;
		ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
		expect_error(&err, TESSERA_ERR_INPUT, "state");
	}
	ck_assert_ptr_null(tessera_ledger_row(ledger, 0));
	tessera_ledger_close(ledger);
}
END_TEST

/* A copy of a row may be put again, with another job ID; so may the row itself. */
START_TEST(row_put_again)
{
	struct tessera_ledger *ledger = open_ledger();

	put_row(ledger, 1000, "-");
	for (uint32_t job = 1; job < 100; job++) {
		struct tessera_row row = *tessera_ledger_row(ledger, 0);

		row.job = 1000 - job;
		ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
		ck_assert_int_eq(tessera_ledger_put(ledger, tessera_ledger_row(ledger, 0), NULL),
				 0);
	}
	for (uint32_t n = 0; n < 100; n++)
		ck_assert_uint_eq(tessera_ledger_row(ledger, n)->job, 901 + n);
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(texts)
{
	static const struct {
		const char *put, *get;
	} want[] = {
		{"2 whole RDUs are needed, 1 is free", "2 whole RDUs are needed, 1 is free"},
		{"a\nb\tc\033[1m\177", "a?b?c?[1m?"},
		{"\302\2332J\233\302\240", "??2J?\302\240"},
		{"-", ""},
		{"--", "--"},
		{"", ""},
		{" a  text - ", " a  text - "},
		{"J\303\274lich", "J\303\274lich"},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct tessera_ledger *ledger = open_ledger();
		struct tessera_row row = row_of(5, "-");

		snprintf(row.text, sizeof(row.text), "%s", want[i].put);
		ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
		ck_assert_str_eq(tessera_ledger_job(ledger, 5)->text, want[i].get);
		commit(ledger);
		tessera_ledger_close(ledger);
		ledger = read_ledger();
		ck_assert_str_eq(tessera_ledger_job(ledger, 5)->text, want[i].get);
		tessera_ledger_close(ledger);
	}
}
END_TEST

START_TEST(steps)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_tileset left, want;
	struct tessera_error err = {0};
	struct tessera_step_row step;

	put_row(ledger, 10, "0-15");
	put_row(ledger, 11, "16-31");
	put_step(ledger, 11, 0, "16-19");
	put_step(ledger, 10, 2, "0-3");
	put_step(ledger, 10, 0, "4-7");
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->step, 0);
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 1)->step, 2);
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 2)->job, 11);
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 3));
	tessera_ledger_free_of_job(ledger, 10, &left);
	want = tiles_of("8-15");
	ck_assert(tessera_tileset_equal(&left, &want));

	step = step_of(10, 1, "3,8");
	ck_assert_int_eq(tessera_ledger_put_step(ledger, &step, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "tile 0.3 is already held by step 10.2");
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 3));

	/* A step's new row may overlap its old one. */
	put_step(ledger, 10, 2, "2-3,8");
	tessera_ledger_free_of_job(ledger, 10, &left);
	want = tiles_of("0-1,9-15");
	ck_assert(tessera_tileset_equal(&left, &want));
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 3));

	ck_assert(tessera_ledger_drop_step(ledger, 10, 2));
	ck_assert(!tessera_ledger_drop_step(ledger, 10, 2));
	ck_assert(!tessera_ledger_drop_step(ledger, 11, 2));
	ck_assert(tessera_ledger_drop(ledger, 10));
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->job, 11);
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 1));
	tessera_ledger_free_of_job(ledger, 10, &left);
	ck_assert(tessera_tileset_empty(&left));
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(invalid_steps)
{
	struct tessera_ledger *ledger = open_ledger();
	struct {
		struct tessera_step_row row;
		const char *word;
	} wrong[] = {
		{step_of(10, 0, "3-4"), "step 10.0 has tile 4, which job 10 does not hold"},
		{step_of(10, 0, "-"), "step 10.0 has no tiles"},
		{step_of(11, 0, "8"), "job 11 holds none"},
		{step_of(12, 0, "0"), "job 12 holds none"},
		{step_of(10, 0, "0"), "process"},
		{step_of(10, 0, "0"), "process"},
	};
	struct tessera_error err = {0};

	put_row(ledger, 10, "0-3");
	put_row(ledger, 11, "-");
	wrong[4].row.pid = 0;
	wrong[5].row.start = 0;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(tessera_ledger_put_step(ledger, &wrong[i].row, &err), -1);
		expect_error(&err, TESSERA_ERR_INPUT, wrong[i].word);
		ck_assert_ptr_null(tessera_ledger_step_row(ledger, 0));
	}
	tessera_ledger_close(ledger);
}
END_TEST

START_TEST(steps_go_with_their_tiles)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_row row = row_of(10, "0-15");

	put_row(ledger, 10, "0-15");
	put_row(ledger, 11, "16");
	put_step(ledger, 10, 0, "4-7");
	put_step(ledger, 11, 0, "16");
	row.restarts = 3;
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
	ck_assert_uint_eq(tessera_ledger_job(ledger, 10)->restarts, 3);
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->job, 10);
	put_row(ledger, 10, "0-14");
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->job, 11);
	put_row(ledger, 11, "-");
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 0));
	tessera_ledger_close(ledger);
}
END_TEST

/* A process that runs until the test closes *STOP, and is then a zombie. */
static pid_t start_process(int *stop)
{
	int ends[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		char c;

		close(ends[1]);
		(void)!read(ends[0], &c, 1);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	close(ends[0]);
	*stop = ends[1];
	return pid;
}

START_TEST(steps_of_ended_processes)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_tileset left, want = tiles_of("2-7");
	struct tessera_step_row step;
	siginfo_t info;
	int stop;
	pid_t pid = start_process(&stop);

	put_row(ledger, 10, "0-7");
	step = step_of(10, 0, "0-1");
	step.pid = pid;
	step.start = proc_start_time(pid);
	ck_assert_uint_ne(step.start, 0);
	ck_assert_int_eq(tessera_ledger_put_step(ledger, &step, NULL), 0);
	tessera_ledger_free_of_job(ledger, 10, &left);
	ck_assert(tessera_tileset_equal(&left, &want));

	/* The same PID, but another start time: another process. */
	step.step = 1;
	step.start--;
	step.tiles = tiles_of("2-3");
	ck_assert_int_eq(tessera_ledger_put_step(ledger, &step, NULL), 0);
	tessera_ledger_free_of_job(ledger, 10, &left);
	ck_assert(tessera_tileset_equal(&left, &want));
	put_step(ledger, 10, 2, "3");
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 1)->step, 2);
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 2));

	/* Ended: first a zombie, then reaped. */
	close(stop);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_uint_eq(proc_start_time(pid), 0);
	want = tiles_of("0-2,4-7");
	tessera_ledger_free_of_job(ledger, 10, &left);
	ck_assert(tessera_tileset_equal(&left, &want));
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_uint_eq(proc_start_time(pid), 0);
	put_step(ledger, 10, 3, "0-1");
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 0)->step, 2);
	ck_assert_uint_eq(tessera_ledger_step_row(ledger, 1)->step, 3);
	ck_assert_ptr_null(tessera_ledger_step_row(ledger, 2));
	tessera_ledger_close(ledger);
}
END_TEST

/* Field 22 of /proc/self/stat, if the process name is one word. */
static unsigned long long read_start_time(void)
{
	unsigned long long start = 0;
	FILE *fp = fopen("/proc/self/stat", "r");

	ck_assert_ptr_nonnull(fp);
	for (int i = 1; i < 22; i++)
		ck_assert_int_eq(fscanf(fp, "%*s"), 0);
	ck_assert_int_eq(fscanf(fp, "%llu", &start), 1);
	fclose(fp);
	return start;
}

START_TEST(process_starts)
{
	static const char *const names[] = {"a b", "a) R 1 2 (b", ") ", "(((", ")) Z 1 1", "\n) 1"};
	unsigned long long start;

	ck_assert_int_eq(prctl(PR_SET_NAME, "plain"), 0);
	start = read_start_time();
	ck_assert_uint_gt(start, 0);
	ck_assert_uint_eq(proc_start_time(getpid()), start);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert_int_eq(prctl(PR_SET_NAME, names[i]), 0);
		ck_assert_uint_eq(proc_start_time(getpid()), start);
	}
	ck_assert_uint_eq(proc_start_time(0), 0);
	ck_assert_uint_eq(proc_start_time(-1), 0);
	ck_assert_uint_eq(proc_start_time(INT_MAX), 0);
}
END_TEST

START_TEST(full)
{
	struct tessera_ledger *ledger = open_ledger();
	struct tessera_row row = row_of(1, "-");
	struct tessera_error err = {0};
	struct tessera_step_row step;

	/* The longest texts: the file must not become too large to be read. */
	memset(row.text, 'x', sizeof(row.text) - 1);
	for (row.job = 2; row.job <= TESSERA_LEDGER_ROWS_MAX; row.job++)
		ck_assert_int_eq(tessera_ledger_put(ledger, &row, NULL), 0);
	put_row(ledger, 1, "0-63");
	ck_assert_int_eq(tessera_ledger_put(ledger, &row, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "4096 rows");
	step = step_of(1, 0, "0");
	ck_assert_int_eq(tessera_ledger_put_step(ledger, &step, &err), -1);
	expect_error(&err, TESSERA_ERR_SHORTAGE, "4096 rows");
	commit(ledger);

	/* A row can still be replaced. */
	put_row(ledger, 1, "0-62");
	commit(ledger);
	tessera_ledger_close(ledger);
	ledger = read_ledger();
	ck_assert_ptr_nonnull(tessera_ledger_row(ledger, TESSERA_LEDGER_ROWS_MAX - 1));
	tessera_ledger_close(ledger);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, rows_in_order);
	tcase_add_test(tcase, no_tile_twice);
	tcase_add_test(tcase, invalid_rows);
	tcase_add_test(tcase, row_put_again);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, steps);
	tcase_add_test(tcase, invalid_steps);
	tcase_add_test(tcase, steps_go_with_their_tiles);
	tcase_add_test(tcase, steps_of_ended_processes);
	tcase_add_test(tcase, process_starts);
	tcase_add_test(tcase, full);
}

UNIT_MAIN("ledger", add_tests)
