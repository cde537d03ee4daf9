/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util/child.h"
#include "lib/util/deadline.h"
#include "test/unit/unit.h"

#define LONG_S 60

static int changed; /* by write_text(), but only in the child's memory */

static void write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	for (size_t done = 0; done < len; done += (size_t)n) {
		n = write(fd, text + done, len - done);
		if (n <= 0)
			_exit(1);
	}
}

static void write_text(int fd, void *arg)
{
	changed = 1;
	write_all(fd, arg, strlen(arg));
}

/* Write *ARG bytes: more than a pipe holds. */
static void write_many(int fd, void *arg)
{
	const size_t *count = arg;

	for (size_t i = 0; i < *count; i++)
		write_all(fd, "x", 1);
}

static void hang(int fd, void *arg)
{
	write_all(fd, "half", 4);
	(void)arg;
	for (;;)
		pause();
}

/* Write one byte to another pipe, *ARG, then hang. */
static void signal_and_hang(int fd, void *arg)
{
	const int *other = arg;

	write_all(*other, "x", 1);
	hang(fd, NULL);
}

static void die(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	raise(SIGKILL);
}

static ssize_t work(void (*function)(int, void *), void *arg, char *buf, size_t len,
		    struct tessera_error *err)
{
	return child_call(function, arg, deadline_after(LONG_S), buf, len, err);
}

START_TEST(returns_result)
{
	struct tessera_error err = {0};
	char hello[] = "hello", buf[16];

	ck_assert_int_eq(work(write_text, hello, buf, sizeof(buf), &err), 5);
	ck_assert_str_eq(buf, "hello");
	ck_assert_int_eq(changed, 0);
}
END_TEST

START_TEST(returns_empty_result)
{
	struct tessera_error err = {0};
	char empty[] = "", buf[16] = "before";

	ck_assert_int_eq(work(write_text, empty, buf, sizeof(buf), &err), 0);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(work(die, NULL, buf, sizeof(buf), &err), 0);
}
END_TEST

/* The NUL must fit, too. */
START_TEST(rejects_too_long_result)
{
	static char buf[200001];
	struct tessera_error err = {0};
	size_t count = sizeof(buf) - 1;

	ck_assert_int_eq(work(write_many, &count, buf, sizeof(buf), &err), (ssize_t)count);
	ck_assert_uint_eq(strlen(buf), count);
	count++;
	ck_assert_int_eq(work(write_many, &count, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "200001"));
}
END_TEST

/* A partial result is discarded at the deadline. */
START_TEST(times_out)
{
	struct tessera_error err = {0};
	char buf[16];

	ck_assert_int_eq(child_call(hang, NULL, deadline_now() + 20, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "timed out"));
}
END_TEST

/* No child remains, even if the caller ignores SIGCHLD, whose disposition is restored. */
START_TEST(leaves_no_child_if_ignored)
{
	char hello[] = "hello", buf[16];
	struct sigaction now;

	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(work(write_text, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(child_call(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
	sigaction(SIGCHLD, NULL, &now);
	ck_assert(now.sa_handler == SIG_IGN);
}
END_TEST

/* Both a child that ended and one that was killed have been reaped. */
START_TEST(leaves_no_zombie)
{
	char hello[] = "hello", buf[16];

	ck_assert_int_eq(work(write_text, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_int_eq(child_call(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void on_signal(int number)
{
	(void)number;
}

/* Send the parent 100 signals, and half of the result after each 50. */
static void interrupt_parent(int fd, void *arg)
{
	for (int i = 0; i < 100; i++) {
		kill(getppid(), SIGUSR1);
		sched_yield();
		if (i % 50 == 49)
			write_all(fd, arg, strlen(arg));
	}
}

/* Signals during the call neither end it nor lose data. */
START_TEST(survives_signals)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct tessera_error err = {0};
	char half[] = "half", buf[16];

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	for (int i = 0; i < 20; i++) {
		ck_assert_msg(work(interrupt_parent, half, buf, sizeof(buf), &err) == 8, "%s",
			      err.text);
		ck_assert_str_eq(buf, "halfhalf");
	}
}
END_TEST

START_TEST(waits_for_killed_child)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	ck_assert(!child_has_ended(child, &status));
	kill(child, SIGKILL);
	ck_assert(child_has_ended(child, &status));
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* Already reaped. */
	ck_assert(child_has_ended(child, &status));
}
END_TEST

/* The child dies with its parent: then the last write end of the pipe is closed. */
START_TEST(ends_with_its_parent)
{
	char word, buf[16];
	int fds[2];
	pid_t parent;

	ck_assert_int_eq(pipe(fds), 0);
	parent = fork();
	if (parent == 0) {
		close(fds[0]);
		work(signal_and_hang, &fds[1], buf, sizeof(buf), NULL);
		_exit(0);
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &word, 1), 1);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	ck_assert_int_eq(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, LONG_S * 1000),
			 1);
	ck_assert_int_eq(read(fds[0], &word, 1), 0);
	close(fds[0]);
}
END_TEST

START_TEST(leaks_no_descriptor)
{
	char hello[] = "hello", buf[16];
	unsigned before = open_files();

	ck_assert_int_eq(work(write_text, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(child_call(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* Call with a soft limit of 0 for RESOURCE. */
static void work_without(int resource, struct tessera_error *err)
{
	char hello[] = "hello", buf[16];
	struct rlimit old, none;

	ck_assert_int_eq(getrlimit(resource, &old), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	ck_assert_int_eq(setrlimit(resource, &none), 0);
	ck_assert_int_eq(work(write_text, hello, buf, sizeof(buf), err), -1);
	ck_assert_int_eq(setrlimit(resource, &old), 0);
	ck_assert_int_eq(err->code, TESSERA_ERR_UNAVAILABLE);
}

START_TEST(reports_exhausted_resources)
{
	struct tessera_error err = {0};

	/* RLIMIT_NPROC does not apply to root. */
	if (geteuid() == 0)
		ck_assert_int_eq(setuid(65534), 0);
	work_without(RLIMIT_NPROC, &err);
	ck_assert_msg(strncmp(err.text, "cannot fork: ", 13) == 0, "%s", err.text);
	work_without(RLIMIT_NOFILE, &err);
	ck_assert_msg(strncmp(err.text, "cannot create a pipe: ", 22) == 0, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, returns_result);
	tcase_add_test(tcase, returns_empty_result);
	tcase_add_test(tcase, rejects_too_long_result);
	tcase_add_test(tcase, times_out);
	tcase_add_test(tcase, leaves_no_child_if_ignored);
	tcase_add_test(tcase, leaves_no_zombie);
	tcase_add_test(tcase, survives_signals);
	tcase_add_test(tcase, waits_for_killed_child);
	tcase_add_test(tcase, ends_with_its_parent);
	tcase_add_test(tcase, leaks_no_descriptor);
	tcase_add_test(tcase, reports_exhausted_resources);
}

UNIT_MAIN("child_call", add_tests)
