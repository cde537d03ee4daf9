/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_users_find() on the machine's own /proc. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/node/device_users.h"
#include "lib/util/deadline.h"
#include "lib/util/proc.h"
#include "test/unit/node/device_users_unit.h"

static struct device_user *list;

static int wait_for(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* Remove nested directories of that name, whose path is too long for nftw(3). */
static void remove_deep(const char *name)
{
	int depth = 0;

	ck_assert_int_eq(chdir(proc), 0);
	while (chdir(name) == 0)
		depth++;
	for (; depth > 0; depth--) {
		ck_assert_int_eq(chdir(".."), 0);
		ck_assert_int_eq(rmdir(name), 0);
	}
	ck_assert_int_eq(chdir("/"), 0);
}

START_TEST(in_the_real_one)
{
	static const char name[] = "a (b) S\n\033";
	struct tessera_error err = {0};
	bool cut; /* not checked: the user may have processes that cannot be inspected */
	char pattern[64];
	int n;

	snprintf(pattern, sizeof(pattern), "%s/device*", proc);
	make_file("device0", "");
	ck_assert_int_ge(open(in_dir(proc, "device0"), O_RDONLY | O_CLOEXEC), 0);
	ck_assert_int_eq(prctl(PR_SET_NAME, name), 0);
	n = device_users_find("/proc", pattern, getuid(), deadline_after(60), &list, &cut, &err);
	ck_assert_msg(n == 1, "%d %s", n, err.text);
	ck_assert_int_eq(list[0].pid, getpid());
	ck_assert_uint_eq(list[0].uid, getuid());
	ck_assert_uint_eq(list[0].start, proc_start_time(getpid()));
	/* The name is read up to its first newline. */
	ck_assert_str_eq(list[0].command, "a (b) S");
	free(list);
	ck_assert_int_eq(device_users_find("/proc", pattern, getuid() + 1, deadline_after(60),
					   &list, &cut, &err),
			 0);
}
END_TEST

/* Any user can have a file with a name too long for the kernel: no tiles are withheld for it. */
START_TEST(names_too_long)
{
	struct tessera_error err = {0};
	char name[201], self[32];
	bool cut;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(chdir(proc), 0);
	for (int i = 0; i < 25; i++) {
		ck_assert_int_eq(mkdir(name, 0755), 0);
		ck_assert_int_eq(chdir(name), 0);
	}
	ck_assert_int_ge(open(".", O_RDONLY | O_CLOEXEC), 0);
	ck_assert_int_eq(
		device_users_find("/proc", proc, getuid(), deadline_after(60), &list, &cut, &err),
		0);
	snprintf(self, sizeof(self), "process %jd ", (intmax_t)getpid());
	ck_assert_msg(strstr(err.text, self) == NULL, "%s", err.text);
	ck_assert_int_eq(chdir("/"), 0);
	remove_deep(name);
}
END_TEST

START_TEST(not_allowed)
{
	struct tessera_error err = {0};
	bool cut = false;
	pid_t child;

	if (getuid() != 0)
		return;
	child = fork();
	if (child == 0) {
		if (setuid(65534) < 0)
			_exit(2);
		device_users_find("/proc", "/dev/rdu", 0, deadline_after(60), &list, &cut, &err);
		_exit(cut && strstr(err.text, ": Permission denied: CAP_SYS_PTRACE is needed") !=
					      NULL
			      ? 0
			      : 1);
	}
	ck_assert_int_eq(wait_for(child), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, proc_setup, proc_teardown);
	tcase_add_test(tcase, in_the_real_one);
	tcase_add_test(tcase, names_too_long);
	tcase_add_test(tcase, not_allowed);
}

UNIT_MAIN("device_users_real", add_tests)
