/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the helper program is run: with shell scripts in its place. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin/helper.h"
#include "test/unit/unit.h"

static char dir[] = "/tmp/tessera-helper.XXXXXX";
static char program[64], record[64];
static struct helper helper;
static const char *const words[] = {"create", "--job=1", NULL};

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(record, sizeof(record), "%s/record", dir);
	helper = (struct helper){.program = program, .conf_path = "/etc/t.conf", .node = "n1", .seconds = 20};
}

static void teardown(void)
{
	unlink(program);
	unlink(record);
	rmdir(dir);
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
}

static void script(const char *text)
{
	int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	FILE *f = fdopen(fd, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", text);
	fclose(f);
}

START_TEST(its_words_and_its_output)
{
	struct tessera_error err = {0};
	char out[256], want[256], small[8];

	script("echo \"$@\"; echo noise >&2");
	ck_assert_msg(helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	snprintf(want, sizeof(want), "--conf=/etc/t.conf --node=n1 create --job=1\n");
	ck_assert_str_eq(out, want);
	ck_assert_int_eq(helper_run(&helper, words, small, sizeof(small), &err), 0);
	ck_assert_str_eq(small, "--conf=");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), 0);
}
END_TEST

/* More than a pipe holds must not stop it. */
START_TEST(much_output)
{
	struct tessera_error err = {0};
	char out[16];

	script("i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; echo x >&2; "
	       "i=$((i + 1)); done");
	ck_assert_msg(helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	ck_assert_str_eq(out, "012345678901234");
}
END_TEST

/* A program gone mad has said what it said all the same. */
START_TEST(rubbish)
{
	struct tessera_error err = {0};

	script("printf 'a\\000b\\n\\000\\000the last\\000word\\n' >&2; exit 1");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_str_eq(err.text, "??the last?word");
}
END_TEST

START_TEST(its_codes)
{
	struct tessera_error err = {0};
	char text[64];

	for (int code = TESSERA_ERR_INPUT; code <= TESSERA_ERR_SHORTAGE; code++) {
		snprintf(text, sizeof(text), "echo 'no %d today' >&2; exit %d", code, code);
		script(text);
		ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
		ck_assert_int_eq(err.code, code);
		snprintf(text, sizeof(text), "no %d today", code);
		ck_assert_str_eq(err.text, text);
	}
	script("exit 5");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	script("echo what >&2; exit 99");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "99"));
	ck_assert_ptr_nonnull(strstr(err.text, "what"));
	script("kill -KILL $$");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "signal 9"));
}
END_TEST

/* The process that a script wrote down, and all of its group, are gone. */
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

static void hanging(const char *how)
{
	char text[512];

	snprintf(text, sizeof(text), "echo $$ >%s.new; sleep 1000 & echo $! >>%s.new; mv %s.new %s; %s", record,
		 record, record, record, how);
	script(text);
}

START_TEST(hangs)
{
	struct tessera_error err = {0};

	hanging("wait");
	helper.seconds = 1;
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "did not end in time"));
	expect_gone();
}
END_TEST

/* It closes its outputs and stays: only the deadline helps. */
START_TEST(hangs_in_silence)
{
	struct tessera_error err = {0};
	char text[256];

	snprintf(text, sizeof(text), "exec >&- 2>&-; echo $$ >%s; sleep 1000", record);
	script(text);
	helper.seconds = 1;
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_nonnull(strstr(err.text, "did not end in time"));
	expect_gone();
}
END_TEST

static bool not_wanted(void *arg)
{
	++*(int *)arg;
	return access(record, F_OK) != 0;
}

START_TEST(no_longer_wanted)
{
	struct tessera_error err = {0};
	int asked = 0;

	hanging("wait");
	helper.seconds = 100;
	helper.go_on = not_wanted;
	helper.arg = &asked;
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_gt(asked, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "no longer wanted"));
	expect_gone();
}
END_TEST

/* Who might answer too late is not asked. */
START_TEST(no_more_questions)
{
	struct tessera_error err = {0};
	int asked = 0;

	hanging("wait");
	helper.seconds = 3;
	helper.go_on = not_wanted;
	helper.arg = &asked;
	helper.ask_until = 1;
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(asked, 0);
	ck_assert_ptr_nonnull(strstr(err.text, "did not end in time"));
	expect_gone();
}
END_TEST

/* What it left behind ends with it. */
START_TEST(its_children)
{
	struct tessera_error err = {0};

	hanging("exit 0");
	ck_assert_msg(helper_run(&helper, words, NULL, 0, &err) == 0, "%s", err.text);
	expect_gone();
}
END_TEST

/* Who runs it is killed, and takes it along. */
START_TEST(its_parent)
{
	char text[256];
	pid_t parent;

	snprintf(text, sizeof(text), "echo $$ >%s.new; mv %s.new %s; exec sleep 1000", record, record, record);
	script(text);
	parent = fork();
	if (parent == 0) {
		helper_run(&helper, words, NULL, 0, NULL);
		_exit(0);
	}
	for (int i = 0; i < 10000 && access(record, F_OK) != 0; i++)
		usleep(1000);
	ck_assert_int_eq(kill(parent, SIGKILL), 0);
	waitpid(parent, NULL, 0);
	expect_gone();
}
END_TEST

/* Nothing of ours goes along. */
START_TEST(alone)
{
	struct tessera_error err = {0};
	char out[4096];
	int fd = open("/dev/zero", O_RDONLY);

	ck_assert_int_gt(fd, 2);
	setenv("LD_PRELOAD", "", 1);
	setenv("SECRET", "42", 1);
	script("env | grep -v '^PWD=\\|^OLDPWD=\\|^_=\\|^SHLVL=' | sort; ls /proc/self/fd | wc -l; pwd; cat");
	ck_assert_msg(helper_run(&helper, words, out, sizeof(out), &err) == 0, "%s", err.text);
	/* 0, 1, 2 and the one that ls reads its own directory with. */
	ck_assert_str_eq(out, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n4\n/\n");
	close(fd);
}
END_TEST

START_TEST(who_ignores_children)
{
	struct tessera_error err = {0};
	struct sigaction now;

	signal(SIGCHLD, SIG_IGN);
	script("echo no >&2; exit 1");
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	sigaction(SIGCHLD, NULL, &now);
	ck_assert(now.sa_handler == SIG_IGN);
}
END_TEST

START_TEST(not_to_be_run)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	script("exit 0");
	ck_assert_int_eq(chmod(program, 0775), 0);
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_int_eq(chmod(program, 0644), 0);
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_int_eq(chmod(program, 0755), 0);
	ck_assert_int_eq(helper_run(&helper, words, NULL, 0, &err), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, its_words_and_its_output);
	tcase_add_test(tcase, much_output);
	tcase_add_test(tcase, rubbish);
	tcase_add_test(tcase, its_codes);
	tcase_add_test(tcase, hangs);
	tcase_add_test(tcase, hangs_in_silence);
	tcase_add_test(tcase, no_longer_wanted);
	tcase_add_test(tcase, no_more_questions);
	tcase_add_test(tcase, its_children);
	tcase_add_test(tcase, its_parent);
	tcase_add_test(tcase, alone);
	tcase_add_test(tcase, who_ignores_children);
	tcase_add_test(tcase, not_to_be_run);
}

UNIT_MAIN("helper", add_tests)
