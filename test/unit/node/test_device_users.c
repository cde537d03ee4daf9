/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/node/device_users.h"
#include "lib/state/ledger.h"
#include "lib/util/deadline.h"
#include "lib/util/proc.h"
#include "test/unit/node/device_users_unit.h"

/* Replaces the clock: each reading is this many seconds after the last one. */

static unsigned seconds_per_reading, readings;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static time_t later;
	int rc = (int)syscall(SYS_clock_gettime, clock, t);

	later += seconds_per_reading;
	readings++;
	t->tv_sec += later;
	return rc;
}

/* If not 0, the next directory that is read to its end fails with this errno instead. */

static int list_error;

struct dirent *readdir(DIR *stream)
{
	struct dirent *(*real)(DIR *);
	struct dirent *entry;

	*(void **)&real = dlsym(RTLD_NEXT, "readdir");
	entry = real(stream);
	if (entry == NULL && list_error != 0) {
		errno = list_error;
		list_error = 0;
	}
	return entry;
}

static struct device_user *list;

static const char *in_proc(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	return path;
}

/* Find processes, into LIST. Returns their number. */
static int find_users(const char *pattern, uint32_t uid)
{
	struct tessera_error err = {0};
	bool cut = true;
	int n;

	free(list);
	n = device_users_find(proc, pattern, uid, deadline_after(60), &list, &cut, &err);
	ck_assert_msg(n >= 0 && !cut, "%s", err.text);
	return n;
}

START_TEST(by_user)
{
	make_process("900", 1001, "python3", "/dev/rdu");
	make_process("30", 1002, "bash", "/dev/rdu");
	make_process("77", 1001, "sleep", NULL);
	make_process("1000", 1001, "late", "/dev/rdu_mem_map");
	ck_assert_int_eq(find_users("/dev/rdu*", 1001), 2);
	ck_assert_int_eq(list[0].pid, 900);
	ck_assert_uint_eq(list[0].uid, 1001);
	ck_assert_uint_eq(list[0].start, 9000);
	ck_assert_str_eq(list[0].command, "python3");
	ck_assert_str_eq(list[0].file, "/dev/rdu");
	ck_assert_int_eq(list[1].pid, 1000);
	ck_assert_int_eq(find_users("/dev/rdu*", 1002), 1);
	ck_assert_int_eq(list[0].pid, 30);
	ck_assert_int_eq(find_users("/dev/rdu*", 0), 0);
	ck_assert_ptr_null(list);
	ck_assert_int_eq(find_users("/dev/rdu*", DEVICE_USERS_ALL), 3);
	ck_assert_int_eq(list[0].pid, 30);
	ck_assert_int_eq(list[2].pid, 1000);
}
END_TEST

START_TEST(by_name)
{
	static const struct {
		const char *file, *pattern;
		int found;
	} cases[] = {
		{"/dev/rdu", "/dev/rdu", 1},
		{"/dev/rdu", "/dev/rdu*", 1},
		{"/dev/rdu3", "/dev/rdu[0-3]", 1},
		{"/dev/rdu4", "/dev/rdu[0-3]", 0},
		{"/dev/rdu", "/dev/rd", 0},
		{"/dev/rdu", "rdu", 0},
		{"/dev/rdu", "", 0},
		{"/dev/rdu (deleted)", "/dev/rdu*", 1},
		{"/dev/sda", "/dev/rdu*", 0},
		{"/home/ann/dev/rdu", "/dev/rdu*", 0},
		{"socket:[1]", "*", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%zu", 100 + i);
		make_process(pid, 5000 + (uint32_t)i, "p", cases[i].file);
		ck_assert_msg(find_users(cases[i].pattern, 5000 + (uint32_t)i) == cases[i].found,
			      "%s %s", cases[i].file, cases[i].pattern);
	}
}
END_TEST

/* What is not a process, or ends while it is inspected. */
START_TEST(no_users)
{
	ck_assert_int_eq(find_users("*", DEVICE_USERS_ALL), 0);
	make_process("self", 1001, "link", "/dev/rdu");
	make_process("01", 1001, "zero", "/dev/rdu");
	make_dir("13");
	make_process("17", 1001, "ends", NULL);
	ck_assert_int_eq(unlink(in_proc("17/stat")), 0);
	make_process("18", 1001, "ends", NULL);
	ck_assert_int_eq(unlink(in_proc("18/status")), 0);
	make_process("14", 1001, "no-uid", "/dev/rdu");
	make_file("14/status", "Name:\tx\n");
	make_process("15", 1001, "no-stat", "/dev/rdu");
	make_file("15/stat", "");
	make_process("16", 1001, "cut", "/dev/rdu");
	make_file("16/stat", "16 (cut) S 1 1");
	ck_assert_int_eq(find_users("/dev/rdu", DEVICE_USERS_ALL), 0);
}
END_TEST

/* Errors that hide a process's files, but do not mean that it has ended. */
START_TEST(not_known)
{
	static const struct {
		const char *name;
		int error;
		uint32_t uid; /* in the message; DEVICE_USERS_ALL: not known, either */
	} cases[] = {
		{"20", ENOTDIR, DEVICE_USERS_ALL},
		{"20/status", ELOOP, DEVICE_USERS_ALL},
		{"20/fd", ELOOP, 1001},
		{"20/stat", ELOOP, 1001},
		{"20/fd/9", EINVAL, 1001},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_error err = {0};
		char text[64];
		bool cut = false;

		proc_teardown();
		proc_setup();
		make_process("30", 1001, "sure", "/dev/rdu");
		if (i > 0)
			make_process("20", 1001, "veiled", NULL);
		if (cases[i].error == ELOOP) {
			nftw(in_proc(cases[i].name), remove_one, 8, FTW_DEPTH | FTW_PHYS);
			make_link(cases[i].name, strrchr(cases[i].name, '/') + 1);
		} else {
			make_file(cases[i].name, "");
		}
		/* The others are found nevertheless. */
		ck_assert_int_eq(device_users_find(proc, "/dev/rdu", 1001, deadline_after(60),
						   &list, &cut, &err),
				 1);
		ck_assert_int_eq(list[0].pid, 30);
		free(list);
		ck_assert_msg(cut, "%s", cases[i].name);
		ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
		snprintf(text, sizeof(text), "cannot inspect process 20 (%s) of %s",
			 i > 0 ? "veiled" : "?",
			 cases[i].uid == 1001 ? "uid 1001" : "an unknown user");
		ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
		ck_assert_msg(strstr(err.text, strerror(cases[i].error)) != NULL, "%s", err.text);
		ck_assert_int_eq(device_users_find(proc, "/dev/rdu", 1001, deadline_after(60),
						   &list, NULL, &err),
				 -1);
		ck_assert_ptr_null(list);
		/* It does not matter in a search for another user, if its user is known. */
		cut = false;
		ck_assert_int_eq(device_users_find(proc, "/dev/rdu", 1002, deadline_after(60),
						   &list, &cut, &err),
				 0);
		ck_assert_int_eq(cut, cases[i].uid == DEVICE_USERS_ALL);
		ck_assert_int_eq(device_users_find(proc, "/dev/rdu", DEVICE_USERS_ALL,
						   deadline_after(60), &list, &cut, &err),
				 1);
		ck_assert(cut);
		free(list);
		list = NULL;
	}
}
END_TEST

START_TEST(not_all_known)
{
	struct tessera_error err = {0};
	bool cut = false;

	list_error = EIO;
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err),
		-1);
	ck_assert_msg(strstr(err.text, strerror(EIO)) != NULL, "%s", err.text);
	ck_assert_ptr_null(list);
	make_process("20", 1001, "p", NULL);
	list_error = ENOENT; /* it is ending */
	ck_assert_int_eq(find_users("/dev/rdu", 1001), 0);
	list_error = EIO;
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err),
		0);
	ck_assert(cut);
	ck_assert_msg(strstr(err.text, "cannot inspect process 20 (p) of uid 1001") != NULL, "%s",
		      err.text);
}
END_TEST

/* init is the only process that may fail to be inspected. */
START_TEST(not_known_of_init)
{
	make_process("1", 0, "init", NULL);
	make_file("1/fd/9", "");
	ck_assert_int_eq(find_users("/dev/rdu", 0), 0);
	ck_assert_int_eq(find_users("/dev/rdu", DEVICE_USERS_ALL), 0);
	make_link("1/fd/8", "/dev/rdu");
	ck_assert_int_eq(unlink(in_proc("1/fd/9")), 0);
	ck_assert_int_eq(find_users("/dev/rdu", 0), 1);
}
END_TEST

START_TEST(not_known_of_a_thread)
{
	struct tessera_error err = {0};
	bool cut = false;

	make_process("20", 1001, "dead", NULL);
	make_file("20/stat", "20 (dead) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	make_file("20/task", "");
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err),
		0);
	ck_assert(cut);
	ck_assert_int_eq(unlink(in_proc("20/task")), 0);
	make_dir("20/task");
	make_dir("20/task/20"); /* it is ending */
	ck_assert_int_eq(find_users("/dev/rdu", 1001), 0);
	make_file("20/task/20/fd", "");
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err),
		0);
	ck_assert(cut);
}
END_TEST

/* A thread that hangs in the driver keeps the files of a process whose first thread is a zombie. */
START_TEST(threads_of_a_zombie)
{
	make_process("20", 1001, "dead", NULL);
	make_file("20/stat", "20 (dead) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	make_dir("20/task");
	make_dir("20/task/20");
	make_dir("20/task/20/fd");
	ck_assert_int_eq(find_users("/dev/rdu*", 1001), 0);
	make_dir("20/task/21");
	make_dir("20/task/21/fd");
	make_link("20/task/21/fd/7", "/dev/rdu");
	ck_assert_int_eq(find_users("/dev/rdu*", 1001), 1);
	ck_assert_int_eq(list[0].pid, 20);
	ck_assert_uint_eq(list[0].start, 200);
	ck_assert_str_eq(list[0].file, "/dev/rdu");
	/* A process that is not a zombie has the same files in all threads. */
	make_file("20/stat", "20 (dead) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	ck_assert_int_eq(find_users("/dev/rdu*", 1001), 0);
}
END_TEST

START_TEST(names_are_plain)
{
	char name[200], file[400];

	make_process("20", 1001, "a\033[2J\177\302\233z", "/dev/rdu\n\t\303\244");
	ck_assert_int_eq(find_users("/dev/rdu*", 1001), 1);
	ck_assert_str_eq(list[0].command, "a?[2J???z");
	ck_assert_str_eq(list[0].file, "/dev/rdu????");
	/* A newline and a closing bracket within the name. */
	make_process("21", 1002, "x", "/dev/rdu");
	make_file("21/comm", "x) S 1\nUid:\t0\n");
	make_file("21/stat", "21 (x) S 1 9) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 210 4 5 6\n");
	make_file("21/status", "Name:\tx\\nUid:\t0\nUid:\t1002\t0\t0\t0\n");
	ck_assert_int_eq(find_users("/dev/rdu*", 1002), 1);
	ck_assert_uint_eq(list[0].start, 210);
	ck_assert_str_eq(list[0].command, "x) S 1");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(file, 'f', sizeof(file) - 1);
	file[sizeof(file) - 1] = '\0';
	make_process("22", 1003, name, file);
	ck_assert_int_eq(find_users("f*", 1003), 1);
	ck_assert_uint_eq(strlen(list[0].command), sizeof(list[0].command) - 1);
	ck_assert_uint_eq(strlen(list[0].file), sizeof(list[0].file) - 1);
}
END_TEST

START_TEST(many)
{
	for (int i = 1; i <= 100; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", i);
		make_process(pid, 1001, "p", "/dev/rdu");
	}
	ck_assert_int_eq(find_users("/dev/rdu", 1001), 100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(list[i].pid, i + 1);
}
END_TEST

START_TEST(no_file_left)
{
	unsigned before = open_files();
	struct device_user process;

	make_process("20", 1001, "p", "/dev/rdu");
	make_process("21", 1002, "q", NULL);
	make_process("22", 1001, "z", NULL);
	make_file("22/stat", "22 (z) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 220 4 5 6\n");
	make_dir("22/task");
	make_dir("22/task/22");
	make_dir("22/task/22/fd");
	ck_assert_int_eq(find_users("/dev/rdu", 1001), 1);
	ck_assert(device_users_describe(proc, 20, &process));
	ck_assert(!device_users_describe(proc, 99, &process));
	ck_assert_int_eq(device_users_signal(&(struct device_user){.pid = getpid(), .start = 1},
					     SIGKILL, NULL),
			 0);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

START_TEST(unreadable_proc)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(device_users_find("/nowhere/at/all", "*", DEVICE_USERS_ALL,
					   deadline_after(60), &list, NULL, &err),
			 -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/at/all"));
	ck_assert_ptr_null(list);
}
END_TEST

START_TEST(no_search_without_end)
{
	struct tessera_error err = {0};
	bool cut = false;

	make_process("20", 1001, "p", "/dev/rdu");
	make_process("21", 1001, "p", "/dev/rdu");
	make_process("22", 1001, "p", "/dev/rdu");
	ck_assert_int_eq(
		device_users_find(proc, "*", DEVICE_USERS_ALL, deadline_now(), &list, NULL, &err),
		-1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_ptr_null(list);
	/* The deadline also counts within the files of one process. */
	for (int i = 0; i < 3000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "20/fd/%d", 100 + i);
		make_link(name, "/dev/null");
	}
	readings = 0;
	ck_assert_int_eq(device_users_find(proc, "no", 1001, deadline_after(60), &list, &cut, &err),
			 0);
	ck_assert_uint_ge(readings, 1 + 3 + 2);
	ck_assert(!cut);
	/*
	 * Three processes alone need less than five readings of the clock; each thousand files need
	 * one more.
	 */
	seconds_per_reading = 2;
	ck_assert_int_eq(device_users_find(proc, "no", 1001, deadline_after(9), &list, NULL, &err),
			 -1);
	seconds_per_reading = 0;
}
END_TEST

/* At the deadline, the processes found so far are returned. */
START_TEST(a_list_that_is_cut)
{
	struct tessera_error err = {0};
	bool cut = false;

	for (int i = 20; i < 30; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", i);
		make_process(pid, 1001, "p", "/dev/rdu");
	}
	/* The clock is read for the deadline, and after each process. */
	seconds_per_reading = 2;
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(7), &list, &cut, &err), 4);
	ck_assert(cut);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(list[i].start, 10 * (uint64_t)list[i].pid);
	for (int i = 1; i < 4; i++)
		ck_assert_int_lt(list[i - 1].pid, list[i].pid);
	free(list);
	seconds_per_reading = 0;
	/* The first process is always inspected. */
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_now(), &list, &cut, &err), 1);
	ck_assert(cut);
	free(list);
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err),
		10);
	ck_assert(!cut);
}
END_TEST

/* The deadline also counts within the threads of a zombie. */
START_TEST(threads_until_the_end)
{
	struct tessera_error err = {0};
	bool cut = false;

	make_process("20", 1001, "dead", NULL);
	make_file("20/stat", "20 (dead) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	make_dir("20/task");
	for (int i = 20; i < 30; i++) {
		char name[32];

		snprintf(name, sizeof(name), "20/task/%d", i);
		make_dir(name);
		snprintf(name, sizeof(name), "20/task/%d/fd", i);
		make_dir(name);
	}
	readings = 0;
	seconds_per_reading = 2;
	ck_assert_int_eq(
		device_users_find(proc, "/dev/rdu", 1001, deadline_after(7), &list, &cut, &err), 0);
	seconds_per_reading = 0;
	ck_assert(cut);
	ck_assert_uint_le(readings, 6);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, proc_setup, proc_teardown);
	tcase_add_test(tcase, by_user);
	tcase_add_test(tcase, by_name);
	tcase_add_test(tcase, no_users);
	tcase_add_test(tcase, not_known);
	tcase_add_test(tcase, not_all_known);
	tcase_add_test(tcase, not_known_of_init);
	tcase_add_test(tcase, not_known_of_a_thread);
	tcase_add_test(tcase, threads_of_a_zombie);
	tcase_add_test(tcase, names_are_plain);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, no_file_left);
	tcase_add_test(tcase, unreadable_proc);
	tcase_add_test(tcase, no_search_without_end);
	tcase_add_test(tcase, a_list_that_is_cut);
	tcase_add_test(tcase, threads_until_the_end);
}

UNIT_MAIN("device_users", add_tests)
