/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger's lock: holding it, waiting for it, and waiting while the lock file is removed.
 */
#include "config.h"

#include <dirent.h>

#include "test/unit/state/ledger_unit.h"

START_TEST(locked_out)
{
	struct tessera_ledger *ledger = open_ledger(), *other = NULL;
	struct tessera_error err = {0};

	expect_failure(true, TESSERA_ERR_UNAVAILABLE, "/lock, which another process holds");
	ck_assert_int_eq(tessera_ledger_open(dir, sn30, 20, &other, &err), -1);
	expect_error(&err, TESSERA_ERR_UNAVAILABLE, "/lock, which another process holds");
	tessera_ledger_close(ledger);
	tessera_ledger_close(open_ledger());

	/* A failed open does not keep the lock. */
	write_bytes(path_of("ledger"), "x", 1);
	expect_failure(true, TESSERA_ERR_INPUT, "ledger:1");
	expect_failure(true, TESSERA_ERR_INPUT, "ledger:1");
}
END_TEST

/* A process that was forked while the lock was held does not hold it after its release. */
START_TEST(forked_meanwhile)
{
	struct tessera_ledger *ledger = open_ledger(), *other = NULL;
	int ends[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		(void)!read(ends[0], &c, 1);
		_exit(0);
	}
	tessera_ledger_close(ledger);
	ck_assert_int_eq(tessera_ledger_open(dir, sn30, 0, &other, NULL), 0);
	tessera_ledger_close(other);
	close(ends[1]);
	expect_good_end(pid);
}
END_TEST

/* Does the process have this file open? */
static bool has_open(pid_t pid, const char *path)
{
	char fds[64], name[512], target[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *list;

	snprintf(fds, sizeof(fds), "/proc/%d/fd", (int)pid);
	list = opendir(fds);
	while (list != NULL && !found && (entry = readdir(list)) != NULL) {
		ssize_t len;

		snprintf(name, sizeof(name), "%s/%s", fds, entry->d_name);
		len = readlink(name, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		found = strcmp(target, path) == 0;
	}
	if (list != NULL)
		closedir(list);
	return found;
}

/* A child that opens the ledger, and is waiting for the lock when this returns. */
static pid_t start_waiting(void)
{
	int ends[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct tessera_ledger *ledger;

		/*
		 * Close the inherited descriptors: the parent's lock file, and both ends of the
		 * pipe, whose end of file tells the parent that this is done.
		 */
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		ledger = open_ledger();
		expect_failure(true, TESSERA_ERR_UNAVAILABLE, "which another process holds");
		put_row(ledger, 11, "8");
		commit(ledger);
		tessera_ledger_close(ledger);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 0);
	close(ends[0]);
	while (!has_open(pid, path_of("lock")))
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	return pid;
}

START_TEST(waited_for)
{
	struct tessera_ledger *ledger = open_ledger();
	pid_t pid = start_waiting();

	/* The waiting process sees what was written meanwhile. */
	put_row(ledger, 10, "0-7");
	commit(ledger);
	tessera_ledger_close(ledger);
	expect_good_end(pid);
	ledger = read_ledger();
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 10));
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 11));
	tessera_ledger_close(ledger);
}
END_TEST

/* A removed lock file locks no other process out: the waiting process must take the new one. */
START_TEST(lock_removed_meanwhile)
{
	struct tessera_ledger *ledger = open_ledger();
	pid_t pid = start_waiting();

	ck_assert_int_eq(unlink(path_of("lock")), 0);
	tessera_ledger_close(ledger);
	expect_good_end(pid);
}
END_TEST

START_TEST(directory_replaced_meanwhile)
{
	struct tessera_ledger *ledger = open_ledger();
	pid_t pid = start_waiting();
	char old[80];

	snprintf(old, sizeof(old), "%s.old", dir);
	ck_assert_int_eq(rename(dir, old), 0);
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	tessera_ledger_close(ledger);
	expect_good_end(pid);
	ledger = read_ledger();
	ck_assert_ptr_nonnull(tessera_ledger_job(ledger, 11));
	tessera_ledger_close(ledger);
	tear_down();
	ck_assert_int_eq(rename(old, dir), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, locked_out);
	tcase_add_test(tcase, forked_meanwhile);
	tcase_add_test(tcase, waited_for);
	tcase_add_test(tcase, lock_removed_meanwhile);
	tcase_add_test(tcase, directory_replaced_meanwhile);
}

UNIT_MAIN("ledger_lock", add_tests)
