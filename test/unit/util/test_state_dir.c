/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include "lib/util/state_dir.h"
#include "test/unit/state_unit.h"

static void expect_error(const char *path, enum tessera_errcode code, const char *text)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(state_dir_check(path, &err), -1);
	ck_assert_msg(err.code == code && strstr(err.text, text) != NULL &&
			      strstr(err.text, path) != NULL,
		      "%d: %s", err.code, err.text);
}

START_TEST(creates_and_checks)
{
	struct tessera_error err = {0};
	mode_t old = umask(0777);
	struct stat st;

	expect_error(dir, TESSERA_ERR_IO, strerror(ENOENT));
	ck_assert_msg(state_dir_make(dir, &err) == 0, "%s", err.text);
	umask(old);
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
	ck_assert_int_eq(state_dir_check(dir, &err), 0);
	ck_assert_int_eq(state_dir_make(dir, &err), 0);
}
END_TEST

START_TEST(rejects_group_writable)
{
	ck_assert_int_eq(state_dir_make(dir, NULL), 0);
	ck_assert_int_eq(chmod(dir, 0775), 0);
	expect_error(dir, TESSERA_ERR_DENIED, "775");
	ck_assert_int_eq(state_dir_make(dir, NULL), -1);
}
END_TEST

START_TEST(rejects_foreign_owner)
{
	ck_assert_int_eq(state_dir_make(dir, NULL), 0);
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chown(dir, 12345, 0), 0);
	expect_error(dir, TESSERA_ERR_DENIED, "12345");
}
END_TEST

START_TEST(rejects_other_files)
{
	char path[128];

	ck_assert_int_eq(state_dir_make(dir, NULL), 0);
	write_file("file", "", 0644);
	snprintf(path, sizeof(path), "%s/file", dir);
	expect_error(path, TESSERA_ERR_IO, strerror(ENOTDIR));
	ck_assert_int_eq(state_dir_make(path, NULL), -1);
	snprintf(path, sizeof(path), "%s/link", dir);
	ck_assert_int_eq(symlink(dir, path), 0);
	expect_error(path, TESSERA_ERR_IO, strerror(ENOTDIR));
	snprintf(path, sizeof(path), "%s/file/state", dir);
	expect_error(path, TESSERA_ERR_IO, strerror(ENOTDIR));
	ck_assert_int_eq(state_dir_make(path, NULL), -1);
}
END_TEST

START_TEST(detects_full_or_read_only)
{
	struct statvfs fs = {.f_blocks = 8,
			     .f_bfree = 1,
			     .f_bavail = 1,
			     .f_files = 8,
			     .f_ffree = 1,
			     .f_favail = 1};

	ck_assert_int_eq(state_dir_errno(&fs, true), 0);
	ck_assert_int_eq(state_dir_errno(&fs, false), 0);
	fs.f_bavail = fs.f_favail = 0;
	ck_assert_int_eq(state_dir_errno(&fs, true), 0);
	ck_assert_int_eq(state_dir_errno(&fs, false), ENOSPC);
	fs.f_bfree = 0;
	ck_assert_int_eq(state_dir_errno(&fs, true), ENOSPC);
	fs.f_bfree = 1;
	fs.f_ffree = 0;
	ck_assert_int_eq(state_dir_errno(&fs, true), ENOSPC);
	/* A file system without limits. */
	fs = (struct statvfs){0};
	ck_assert_int_eq(state_dir_errno(&fs, true), 0);
	fs.f_flag = ST_RDONLY | ST_NOSUID;
	ck_assert_int_eq(state_dir_errno(&fs, true), EROFS);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, creates_and_checks);
	tcase_add_test(tcase, rejects_group_writable);
	tcase_add_test(tcase, rejects_foreign_owner);
	tcase_add_test(tcase, rejects_other_files);
	tcase_add_test(tcase, detects_full_or_read_only);
}

UNIT_MAIN("state_dir", add_tests)
