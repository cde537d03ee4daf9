/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/holders.h"
#include "lib/ledger.h"
#include "test/unit/unit.h"

static int wait_for(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static pid_t spawn(void)
{
	pid_t pid;

	/* check has a handler of its own, which ends the test. */
	signal(SIGTERM, SIG_DFL);
	pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

START_TEST(signals)
{
	struct holder holder = {.pid = spawn(), .command = "pause"};
	struct tessera_error err = {0};

	holder.start = tessera_ledger_process_start(holder.pid);
	ck_assert_msg(holders_signal(&holder, SIGTERM, &err) == 0, "%s", err.text);
	ck_assert_int_eq(wait_for(holder.pid), SIGTERM);
	ck_assert_int_eq(holders_signal(&holder, SIGTERM, &err), 0); /* gone */
}
END_TEST

/* Another process by now, though it has the number. */
START_TEST(signals_only_the_same)
{
	struct holder holder = {.pid = spawn(), .command = "pause"};
	struct tessera_error err = {0};

	holder.start = tessera_ledger_process_start(holder.pid) + 1;
	ck_assert_int_eq(holders_signal(&holder, SIGKILL, &err), 0);
	ck_assert_int_eq(kill(holder.pid, SIGTERM), 0);
	ck_assert_int_eq(wait_for(holder.pid), SIGTERM);
}
END_TEST

START_TEST(signals_no_groups)
{
	static const pid_t pids[] = {1, 0, -1, INT_MIN};

	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		struct holder holder = {.pid = pids[i], .start = 1};
		struct tessera_error err = {0};

		ck_assert_int_eq(holders_signal(&holder, SIGTERM, &err), -1);
		ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	}
}
END_TEST

START_TEST(signals_denied)
{
	struct holder holder = {.pid = getpid(), .command = "test"};
	struct tessera_error err = {0};
	pid_t child;

	if (getuid() != 0)
		return;
	holder.start = tessera_ledger_process_start(holder.pid);
	child = fork();
	if (child == 0)
		_exit(setuid(65534) == 0 && holders_signal(&holder, SIGTERM, &err) == -1 &&
				      err.code == TESSERA_ERR_DENIED && strstr(err.text, "Linux") == NULL
			      ? 0
			      : 1);
	ck_assert_int_eq(wait_for(child), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, signals);
	tcase_add_test(tcase, signals_only_the_same);
	tcase_add_test(tcase, signals_no_groups);
	tcase_add_test(tcase, signals_denied);
}

UNIT_MAIN("holders_signal", add_tests)
