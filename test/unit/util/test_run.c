/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that end, that time out, and that do not end even when killed. For the last case this
 * test runs itself, with the argument TRACED.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/state/ledger.h"
#include "lib/util/deadline.h"
#include "lib/util/proc.h"
#include "lib/util/run.h"
#include "test/unit/unit.h"

#define TRACED "traced"

/* Simulates a thread of the host program that reaps any child. */
static bool reap_first;

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (reap_first)
		waitpid((pid_t)id, NULL, 0);
	return (int)syscall(SYS_waitid, type, id, info, options, NULL);
}

/*
 * The leader of a process group must not be reaped before the group is killed: otherwise the kernel
 * may have reused its number.
 */
static int groups_killed, groups_without_leader;

int kill(pid_t pid, int sig)
{
	siginfo_t info;

	if (pid < -1) {
		groups_killed++;
		groups_without_leader +=
			waitid(P_PID, (id_t)-pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0;
	}
	return (int)syscall(SYS_kill, pid, sig);
}

/* Simulate an old kernel or a seccomp filter. */
static bool no_close_range, no_getdents;

int close_range(unsigned first, unsigned last, int flags)
{
	errno = ENOSYS;
	return no_close_range ? -1 : (int)syscall(SYS_close_range, first, last, flags);
}

ssize_t getdents64(int fd, void *buf, size_t len)
{
	errno = ENOSYS;
	return no_getdents ? -1 : syscall(SYS_getdents64, fd, buf, len);
}

/*
 * A test cannot make a process hang in a driver. But a killed process that is traced cannot be
 * reaped by its parent before its tracer has reaped it. Here the tracer never does, and exits when
 * the read end of its standard error is closed.
 */
static void run_traced(void)
{
	struct pollfd reader = {.fd = STDERR_FILENO};
	pid_t parent = getpid();

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (fork() > 0)
		for (;;)
			pause();
	setsid();
	if (ptrace(PTRACE_SEIZE, parent, NULL, NULL) < 0)
		kill(parent, SIGTERM);
	poll(&reader, 1, -1);
	_exit(0);
}

__attribute__((constructor)) static void run_if_traced(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], TRACED) == 0)
		run_traced();
}

/* Run /bin/sh -c SCRIPT, for at most WAIT seconds. */
static int run_shell(const char *script, unsigned wait, char *out, size_t len,
		     char last_line[RUN_SAID_MAX], struct tessera_error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(wait), .out = out, .len = len};

	return run_program(&run, last_line, err);
}

START_TEST(returns_status_and_output)
{
	char out[8], last_line[RUN_SAID_MAX];
	struct tessera_error err = {0};

	ck_assert_int_eq(run_shell("echo 0123456789; echo a >&2; echo ' b ' >&2; exit 7", 60, out,
				   sizeof(out), last_line, &err),
			 7);
	ck_assert_str_eq(out, "0123456");
	ck_assert_str_eq(last_line, " b");
	ck_assert_int_eq(run_shell("kill -SEGV $$", 60, out, sizeof(out), last_line, &err),
			 128 + SIGSEGV);
	ck_assert_int_eq(err.code, TESSERA_OK);
}
END_TEST

/* Processes that the program started are killed when it ends, and no others. */
START_TEST(kills_process_group)
{
	char out[32], last_line[RUN_SAID_MAX];
	struct tessera_error err = {0};
	int64_t until = deadline_after(60);
	unsigned pause = 1;
	pid_t left;

	ck_assert_int_eq(
		run_shell("sleep 600 & echo $!; exit 3", 60, out, sizeof(out), last_line, &err), 3);
	left = (pid_t)strtol(out, NULL, 10);
	ck_assert_int_gt(left, 1);
	while (proc_start_time(left) != 0 && deadline_left(until) > 0)
		deadline_pause(until, &pause, 50);
	ck_assert_uint_eq(proc_start_time(left), 0);
	ck_assert_int_eq(run_shell("exec sleep 600", 0, out, sizeof(out), last_line, &err), -1);
	ck_assert_int_eq(groups_killed, 2);
	ck_assert_int_eq(groups_without_leader, 0);
	/* The programs have been reaped. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/*
 * Descriptors are not inherited, also if close_range() is not available. If they cannot be closed at
 * all, the program does not run.
 */
START_TEST(closes_descriptors)
{
	static const char script[] =
		"for fd in 40 41 250; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; echo ran";
	char out[32], last_line[RUN_SAID_MAX];
	struct tessera_error err = {0};

	for (int fd = 40; fd < 251; fd++)
		ck_assert_int_eq(dup2(STDERR_FILENO, fd), fd);
	ck_assert_int_eq(run_shell(script, 60, out, sizeof(out), last_line, &err), 0);
	ck_assert_str_eq(out, "ran\n");
	no_close_range = true;
	ck_assert_int_eq(run_shell(script, 60, out, sizeof(out), last_line, &err), 0);
	ck_assert_str_eq(out, "ran\n");
	no_getdents = true;
	ck_assert_int_eq(run_shell(script, 60, out, sizeof(out), last_line, &err), 127);
	ck_assert_str_eq(out, "");
	ck_assert_str_eq(last_line, "not run: cannot close inherited file descriptors");
}
END_TEST

START_TEST(reports_foreign_reap)
{
	char out[8], last_line[RUN_SAID_MAX];
	struct tessera_error err = {0};

	reap_first = true;
	ck_assert_int_eq(run_shell("exit 0", 60, out, sizeof(out), last_line, &err), -1);
	reap_first = false;
	ck_assert_msg(strstr(err.text, "was reaped by another process") != NULL, "%s", err.text);
	ck_assert_int_eq(groups_killed, 0);
}
END_TEST

START_TEST(kills_at_deadline)
{
	char out[8], last_line[RUN_SAID_MAX];
	struct tessera_error err = {0};

	ck_assert_int_eq(run_shell("exec sleep 600", 0, out, sizeof(out), last_line, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(err.text, "/bin/sh timed out and was killed after 0 seconds");
}
END_TEST

START_TEST(gives_up_on_hung_program)
{
	char self[512] = "", last_line[RUN_SAID_MAX];
	const char *const argv[] = {self, TRACED, NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(1)};
	struct tessera_error err = {0};

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	ck_assert_int_eq(run_program(&run, last_line, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(err.text,
			     "timed out and was killed after 1 seconds, but has not exited: "
			     "leaving it behind") != NULL,
		      "%s", err.text);
}
END_TEST

START_TEST(reports_missing_program)
{
	char last_line[RUN_SAID_MAX];
	const char *const argv[] = {"/nowhere/x", NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(60)};
	struct tessera_error err = {0};

	ck_assert_int_eq(run_program(&run, last_line, &err), -1);
	ck_assert_str_eq(err.text, "/nowhere/x: No such file or directory");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, returns_status_and_output);
	tcase_add_test(tcase, kills_process_group);
	tcase_add_test(tcase, closes_descriptors);
	tcase_add_test(tcase, reports_foreign_reap);
	tcase_add_test(tcase, kills_at_deadline);
	tcase_add_test(tcase, gives_up_on_hung_program);
	tcase_add_test(tcase, reports_missing_program);
}

UNIT_MAIN("run", add_tests)
