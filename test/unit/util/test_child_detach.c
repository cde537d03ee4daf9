/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detached children: when fork() fails, and when signals interrupt waitpid(). */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util/child.h"
#include "test/unit/unit.h"

static int results[2]; /* a pipe: the work is done in another process */
static int forks_until_failure = -1;
static int interruptions;

pid_t fork(void)
{
	pid_t (*real)(void);

	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (forks_until_failure == 0) {
		errno = EAGAIN;
		return -1;
	}
	forks_until_failure--;
	return real();
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	pid_t (*real)(pid_t, int *, int);

	*(void **)&real = dlsym(RTLD_NEXT, "waitpid");
	if (interruptions > 0) {
		interruptions--;
		errno = EINTR;
		return -1;
	}
	return real(pid, status, options);
}

static void work(const void *arg)
{
	if (write(results[1], arg, strlen(arg)) < 0)
		_exit(1);
}

/* What work() wrote, once its process has ended. */
static const char *read_results(char buf[256])
{
	ssize_t len;

	close(results[1]);
	for (size_t used = 0;; used += (size_t)len) {
		len = read(results[0], buf + used, 255 - used);
		ck_assert_int_ge(len, 0);
		buf[used + (size_t)len] = '\0';
		if (len == 0)
			break;
	}
	close(results[0]);
	return buf;
}

static void setup(void)
{
	ck_assert_int_eq(pipe2(results, O_CLOEXEC), 0);
}

START_TEST(does_work)
{
	char buf[256];

	ck_assert_int_eq(child_detach(work, "n1"), 0);
	ck_assert_str_eq(read_results(buf), "n1");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(survives_signals)
{
	char buf[256];

	interruptions = 3;
	ck_assert_int_eq(child_detach(work, "n1"), 0);
	ck_assert_int_eq(interruptions, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_str_eq(read_results(buf), "n1");
}
END_TEST

START_TEST(reports_failed_fork)
{
	char buf[256];

	forks_until_failure = _i;
	ck_assert_int_eq(child_detach(work, "n1"), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_str_eq(read_results(buf), "");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, does_work);
	tcase_add_test(tcase, survives_signals);
	tcase_add_loop_test(tcase, reports_failed_fork, 0, 2);
}

UNIT_MAIN("child_detach", add_tests)
