/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gres/process_env.h"
#include "lib/holders.h"
#include "test/unit/unit.h"

#define PROGRAM "/bin/cat"

static pid_t child;
static int input; /* the program ends when it is closed */

/* Start PROGRAM with this environment, and wait until it has said a word: while it is loaded it has none. */
static void start(const char *const *env)
{
	const char *argv[] = {PROGRAM, NULL}, *const *words = argv;
	char *const *line, *const *variables;
	int in[2], out[2];
	char word;

	/* execve() takes what it only reads without const. */
	memcpy(&line, &words, sizeof(line));
	memcpy(&variables, &env, sizeof(variables));
	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execve(PROGRAM, line, variables);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	input = in[1];
	ck_assert_int_eq(write(input, "x", 1), 1);
	ck_assert_int_eq(read(out[0], &word, 1), 1);
	close(out[0]);
}

static void finish(void)
{
	close(input);
	waitpid(child, NULL, 0);
}

START_TEST(found)
{
	const char *env[] = {"NOTTESSERA_GRANT=1",
			     "TESSERA_GRANTED=2",
			     "TESSERA_GRAN=3",
			     "noequals",
			     "TESSERA_GRANT=MUNGE:a=b:",
			     "TESSERA_GRANT=second",
			     "EMPTY=",
			     "ODD=\x1b[31m\n\xff",
			     NULL};
	struct process_env e;
	struct tessera_error err = {0};

	start(env);
	ck_assert_msg(process_env_read(child, &e, &err) == 0, "%s", err.text);
	ck_assert_str_eq(process_env_find(&e, "TESSERA_GRANT"), "MUNGE:a=b:");
	ck_assert_str_eq(process_env_find(&e, "EMPTY"), "");
	ck_assert_str_eq(process_env_find(&e, "ODD"), "\x1b[31m\n\xff");
	ck_assert_str_eq(process_env_find(&e, "NOTTESSERA_GRANT"), "1");
	ck_assert_ptr_null(process_env_find(&e, "noequals"));
	ck_assert_ptr_null(process_env_find(&e, "TESSERA"));
	ck_assert_ptr_null(process_env_find(&e, ""));
	process_env_free(&e);
	ck_assert_ptr_null(process_env_find(&e, "EMPTY"));
	finish();
}
END_TEST

START_TEST(empty)
{
	const char *env[] = {NULL};
	struct process_env e;

	start(env);
	ck_assert_int_eq(process_env_read(child, &e, NULL), 0);
	ck_assert_uint_eq(e.len, 0);
	ck_assert_ptr_null(process_env_find(&e, "PATH"));
	process_env_free(&e);
	finish();
}
END_TEST

/* A number is one process's only as long as that lives. */
START_TEST(same)
{
	const char *env[] = {NULL};
	struct holder process, other;

	start(env);
	ck_assert(holders_describe("/proc", child, &process));
	ck_assert(process_is_same(&process));
	other = process;
	other.start++;
	ck_assert(!process_is_same(&other));
	other = process;
	other.uid++;
	ck_assert(!process_is_same(&other));
	finish();
	ck_assert(!process_is_same(&process));
}
END_TEST

/* More than a pipe holds, and more than one read brings. */
START_TEST(large)
{
	static char words[10][120000];
	const char *env[12] = {0};
	struct process_env e;

	for (size_t i = 0; i < 10; i++) {
		snprintf(words[i], sizeof(words[i]), "N%zu=%0*zu", i, 100000, i);
		env[i] = words[i];
	}
	env[10] = "LAST=here";
	start(env);
	ck_assert_int_eq(process_env_read(child, &e, NULL), 0);
	ck_assert_uint_gt(e.len, 1000000);
	ck_assert_str_eq(process_env_find(&e, "LAST"), "here");
	ck_assert_uint_eq(strlen(process_env_find(&e, "N7")), 100000);
	process_env_free(&e);
	finish();
}
END_TEST

START_TEST(gone)
{
	const char *env[] = {NULL};
	struct tessera_error err = {0};
	struct process_env e;
	struct holder process;

	start(env);
	finish();
	ck_assert_int_eq(process_env_read(child, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_null(e.text);
	ck_assert(!holders_describe("/proc", child, &process));
}
END_TEST

/* Somebody else's is not ours to read; root is asked by nobody. */
START_TEST(denied)
{
	struct tessera_error err = {0};
	struct process_env e;

	if (geteuid() == 0) {
		ck_assert_int_eq(setgid(65534), 0);
		ck_assert_int_eq(setuid(65534), 0);
	}
	ck_assert_int_eq(process_env_read(1, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	process_env_free(&e);
}
END_TEST

START_TEST(described)
{
	const char *env[] = {NULL};
	struct holder process;

	start(env);
	ck_assert(holders_describe("/proc", child, &process));
	ck_assert_int_eq(process.pid, child);
	ck_assert_uint_eq(process.uid, getuid());
	ck_assert_str_eq(process.command, "cat");
	ck_assert_str_eq(process.file, "");
	ck_assert_uint_ne(process.start, 0);
	finish();
	ck_assert(!holders_describe("/nowhere", getpid(), &process));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, found);
	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, same);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, gone);
	tcase_add_test(tcase, denied);
	tcase_add_test(tcase, described);
}

UNIT_MAIN("process_env", add_tests)
