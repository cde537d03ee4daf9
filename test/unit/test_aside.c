/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that nobody waits for, where processes cannot be had, and with signals in between. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/aside.h"
#include "plugin/slurm_compat.h"
#include "test/unit/unit.h"

/* What is done and said goes through a pipe: it is in other processes. */

static int told[2];
static int forks_until_none = -1;
static int interruptions;

pid_t fork(void)
{
	pid_t (*real)(void);

	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (forks_until_none == 0) {
		errno = EAGAIN;
		return -1;
	}
	forks_until_none--;
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

void slurm_error(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ck_assert_int_gt(write(told[1], text, strlen(text)), 0);
}

static void work(const struct node *node)
{
	if (write(told[1], node->name, strlen(node->name)) < 0)
		_exit(1);
}

/* What was done or said, when it has been. */
static const char *heard(char buf[256])
{
	ssize_t len;

	close(told[1]);
	for (size_t used = 0;; used += (size_t)len) {
		len = read(told[0], buf + used, 255 - used);
		ck_assert_int_ge(len, 0);
		buf[used + (size_t)len] = '\0';
		if (len == 0)
			break;
	}
	close(told[0]);
	return buf;
}

static struct node node;

static void setup(void)
{
	ck_assert_int_eq(pipe2(told, O_CLOEXEC), 0);
	snprintf(node.name, sizeof(node.name), "n1");
}

START_TEST(is_done)
{
	char buf[256];

	aside_do(work, &node);
	ck_assert_str_eq(heard(buf), "n1");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(is_interrupted)
{
	char buf[256];

	interruptions = 3;
	aside_do(work, &node);
	ck_assert_int_eq(interruptions, 0);
	/* No child is left. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_str_eq(heard(buf), "n1");
}
END_TEST

START_TEST(is_not_done)
{
	char buf[256];

	forks_until_none = _i;
	aside_do(work, &node);
	ck_assert_str_eq(heard(buf),
			 "tessera: no process for what is to be done when slurmd starts: Resource temporarily "
			 "unavailable: restart slurmd");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, is_done);
	tcase_add_test(tcase, is_interrupted);
	tcase_add_loop_test(tcase, is_not_done, 0, 2);
}

UNIT_MAIN("aside", add_tests)
