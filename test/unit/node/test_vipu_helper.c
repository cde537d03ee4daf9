/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running the helper program, with shell scripts in its place. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/node/vipu_helper.h"
#include "test/unit/unit.h"

static char dir[] = "/tmp/tessera-helper.XXXXXX";
static char program[64], record[64];
static struct vipu_helper helper;
static const char *const words[] = {"create", "--job=1", NULL};

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(record, sizeof(record), "%s/record", dir);
	helper = (struct vipu_helper){
		.program = program, .conf_path = "/etc/t.conf", .node = "n1", .seconds = 20};
}

static void teardown(void)
{
	unlink(program);
	unlink(record);
	rmdir(dir);
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
}

static void write_script(const char *text)
{
	int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	FILE *f = fdopen(fd, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	fclose(f);
}

START_TEST(arguments_and_output)
{
	struct tessera_error err = {0};
	char out[256], want[256], small[8];

	write_script("echo \"$@\"; echo noise >&2");
	ck_assert_msg(vipu_helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	snprintf(want, sizeof(want), "--conf=/etc/t.conf --node=n1 create --job=1\n");
	ck_assert_str_eq(out, want);
	ck_assert_int_eq(vipu_helper_run(&helper, words, small, sizeof(small), &err), 0);
	ck_assert_str_eq(small, "--conf=");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), 0);
}
END_TEST

/* More output than a pipe holds must not block it. */
START_TEST(much_output)
{
	struct tessera_error err = {0};
	char out[16];

	write_script("i=0; while [ $i -lt 3000 ]; do echo "
		     "0123456789012345678901234567890123456789; echo "
		     "x >&2; "
		     "i=$((i + 1)); done");
	ck_assert_msg(vipu_helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	ck_assert_str_eq(out, "012345678901234");
}
END_TEST

/* NUL bytes in its message are replaced. */
START_TEST(binary_message)
{
	struct tessera_error err = {0};

	write_script("printf 'a\\000b\\n\\000\\000the last\\000word\\n' >&2; exit 1");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_str_eq(err.text, "??the last?word");
}
END_TEST

START_TEST(exit_codes)
{
	struct tessera_error err = {0};
	char text[64];

	for (int code = TESSERA_ERR_INPUT; code <= TESSERA_ERR_SHORTAGE; code++) {
		snprintf(text, sizeof(text), "echo 'no %d today' >&2; exit %d", code, code);
		write_script(text);
		ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
		ck_assert_int_eq(err.code, code);
		snprintf(text, sizeof(text), "no %d today", code);
		ck_assert_str_eq(err.text, text);
	}
	write_script("exit 5");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	write_script("echo what >&2; exit 99");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "99"));
	ck_assert_ptr_nonnull(strstr(err.text, "what"));
	write_script("kill -KILL $$");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "signal 9"));
}
END_TEST

/* All processes that a script recorded have ended. */
static void expect_gone(void)
{
	FILE *f = fopen(record, "r");
	int pid = 0;

	ck_assert_ptr_nonnull(f);
	while (fscanf(f, "%d", &pid) == 1) {
		ck_assert_int_gt(pid, 1);
		for (int i = 0; i < 5000 && kill(pid, 0) == 0; i++)
			usleep(1000);
		ck_assert_msg(kill(pid, 0) < 0 && errno == ESRCH, "process %d is left", pid);
	}
	fclose(f);
}

/* A script that records itself and a child, and then does HOW. */
static void write_hanging_script(const char *how)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "echo $$ >%s.new; sleep 1000 & echo $! >>%s.new; mv %s.new %s; %s", record, record,
		 record, record, how);
	write_script(text);
}

START_TEST(hangs)
{
	struct tessera_error err = {0};

	write_hanging_script("wait");
	helper.seconds = 1;
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "timed out and was killed after"));
	expect_gone();
}
END_TEST

/* It closes its outputs and goes on: only the deadline ends it. */
START_TEST(hangs_in_silence)
{
	struct tessera_error err = {0};
	char text[256];

	snprintf(text, sizeof(text), "exec >&- 2>&-; echo $$ >%s; sleep 1000", record);
	write_script(text);
	helper.seconds = 1;
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "timed out and was killed after"));
	expect_gone();
}
END_TEST

static bool is_wanted(void *arg)
{
	++*(int *)arg;
	return access(record, F_OK) != 0;
}

START_TEST(no_longer_wanted)
{
	struct tessera_error err = {0};
	int calls = 0;

	write_hanging_script("wait");
	helper.seconds = 100;
	helper.go_on = is_wanted;
	helper.arg = &calls;
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_gt(calls, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "no longer wanted"));
	expect_gone();
}
END_TEST

/* After ask_until, go_on() is not called. */
START_TEST(ask_until_passed)
{
	struct tessera_error err = {0};
	int calls = 0;

	write_hanging_script("wait");
	helper.seconds = 3;
	helper.go_on = is_wanted;
	helper.arg = &calls;
	helper.ask_until = 1;
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(calls, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "timed out and was killed after"));
	expect_gone();
}
END_TEST

/* Its children end with it. */
START_TEST(its_children)
{
	struct tessera_error err = {0};

	write_hanging_script("exit 0");
	ck_assert_msg(vipu_helper_run(&helper, words, NULL, 0, &err) == 0, "%s", err.text);
	expect_gone();
}
END_TEST

/* It ends when its parent is killed. */
START_TEST(its_parent)
{
	char text[256];
	pid_t parent;

	snprintf(text, sizeof(text), "echo $$ >%s.new; mv %s.new %s; exec sleep 1000", record,
		 record, record);
	write_script(text);
	parent = fork();
	if (parent == 0) {
		vipu_helper_run(&helper, words, NULL, 0, NULL);
		_exit(0);
	}
	for (int i = 0; i < 10000 && access(record, F_OK) != 0; i++)
		usleep(1000);
	ck_assert_int_eq(kill(parent, SIGKILL), 0);
	waitpid(parent, NULL, 0);
	expect_gone();
}
END_TEST

/* It inherits neither environment variables nor open files. */
START_TEST(clean_environment)
{
	struct tessera_error err = {0};
	char out[4096];
	int fd = open("/dev/zero", O_RDONLY);

	ck_assert_int_gt(fd, 2);
	setenv("LD_PRELOAD", "", 1);
	setenv("SECRET", "42", 1);
	write_script("env | grep -v '^PWD=\\|^OLDPWD=\\|^_=\\|^SHLVL=' | sort; ls /proc/self/fd | "
		     "wc -l; "
		     "pwd; cat");
	ck_assert_msg(vipu_helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	/* 0, 1, 2 and the one that ls reads its own directory with. */
	ck_assert_str_eq(
		out, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n4\n/\n");
	close(fd);
}
END_TEST

START_TEST(ignored_sigchld)
{
	struct tessera_error err = {0};
	struct sigaction now;

	signal(SIGCHLD, SIG_IGN);
	write_script("echo no >&2; exit 1");
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	sigaction(SIGCHLD, NULL, &now);
	ck_assert(now.sa_handler == SIG_IGN);
}
END_TEST

START_TEST(untrusted_program)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	write_script("exit 0");
	ck_assert_int_eq(chmod(program, 0775), 0);
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_int_eq(chmod(program, 0644), 0);
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_int_eq(chmod(program, 0755), 0);
	ck_assert_int_eq(vipu_helper_run(&helper, words, NULL, 0, &err), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, arguments_and_output);
	tcase_add_test(tcase, much_output);
	tcase_add_test(tcase, binary_message);
	tcase_add_test(tcase, exit_codes);
	tcase_add_test(tcase, hangs);
	tcase_add_test(tcase, hangs_in_silence);
	tcase_add_test(tcase, no_longer_wanted);
	tcase_add_test(tcase, ask_until_passed);
	tcase_add_test(tcase, its_children);
	tcase_add_test(tcase, its_parent);
	tcase_add_test(tcase, clean_environment);
	tcase_add_test(tcase, ignored_sigchld);
	tcase_add_test(tcase, untrusted_program);
}

UNIT_MAIN("vipu_helper", add_tests)
