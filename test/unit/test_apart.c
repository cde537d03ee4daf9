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

#include "lib/apart.h"
#include "lib/deadline.h"
#include "test/unit/unit.h"

#define LONG_S 60

static int changed; /* by the work, in its own process */

static void write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	for (size_t done = 0; done < len; done += (size_t)n) {
		n = write(fd, text + done, len - done);
		if (n <= 0)
			_exit(1);
	}
}

static void say(int fd, void *arg)
{
	changed = 1;
	write_all(fd, arg, strlen(arg));
}

/* ARG bytes, more than a pipe holds. */
static void say_much(int fd, void *arg)
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

/* After a word into another pipe. */
static void hang_after_word(int fd, void *arg)
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

static ssize_t work(void (*function)(int, void *), void *arg, char *buf, size_t len, struct tessera_error *err)
{
	return apart_do(function, arg, deadline_after(LONG_S), buf, len, err);
}

START_TEST(an_answer)
{
	struct tessera_error err = {0};
	char hello[] = "hello", buf[16];

	ck_assert_int_eq(work(say, hello, buf, sizeof(buf), &err), 5);
	ck_assert_str_eq(buf, "hello");
	ck_assert_int_eq(changed, 0);
}
END_TEST

START_TEST(no_words)
{
	struct tessera_error err = {0};
	char nothing[] = "", buf[16] = "before";

	ck_assert_int_eq(work(say, nothing, buf, sizeof(buf), &err), 0);
	ck_assert_str_eq(buf, "");
	ck_assert_int_eq(work(die, NULL, buf, sizeof(buf), &err), 0);
}
END_TEST

/* The NUL must fit, too. */
START_TEST(as_much_as_fits)
{
	static char buf[200001];
	struct tessera_error err = {0};
	size_t count = sizeof(buf) - 1;

	ck_assert_int_eq(work(say_much, &count, buf, sizeof(buf), &err), (ssize_t)count);
	ck_assert_uint_eq(strlen(buf), count);
	count++;
	ck_assert_int_eq(work(say_much, &count, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "200001"));
}
END_TEST

/* The time is past at once: nothing is waited for, whatever was said already. */
START_TEST(too_late)
{
	struct tessera_error err = {0};
	char buf[16];

	ck_assert_int_eq(apart_do(hang, NULL, deadline_now() + 20, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "in time"));
}
END_TEST

/* Whatever became of it, there is no child left, also where the caller does not care for children. */
START_TEST(nobody_left)
{
	char hello[] = "hello", buf[16];
	struct sigaction now;

	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(work(say, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(apart_do(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
	sigaction(SIGCHLD, NULL, &now);
	ck_assert(now.sa_handler == SIG_IGN);
}
END_TEST

/* Nor where it does: the one that had to be killed has been waited for, too. */
START_TEST(nobody_left_to_wait_for)
{
	char hello[] = "hello", buf[16];

	ck_assert_int_eq(work(say, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_int_eq(apart_do(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void on_signal(int number)
{
	(void)number;
}

/* It sends its parent signals, and half of its answer after each fifty of them. */
static void interrupt(int fd, void *arg)
{
	for (int i = 0; i < 100; i++) {
		kill(getppid(), SIGUSR1);
		sched_yield();
		if (i % 50 == 49)
			write_all(fd, arg, strlen(arg));
	}
}

/* Signals in between are nobody's answer. */
START_TEST(interrupted)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct tessera_error err = {0};
	char half[] = "half", buf[16];

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	for (int i = 0; i < 20; i++) {
		ck_assert_msg(work(interrupt, half, buf, sizeof(buf), &err) == 8, "%s", err.text);
		ck_assert_str_eq(buf, "halfhalf");
	}
}
END_TEST

/* One that was killed is gone soon; of one that is not, that is said. */
START_TEST(gone)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	ck_assert(!apart_gone(child, &status));
	kill(child, SIGKILL);
	ck_assert(apart_gone(child, &status));
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* Somebody else has waited for it. */
	ck_assert(apart_gone(child, &status));
}
END_TEST

/* Who started it was killed: then it ends, too. It is the last that has the pipe's other end. */
START_TEST(ends_with_its_parent)
{
	char word, buf[16];
	int fds[2];
	pid_t parent;

	ck_assert_int_eq(pipe(fds), 0);
	parent = fork();
	if (parent == 0) {
		close(fds[0]);
		work(hang_after_word, &fds[1], buf, sizeof(buf), NULL);
		_exit(0);
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &word, 1), 1);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	ck_assert_int_eq(poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, LONG_S * 1000), 1);
	ck_assert_int_eq(read(fds[0], &word, 1), 0);
	close(fds[0]);
}
END_TEST

/* Of files neither. */
START_TEST(no_file_left)
{
	char hello[] = "hello", buf[16];
	unsigned before = open_files();

	ck_assert_int_eq(work(say, hello, buf, sizeof(buf), NULL), 5);
	ck_assert_int_eq(apart_do(hang, NULL, deadline_now() + 20, buf, sizeof(buf), NULL), -1);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

/* As if nothing of that kind could be had any more. */
static void work_without(int what, struct tessera_error *err)
{
	char hello[] = "hello", buf[16];
	struct rlimit old, none;

	ck_assert_int_eq(getrlimit(what, &old), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	ck_assert_int_eq(setrlimit(what, &none), 0);
	ck_assert_int_eq(work(say, hello, buf, sizeof(buf), err), -1);
	ck_assert_int_eq(setrlimit(what, &old), 0);
	ck_assert_int_eq(err->code, TESSERA_ERR_MISSING);
}

/* Not even a process can be had, or no pipe. */
START_TEST(nothing_to_be_had)
{
	struct tessera_error err = {0};

	/* The limit does not hold for root. */
	if (geteuid() == 0)
		ck_assert_int_eq(setuid(65534), 0);
	work_without(RLIMIT_NPROC, &err);
	ck_assert_msg(strncmp(err.text, "no process: ", 12) == 0, "%s", err.text);
	work_without(RLIMIT_NOFILE, &err);
	ck_assert_msg(strncmp(err.text, "no pipe: ", 9) == 0, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, an_answer);
	tcase_add_test(tcase, no_words);
	tcase_add_test(tcase, as_much_as_fits);
	tcase_add_test(tcase, too_late);
	tcase_add_test(tcase, nobody_left);
	tcase_add_test(tcase, nobody_left_to_wait_for);
	tcase_add_test(tcase, interrupted);
	tcase_add_test(tcase, gone);
	tcase_add_test(tcase, ends_with_its_parent);
	tcase_add_test(tcase, no_file_left);
	tcase_add_test(tcase, nothing_to_be_had);
}

UNIT_MAIN("apart", add_tests)
