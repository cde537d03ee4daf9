/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/observe/process_env.h"
#include "lib/node/device_users.h"
#include "test/unit/node/device_users_unit.h"

#define PROGRAM "/bin/cat"

static pid_t child;
static int input; /* the program ends when this is closed */

/*
 * Start PROGRAM with this environment, and wait for its first output: /proc shows no environment
 * while the program is being loaded.
 */
static void start(const char *const *env)
{
	const char *argv[] = {PROGRAM, NULL}, *const *words = argv;
	char *const *line, *const *variables;
	int in[2], out[2];
	char word;

	/* The parameters of execve() lack const, although it only reads them. */
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
	ck_assert_msg(process_env_read("/proc", child, NULL, &e, &err) == 0, "%s", err.text);
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
	ck_assert_int_eq(process_env_read("/proc", child, NULL, &e, NULL), 0);
	ck_assert_uint_eq(e.len, 0);
	ck_assert_ptr_null(process_env_find(&e, "PATH"));
	process_env_free(&e);
	finish();
}
END_TEST

/* Texts that contain a variable, or none. */
START_TEST(no_variable)
{
	static const struct {
		const char *text;
		size_t len;
		bool empty;
	} cases[] = {
		{"", 0, true},
		{"\0\0\0", 3, true},
		{"trainer: a=b\0\0\0", 15, true},
		{"=b\0", 3, true},
		{"a", 1, true},
		{"a=", 2, false},
		{"trainer\0A_1=\0", 13, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct process_env e = {.text = calloc(1, cases[i].len + 1), .len = cases[i].len};

		ck_assert_ptr_nonnull(e.text);
		memcpy(e.text, cases[i].text, cases[i].len);
		ck_assert_msg(process_env_empty(&e) == cases[i].empty, "%zu", i);
		process_env_free(&e);
		ck_assert(process_env_empty(&e));
	}
}
END_TEST

/* A pid identifies a process only until the process has ended. */
START_TEST(same)
{
	const char *env[] = {NULL};
	struct device_user process, other;

	start(env);
	ck_assert(device_users_describe("/proc", child, &process));
	ck_assert(process_is_same("/proc", &process));
	other = process;
	other.start++;
	ck_assert(!process_is_same("/proc", &other));
	other = process;
	other.uid++;
	ck_assert(!process_is_same("/proc", &other));
	finish();
	ck_assert(!process_is_same("/proc", &process));
}
END_TEST

/* Larger than a pipe, and than one read. */
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
	ck_assert_int_eq(process_env_read("/proc", child, NULL, &e, NULL), 0);
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
	struct device_user process;

	start(env);
	finish();
	ck_assert_int_eq(process_env_read("/proc", child, NULL, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_null(e.text);
	ck_assert(!device_users_describe("/proc", child, &process));
}
END_TEST

/* An environment that cannot be read to its end is an error: it may have more variables. */
START_TEST(half)
{
	struct tessera_error err = {0};
	struct process_env e;

	proc_setup();
	make_dir("21");
	make_dir("21/environ");
	ck_assert_int_eq(process_env_read(proc, 21, NULL, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(err.text, "cannot read the environment of process 21: Input/output error");
	process_env_free(&e);
	proc_teardown();
}
END_TEST

/* The environment of another user's process cannot be read, except by root. */
START_TEST(denied)
{
	struct tessera_error err = {0};
	struct process_env e;

	if (geteuid() == 0) {
		ck_assert_int_eq(setgid(65534), 0);
		ck_assert_int_eq(setuid(65534), 0);
	}
	ck_assert_int_eq(process_env_read("/proc", 1, NULL, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	process_env_free(&e);
}
END_TEST

START_TEST(described)
{
	const char *env[] = {NULL};
	struct device_user process;

	start(env);
	ck_assert(device_users_describe("/proc", child, &process));
	ck_assert_int_eq(process.pid, child);
	ck_assert_uint_eq(process.uid, getuid());
	ck_assert_str_eq(process.command, "cat");
	ck_assert_str_eq(process.file, "");
	ck_assert_uint_ne(process.start, 0);
	finish();
	ck_assert(!device_users_describe("/nowhere", getpid(), &process));
}
END_TEST

/* A zombie has an empty environment, which is not an error. */
START_TEST(ended)
{
	const char *env[] = {"A=b", NULL};
	struct tessera_error err = {0};
	struct process_env e;
	siginfo_t info;

	start(env);
	close(input);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	ck_assert_msg(process_env_read("/proc", child, NULL, &e, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(e.len, 0);
	process_env_free(&e);
	waitpid(child, NULL, 0);
}
END_TEST

/* Without time left nothing is read; otherwise the time that it took is subtracted. */
START_TEST(time_is_counted)
{
	int64_t left = 0;
	struct tessera_error err = {0};
	struct process_env e;

	proc_setup();
	make_dir("21");
	make_file("21/environ", "A=b");
	ck_assert_int_eq(process_env_read(proc, 21, &left, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_msg(strncmp(err.text, "the environment of process 21 was not read: ", 44) == 0,
		      "%s", err.text);
	ck_assert_ptr_null(e.text);
	ck_assert_int_eq(left, 0);
	left = -1;
	ck_assert_int_eq(process_env_read(proc, 21, &left, &e, NULL), -1);
	left = 3600000;
	ck_assert_int_eq(process_env_read(proc, 21, &left, &e, NULL), 0);
	ck_assert_str_eq(process_env_find(&e, "A"), "b");
	ck_assert_int_le(left, 3600000);
	ck_assert_int_gt(left, 0);
	process_env_free(&e);
	proc_teardown();
}
END_TEST

/* A process that blocks the reader uses up the time, and none is left for the next one. */
START_TEST(made_to_wait)
{
	int64_t left = 100;
	struct tessera_error err = {0};
	struct process_env e;

	proc_setup();
	make_waiting("21");
	make_dir("22");
	make_file("22/environ", "A=b");
	ck_assert_int_eq(process_env_read(proc, 21, &left, &e, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_msg(strcmp(err.text, "the environment of process 21: timed out") == 0, "%s",
		      err.text);
	ck_assert_int_le(left, 0);
	ck_assert_int_eq(process_env_read(proc, 22, &left, &e, &err), -1);
	ck_assert_msg(strstr(err.text, " was not read: ") != NULL, "%s", err.text);

	/* There is a limit also if the caller sets none. */
	ck_assert_int_eq(process_env_read(proc, 21, NULL, &e, &err), -1);
	proc_teardown();
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, found);
	tcase_add_test(tcase, empty);
	tcase_add_test(tcase, no_variable);
	tcase_add_test(tcase, same);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, gone);
	tcase_add_test(tcase, half);
	tcase_add_test(tcase, denied);
	tcase_add_test(tcase, described);
	tcase_add_test(tcase, ended);
	tcase_add_test(tcase, time_is_counted);
	tcase_add_test(tcase, made_to_wait);
}

UNIT_MAIN("process_env", add_tests)
