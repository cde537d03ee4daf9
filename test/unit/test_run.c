/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that end, that do not, and that do not even when they are killed. This program runs itself. */
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

#include "lib/deadline.h"
#include "lib/ledger.h"
#include "lib/run.h"
#include "test/unit/unit.h"

#define KEPT "kept"

/* A host program may have threads that wait for any child. */
static bool others_reap;

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (others_reap)
		waitpid((pid_t)id, NULL, 0);
	return (int)syscall(SYS_waitid, type, id, info, options, NULL);
}

/* When a group is killed its first process must still be there: otherwise its number may be another's by then. */
static int groups_killed, groups_without_first;

int kill(pid_t pid, int sig)
{
	siginfo_t info;

	if (pid < -1) {
		groups_killed++;
		groups_without_first += waitid(P_PID, (id_t)-pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0;
	}
	return (int)syscall(SYS_kill, pid, sig);
}

/* An old kernel, or a filter of system calls, does not know close_range(). */
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
 * A process that hangs in a driver cannot be had. But nobody hears of the end of one that another traces, until that one has;
 * which it does not here, and ends when nobody reads what it could say.
 */
static void be_kept(void)
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

__attribute__((constructor)) static void be_run(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], KEPT) == 0)
		be_kept();
}

/* Run /bin/sh -c SCRIPT, for WAIT seconds at most. */
static int shell(const char *script, unsigned wait, char *out, size_t len, char said[RUN_SAID_MAX],
		 struct tessera_error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(wait), .out = out, .len = len};

	return run_program(&run, said, err);
}

START_TEST(ends)
{
	char out[8], said[RUN_SAID_MAX];
	struct tessera_error err = {0};

	ck_assert_int_eq(
		shell("echo 0123456789; echo a >&2; echo ' b ' >&2; exit 7", 60, out, sizeof(out), said, &err), 7);
	ck_assert_str_eq(out, "0123456");
	ck_assert_str_eq(said, " b");
	ck_assert_int_eq(shell("kill -SEGV $$", 60, out, sizeof(out), said, &err), 128 + SIGSEGV);
	ck_assert_int_eq(err.code, TESSERA_OK);
}
END_TEST

/* What a program leaves running does not outlive it, and nobody else is meant. */
START_TEST(ends_with_its_group)
{
	char out[32], said[RUN_SAID_MAX];
	struct tessera_error err = {0};
	int64_t until = deadline_after(60);
	unsigned pause = 1;
	pid_t left;

	ck_assert_int_eq(shell("sleep 600 & echo $!; exit 3", 60, out, sizeof(out), said, &err), 3);
	left = (pid_t)strtol(out, NULL, 10);
	ck_assert_int_gt(left, 1);
	while (tessera_ledger_process_start(left) != 0 && deadline_left(until) > 0)
		deadline_pause(until, &pause, 50);
	ck_assert_uint_eq(tessera_ledger_process_start(left), 0);
	ck_assert_int_eq(shell("exec sleep 600", 0, out, sizeof(out), said, &err), -1);
	ck_assert_int_eq(groups_killed, 2);
	ck_assert_int_eq(groups_without_first, 0);
	/* It is reaped all the same. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* What we have open is not the program's, even where closing it takes another way; if there is no way it is not run. */
START_TEST(inherits_nothing)
{
	static const char script[] = "for fd in 40 41 250; do [ -e /proc/$$/fd/$fd ] && echo $fd; done; echo ran";
	char out[32], said[RUN_SAID_MAX];
	struct tessera_error err = {0};

	for (int fd = 40; fd < 251; fd++)
		ck_assert_int_eq(dup2(STDERR_FILENO, fd), fd);
	ck_assert_int_eq(shell(script, 60, out, sizeof(out), said, &err), 0);
	ck_assert_str_eq(out, "ran\n");
	no_close_range = true;
	ck_assert_int_eq(shell(script, 60, out, sizeof(out), said, &err), 0);
	ck_assert_str_eq(out, "ran\n");
	no_getdents = true;
	ck_assert_int_eq(shell(script, 60, out, sizeof(out), said, &err), 127);
	ck_assert_str_eq(out, "");
	ck_assert_str_eq(said, "not run: cannot close inherited file descriptors");
}
END_TEST

START_TEST(is_reaped_by_another)
{
	char out[8], said[RUN_SAID_MAX];
	struct tessera_error err = {0};

	others_reap = true;
	ck_assert_int_eq(shell("exit 0", 60, out, sizeof(out), said, &err), -1);
	others_reap = false;
	ck_assert_msg(strstr(err.text, "ended without a word to us") != NULL, "%s", err.text);
	ck_assert_int_eq(groups_killed, 0);
}
END_TEST

START_TEST(is_killed)
{
	char out[8], said[RUN_SAID_MAX];
	struct tessera_error err = {0};

	ck_assert_int_eq(shell("exec sleep 600", 0, out, sizeof(out), said, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_str_eq(err.text, "/bin/sh did not end in time, and was killed after 0 seconds");
}
END_TEST

START_TEST(outlives_that)
{
	char self[512] = "", said[RUN_SAID_MAX];
	const char *const argv[] = {self, KEPT, NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(1)};
	struct tessera_error err = {0};

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	ck_assert_int_eq(run_program(&run, said, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_msg(strstr(err.text, "did not end in time, and was killed after 1 seconds, which it outlives: it "
				       "is left behind") != NULL,
		      "%s", err.text);
}
END_TEST

START_TEST(is_not_there)
{
	char said[RUN_SAID_MAX];
	const char *const argv[] = {"/nowhere/x", NULL};
	struct run run = {.argv = argv, .deadline = deadline_after(60)};
	struct tessera_error err = {0};

	ck_assert_int_eq(run_program(&run, said, &err), -1);
	ck_assert_str_eq(err.text, "/nowhere/x: No such file or directory");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, ends);
	tcase_add_test(tcase, ends_with_its_group);
	tcase_add_test(tcase, inherits_nothing);
	tcase_add_test(tcase, is_reaped_by_another);
	tcase_add_test(tcase, is_killed);
	tcase_add_test(tcase, outlives_that);
	tcase_add_test(tcase, is_not_there);
}

UNIT_MAIN("run", add_tests)
