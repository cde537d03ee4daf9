/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>

#include "lib/util/proc.h"
#include "test/unit/node/device_users_unit.h"

START_TEST(reads_file)
{
	int dir = open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char buf[8] = "old";

	make_file("short", "abc\n");
	make_file("long", "0123456789");
	make_file("empty", "");
	ck_assert_int_eq(proc_read(dir, "short", buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, "abc\n");
	ck_assert_int_eq(proc_read(dir, "long", buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, "0123456");
	ck_assert_int_eq(proc_read(dir, "empty", buf, sizeof(buf)), 0);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(proc_read(AT_FDCWD, "/proc/self/comm", buf, sizeof(buf)), 0);
	ck_assert_str_ne(buf, "");
	close(dir);
}
END_TEST

START_TEST(sets_errno)
{
	char buf[8] = "old";

	ck_assert_int_eq(proc_read(AT_FDCWD, "/nowhere", buf, sizeof(buf)), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(buf, "");
	memcpy(buf, "old", 4);
	ck_assert_int_eq(proc_read(AT_FDCWD, proc, buf, sizeof(buf)), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(parses_number)
{
	static const struct {
		const char *status;
		bool found;
		unsigned long number;
	} cases[] = {
		{"Name:\tx\nUid:\t1001\t0\t0\t0\nGid:\t7\n", true, 1001},
		{"Name:\tx\nUid:\t0\n", true, 0},
		{"Name:\tx\nUid:\t4294967295\t1\n", true, 4294967295},
		{"Name:\tx\\nUid:\t0\nUid:\t1002\t0\n", true, 1002},
		{"Uid:\t5\n", false, 0}, /* the first line is always Name */
		{"Name:\tx\nUid: 5\n", false, 0},
		{"Name:\tx\nEUid:\t5\n", false, 0},
		{"Name:\tx\nUid", false, 0},
		{"Name:\tx\n", false, 0},
		{"", false, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned long number = 77;

		ck_assert_msg(proc_number(cases[i].status, "Uid", &number) == cases[i].found, "%s",
			      cases[i].status);
		ck_assert_msg(number == (cases[i].found ? cases[i].number : 77), "%s",
			      cases[i].status);
	}
}
END_TEST

START_TEST(parses_parent)
{
	static const struct {
		const char *stat;
		pid_t parent;
	} cases[] = {
		{"7 (sh) S 12 1 1", 12},
		{"7 (a) S 3 (b c) R 12 1", 12},
		{"7 (sh) Z 0 1", 0},
		{"", 0},
		{"7 (sh", 0},
		{"7 (sh)", 0},
		{"7 (sh) ", 0},
		{"7 (sh) S", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(proc_parent(cases[i].stat) == cases[i].parent, "%s", cases[i].stat);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, proc_setup, proc_teardown);
	tcase_add_test(tcase, reads_file);
	tcase_add_test(tcase, sets_errno);
	tcase_add_test(tcase, parses_number);
	tcase_add_test(tcase, parses_parent);
}

UNIT_MAIN("proc", add_tests)
