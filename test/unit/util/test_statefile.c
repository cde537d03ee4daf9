/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Atomic replacement: in which order the file and the directory are synced. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

#include "lib/util/statefile.h"
#include "test/unit/state_unit.h"

/* The calls so far: f for fsync() of a file, r for renameat(), d for fsync() of a directory. */
static char calls[16];
static int dir_error; /* errno of the directory's fsync(); 0: it succeeds */

static void record_call(char what)
{
	size_t len = strlen(calls);

	ck_assert_uint_lt(len, sizeof(calls) - 1);
	calls[len] = what;
	calls[len + 1] = '\0';
}

int fsync(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	record_call(S_ISDIR(st.st_mode) ? 'd' : 'f');
	if (!S_ISDIR(st.st_mode) || dir_error == 0)
		return 0;
	errno = dir_error;
	return -1;
}

int renameat(int old_dir, const char *old, int new_dir, const char *new)
{
	int (*real)(int, const char *, int, const char *);

	*(void **)&real = dlsym(RTLD_NEXT, "renameat");
	record_call('r');
	return real(old_dir, old, new_dir, new);
}

static int write_record(struct tessera_error *err)
{
	calls[0] = '\0';
	return statefile_write(dir, "job", 7, "text\n", 5, err);
}

START_TEST(syncs_in_order)
{
	char path[128];

	ck_assert_int_eq(write_record(NULL), 0);
	ck_assert_str_eq(calls, "frd");
	calls[0] = '\0';
	ck_assert_int_eq(statefile_write_file(dir, "health", "text\n", 5, NULL), 0);
	ck_assert_str_eq(calls, "frd");
	calls[0] = '\0';
	snprintf(path, sizeof(path), "%s/tessera.prom", dir);
	ck_assert_int_eq(statefile_replace_path(path, "text\n", 5, NULL), 0);
	ck_assert_str_eq(calls, "frd");
	ck_assert_int_eq(access(path, R_OK), 0);
}
END_TEST

START_TEST(reports_failed_directory_sync)
{
	struct tessera_error err = {0};

	dir_error = EIO;
	ck_assert_int_eq(write_record(&err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, strerror(EIO)));
	/* A file system that cannot fsync directories. */
	dir_error = EINVAL;
	ck_assert_int_eq(write_record(&err), 0);
	dir_error = 0;
}
END_TEST

/* A link with the name of the temporary file is removed, not followed. */
START_TEST(does_not_follow_link)
{
	char path[128], buf[16] = "";
	FILE *f;

	ck_assert_int_eq(write_record(NULL), 0);
	write_file("other", "other", 0644);
	snprintf(path, sizeof(path), "%s/.job.7", dir);
	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert_int_eq(write_record(NULL), 0);
	snprintf(path, sizeof(path), "%s/other", dir);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(buf, sizeof(buf), f));
	fclose(f);
	ck_assert_str_eq(buf, "other");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, syncs_in_order);
	tcase_add_test(tcase, reports_failed_directory_sync);
	tcase_add_test(tcase, does_not_follow_link);
}

UNIT_MAIN("statefile", add_tests)
