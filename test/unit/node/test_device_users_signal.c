/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/node/device_users.h"
#include "lib/state/ledger.h"
#include "lib/util/proc.h"
#include "test/unit/unit.h"

static int wait_for(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static pid_t spawn_process(void)
{
	pid_t pid;

	/* check's own handler would end the test. */
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
	struct device_user user = {.pid = spawn_process(), .command = "pause"};
	struct tessera_error err = {0};

	user.start = proc_start_time(user.pid);
	ck_assert_msg(device_users_signal(&user, SIGTERM, &err) == 0, "%s", err.text);
	ck_assert_int_eq(wait_for(user.pid), SIGTERM);
	ck_assert_int_eq(device_users_signal(&user, SIGTERM, &err), 0); /* it has ended */
}
END_TEST

/* The pid was reused: another process has it. */
START_TEST(signals_only_the_same)
{
	struct device_user user = {.pid = spawn_process(), .command = "pause"};
	struct tessera_error err = {0};

	user.start = proc_start_time(user.pid) + 1;
	ck_assert_int_eq(device_users_signal(&user, SIGKILL, &err), 0);
	ck_assert_int_eq(kill(user.pid, SIGTERM), 0);
	ck_assert_int_eq(wait_for(user.pid), SIGTERM);
}
END_TEST

START_TEST(signals_no_groups)
{
	static const pid_t pids[] = {1, 0, -1, INT_MIN};

	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		struct device_user user = {.pid = pids[i], .start = 1};
		struct tessera_error err = {0};

		ck_assert_int_eq(device_users_signal(&user, SIGTERM, &err), -1);
		ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	}
}
END_TEST

START_TEST(signals_denied)
{
	struct device_user user = {.pid = getpid(), .command = "test"};
	struct tessera_error err = {0};
	pid_t child;

	if (getuid() != 0)
		return;
	user.start = proc_start_time(user.pid);
	child = fork();
	if (child == 0)
		_exit(setuid(65534) == 0 && device_users_signal(&user, SIGTERM, &err) == -1 &&
				      err.code == TESSERA_ERR_DENIED &&
				      strstr(err.text, "Linux") == NULL
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

UNIT_MAIN("device_users_signal", add_tests)
