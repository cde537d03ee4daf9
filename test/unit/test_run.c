/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that end, that do not, and that do not even when they are killed. This program runs itself. */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/run.h"
#include "test/unit/unit.h"

#define KEPT "kept"

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
	tcase_add_test(tcase, is_killed);
	tcase_add_test(tcase, outlives_that);
	tcase_add_test(tcase, is_not_there);
}

UNIT_MAIN("run", add_tests)
