/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reason why a prolog failed, which the job's steps read. */
#include "config.h"

#include <signal.h>
#include <sys/resource.h>

#include "lib/state/failure.h"
#include "test/unit/state_unit.h"

static struct tessera_error why(enum tessera_errcode code, const char *text)
{
	struct tessera_error err = {.code = code};

	snprintf(err.text, sizeof(err.text), "%s", text);
	return err;
}

START_TEST(written_and_read)
{
	struct tessera_error err = {0},
			     one = why(TESSERA_ERR_UNAVAILABLE, "no answer:\n\x1b[31mend\n");
	struct failure f = {.text = "x"};
	uint32_t *jobs = NULL;

	ck_assert_int_eq(failure_read(dir, 7, &f, &err), 1);
	ck_assert_str_eq(f.text, "");
	ck_assert(!failure_exists(dir, 7));
	ck_assert_msg(failure_write(dir, 7, &one, &err) == 0, "%s", err.text);
	ck_assert(failure_exists(dir, 7));
	ck_assert(!failure_exists(dir, 77));
	ck_assert_int_eq(failure_read(dir, 7, &f, &err), 0);
	ck_assert_str_eq(f.text, "no answer:??[31mend?");
	ck_assert_int_eq(failure_jobs(dir, &jobs, &err), 1);
	ck_assert_uint_eq(jobs[0], 7);
	free(jobs);
	ck_assert_int_eq(failure_drop(dir, 7, &err), 0);
	ck_assert_int_eq(failure_drop(dir, 7, &err), 0);
	ck_assert(!failure_exists(dir, 7));
}
END_TEST

START_TEST(the_longest)
{
	struct tessera_error one = why(TESSERA_ERR_INPUT, "");
	struct failure f;

	memset(one.text, 'x', sizeof(one.text) - 1);
	ck_assert_int_eq(failure_write(dir, UINT32_MAX, &one, NULL), 0);
	ck_assert_int_eq(failure_read(dir, UINT32_MAX, &f, NULL), 0);
	ck_assert_str_eq(f.text, one.text);
}
END_TEST

static const char *const damages[] = {
	"",
	"tessera-failure 1\n",
	"tessera-failure 2\njob 7\ntext x\nend\n",
	"tessera-failure 1\njob 8\ntext x\nend\n",
	"tessera-failure 1\njob 7 8\ntext x\nend\n",
	"tessera-failure 1\njob 7\ntext x\n",
	"tessera-failure 1\njob 7\ntext x\nend\nx",
};

/* A damaged file is still a failure, without a text. */
START_TEST(damaged)
{
	struct tessera_error one = why(TESSERA_ERR_INPUT, "x");
	struct failure f;

	ck_assert_int_eq(failure_write(dir, 7, &one, NULL), 0);
	write_file("failed.7", damages[_i], 0644);
	ck_assert_int_eq(failure_read(dir, 7, &f, NULL), 0);
	ck_assert_str_eq(f.text, "");
}
END_TEST

START_TEST(unsafe_owner_or_mode)
{
	struct tessera_error err = {0}, one = why(TESSERA_ERR_INPUT, "x");
	struct failure f;

	ck_assert_int_eq(failure_write(dir, 7, &one, NULL), 0);
	write_file("failed.7", "tessera-failure 1\njob 7\ntext anybody's\nend\n", 0666);
	ck_assert_int_eq(failure_read(dir, 7, &f, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_str_eq(f.text, "");
}
END_TEST

/* The disk has no room for data, but for an empty file. */
START_TEST(no_room)
{
	struct tessera_error err = {0}, one = why(TESSERA_ERR_UNAVAILABLE, "x");
	struct rlimit none = {0};
	struct failure f;

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &none);
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	if (failure_write(dir, 7, &one, &err) != 0)
		_exit(9);
	none.rlim_cur = none.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_int_eq(failure_read(dir, 7, &f, NULL), 0);
	ck_assert_str_eq(f.text, "");
}
END_TEST

/* If it cannot be determined, a failure may exist. */
START_TEST(unreadable_directory)
{
	char below[128];

	ck_assert_int_eq(mkdir(dir, 0755), 0);
	write_file("file", "", 0644);
	snprintf(below, sizeof(below), "%s/file", dir);
	ck_assert(failure_exists(below, 7));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, the_longest);
	tcase_add_loop_test(tcase, damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, unsafe_owner_or_mode);
	tcase_add_test(tcase, no_room);
	tcase_add_test(tcase, unreadable_directory);
}

UNIT_MAIN("failure", add_tests)
