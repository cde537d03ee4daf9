/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/deadline.h"
#include "lib/holders.h"
#include "lib/ledger.h"
#include "test/unit/holders_unit.h"

/* A clock that can be made to run: each look at it is so many seconds later. */

static unsigned seconds_per_look, looks;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static time_t later;
	int rc = (int)syscall(SYS_clock_gettime, clock, t);

	later += seconds_per_look;
	looks++;
	t->tv_sec += later;
	return rc;
}

/* The next list of files that is read to its end has another one. */

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

static struct holder *list;

static const char *in_proc(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	return path;
}

/* How many there are; those of an earlier look are forgotten. */
static int find(const char *pattern, uint32_t uid)
{
	struct tessera_error err = {0};
	bool cut = true;
	int n;

	free(list);
	n = holders_find(proc, pattern, uid, deadline_after(60), &list, &cut, &err);
	ck_assert_msg(n >= 0 && !cut, "%s", err.text);
	return n;
}

/* Finding */

START_TEST(by_user)
{
	make_process("900", 1001, "python3", "/dev/rdu");
	make_process("30", 1002, "bash", "/dev/rdu");
	make_process("77", 1001, "sleep", NULL);
	make_process("1000", 1001, "late", "/dev/rdu_mem_map");
	ck_assert_int_eq(find("/dev/rdu*", 1001), 2);
	ck_assert_int_eq(list[0].pid, 900);
	ck_assert_uint_eq(list[0].uid, 1001);
	ck_assert_uint_eq(list[0].start, 9000);
	ck_assert_str_eq(list[0].command, "python3");
	ck_assert_str_eq(list[0].file, "/dev/rdu");
	ck_assert_int_eq(list[1].pid, 1000);
	ck_assert_int_eq(find("/dev/rdu*", 1002), 1);
	ck_assert_int_eq(list[0].pid, 30);
	ck_assert_int_eq(find("/dev/rdu*", 0), 0);
	ck_assert_ptr_null(list);
	ck_assert_int_eq(find("/dev/rdu*", HOLDERS_ALL), 3);
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
		ck_assert_msg(find(cases[i].pattern, 5000 + (uint32_t)i) == cases[i].found, "%s %s", cases[i].file,
			      cases[i].pattern);
	}
}
END_TEST

/* What is no process, or is gone by the time that it is looked at. */
START_TEST(no_holders)
{
	ck_assert_int_eq(find("*", HOLDERS_ALL), 0);
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
	ck_assert_int_eq(find("/dev/rdu", HOLDERS_ALL), 0);
}
END_TEST

/* What keeps us from a process's files, but does not mean that it is gone. */
START_TEST(not_known)
{
	static const struct {
		const char *name;
		int error;
		uint32_t uid; /* that is told; HOLDERS_ALL: that is not known, either */
	} cases[] = {
		{"20", ENOTDIR, HOLDERS_ALL}, {"20/status", ELOOP, HOLDERS_ALL}, {"20/fd", ELOOP, 1001},
		{"20/stat", ELOOP, 1001},     {"20/fd/9", EINVAL, 1001},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_error err = {0};
		char who[64];
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
		/* The others are found all the same. */
		ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), 1);
		ck_assert_int_eq(list[0].pid, 30);
		free(list);
		ck_assert_msg(cut, "%s", cases[i].name);
		ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
		snprintf(who, sizeof(who), "process 20 (%s) of %s cannot", i > 0 ? "veiled" : "?",
			 cases[i].uid == 1001 ? "uid 1001" : "an unknown user");
		ck_assert_msg(strstr(err.text, who) != NULL, "%s", err.text);
		ck_assert_msg(strstr(err.text, strerror(cases[i].error)) != NULL, "%s", err.text);
		ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, NULL, &err), -1);
		ck_assert_ptr_null(list);
		/* What another has open matters to nobody, if it is another's. */
		cut = false;
		ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1002, deadline_after(60), &list, &cut, &err), 0);
		ck_assert_int_eq(cut, cases[i].uid == HOLDERS_ALL);
		ck_assert_int_eq(holders_find(proc, "/dev/rdu", HOLDERS_ALL, deadline_after(60), &list, &cut, &err),
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
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), -1);
	ck_assert_msg(strstr(err.text, strerror(EIO)) != NULL, "%s", err.text);
	ck_assert_ptr_null(list);
	make_process("20", 1001, "p", NULL);
	list_error = ENOENT; /* it ends */
	ck_assert_int_eq(find("/dev/rdu", 1001), 0);
	list_error = EIO;
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), 0);
	ck_assert(cut);
	ck_assert_msg(strstr(err.text, "process 20 (p) of uid 1001 cannot be looked at") != NULL, "%s", err.text);
}
END_TEST

/* Only init may keep to itself what it has. */
START_TEST(not_known_of_init)
{
	make_process("1", 0, "init", NULL);
	make_file("1/fd/9", "");
	ck_assert_int_eq(find("/dev/rdu", 0), 0);
	ck_assert_int_eq(find("/dev/rdu", HOLDERS_ALL), 0);
	make_link("1/fd/8", "/dev/rdu");
	ck_assert_int_eq(unlink(in_proc("1/fd/9")), 0);
	ck_assert_int_eq(find("/dev/rdu", 0), 1);
}
END_TEST

START_TEST(not_known_of_a_thread)
{
	struct tessera_error err = {0};
	bool cut = false;

	make_process("20", 1001, "dead", NULL);
	make_file("20/stat", "20 (dead) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	make_file("20/task", "");
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), 0);
	ck_assert(cut);
	ck_assert_int_eq(unlink(in_proc("20/task")), 0);
	make_dir("20/task");
	make_dir("20/task/20"); /* it ends */
	ck_assert_int_eq(find("/dev/rdu", 1001), 0);
	make_file("20/task/20/fd", "");
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), 0);
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
	ck_assert_int_eq(find("/dev/rdu*", 1001), 0);
	make_dir("20/task/21");
	make_dir("20/task/21/fd");
	make_link("20/task/21/fd/7", "/dev/rdu");
	ck_assert_int_eq(find("/dev/rdu*", 1001), 1);
	ck_assert_int_eq(list[0].pid, 20);
	ck_assert_uint_eq(list[0].start, 200);
	ck_assert_str_eq(list[0].file, "/dev/rdu");
	/* Who lives has the same files in all threads. */
	make_file("20/stat", "20 (dead) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 200 4\n");
	ck_assert_int_eq(find("/dev/rdu*", 1001), 0);
}
END_TEST

START_TEST(names_are_plain)
{
	char name[200], file[400];

	make_process("20", 1001, "a\033[2J\177\302\233z", "/dev/rdu\n\t\303\244");
	ck_assert_int_eq(find("/dev/rdu*", 1001), 1);
	ck_assert_str_eq(list[0].command, "a?[2J???z");
	ck_assert_str_eq(list[0].file, "/dev/rdu????");
	/* A line end within the name, and another number after a bracket. */
	make_process("21", 1002, "x", "/dev/rdu");
	make_file("21/comm", "x) S 1\nUid:\t0\n");
	make_file("21/stat", "21 (x) S 1 9) S 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 210 4 5 6\n");
	make_file("21/status", "Name:\tx\\nUid:\t0\nUid:\t1002\t0\t0\t0\n");
	ck_assert_int_eq(find("/dev/rdu*", 1002), 1);
	ck_assert_uint_eq(list[0].start, 210);
	ck_assert_str_eq(list[0].command, "x) S 1");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(file, 'f', sizeof(file) - 1);
	file[sizeof(file) - 1] = '\0';
	make_process("22", 1003, name, file);
	ck_assert_int_eq(find("f*", 1003), 1);
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
	ck_assert_int_eq(find("/dev/rdu", 1001), 100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(list[i].pid, i + 1);
}
END_TEST

/* However many there are, no file stays open. */
START_TEST(no_file_left)
{
	unsigned before = open_files();
	struct holder process;

	make_process("20", 1001, "p", "/dev/rdu");
	make_process("21", 1002, "q", NULL);
	make_process("22", 1001, "z", NULL);
	make_file("22/stat", "22 (z) Z 1 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 220 4 5 6\n");
	make_dir("22/task");
	make_dir("22/task/22");
	make_dir("22/task/22/fd");
	ck_assert_int_eq(find("/dev/rdu", 1001), 1);
	ck_assert(holders_describe(proc, 20, &process));
	ck_assert(!holders_describe(proc, 99, &process));
	ck_assert_int_eq(holders_signal(&(struct holder){.pid = getpid(), .start = 1}, SIGKILL, NULL), 0);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

START_TEST(not_to_be_read)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(holders_find("/nowhere/at/all", "*", HOLDERS_ALL, deadline_after(60), &list, NULL, &err),
			 -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
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
	ck_assert_int_eq(holders_find(proc, "*", HOLDERS_ALL, deadline_now(), &list, NULL, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	ck_assert_ptr_null(list);
	/* Also among the files of one. */
	for (int i = 0; i < 3000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "20/fd/%d", 100 + i);
		make_link(name, "/dev/null");
	}
	looks = 0;
	ck_assert_int_eq(holders_find(proc, "no", 1001, deadline_after(60), &list, &cut, &err), 0);
	ck_assert_uint_ge(looks, 1 + 3 + 2);
	ck_assert(!cut);
	/* Three processes are looked at in less than five looks at the clock, a thousand files each in more. */
	seconds_per_look = 2;
	ck_assert_int_eq(holders_find(proc, "no", 1001, deadline_after(9), &list, NULL, &err), -1);
	seconds_per_look = 0;
}
END_TEST

/* Those found until then are told. */
START_TEST(a_list_that_is_cut)
{
	struct tessera_error err = {0};
	bool cut = false;

	for (int i = 20; i < 30; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", i);
		make_process(pid, 1001, "p", "/dev/rdu");
	}
	/* The clock is looked at for the deadline, and after each process. */
	seconds_per_look = 2;
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(7), &list, &cut, &err), 4);
	ck_assert(cut);
	ck_assert_int_eq(err.code, TESSERA_ERR_MISSING);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(list[i].start, 10 * (uint64_t)list[i].pid);
	for (int i = 1; i < 4; i++)
		ck_assert_int_lt(list[i - 1].pid, list[i].pid);
	free(list);
	seconds_per_look = 0;
	/* One that was found in time, but none of the others. */
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_now(), &list, &cut, &err), 1);
	ck_assert(cut);
	free(list);
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(60), &list, &cut, &err), 10);
	ck_assert(!cut);
}
END_TEST

/* A process that is a zombie but for its threads: they are not looked at without end, either. */
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
	looks = 0;
	seconds_per_look = 2;
	ck_assert_int_eq(holders_find(proc, "/dev/rdu", 1001, deadline_after(7), &list, &cut, &err), 0);
	seconds_per_look = 0;
	ck_assert(cut);
	ck_assert_uint_le(looks, 6);
}
END_TEST

static int wait_for(pid_t pid)
{
	int status = 0;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/* Directories of that name within each other, with a path too long for anything else. */
static void remove_deep(const char *name)
{
	int depth = 0;

	ck_assert_int_eq(chdir(proc), 0);
	while (chdir(name) == 0)
		depth++;
	for (; depth > 0; depth--) {
		ck_assert_int_eq(chdir(".."), 0);
		ck_assert_int_eq(rmdir(name), 0);
	}
	ck_assert_int_eq(chdir("/"), 0);
}

START_TEST(in_the_real_one)
{
	static const char name[] = "a (b) S\n\033";
	struct tessera_error err = {0};
	bool cut; /* whoever runs this may have processes that may not be looked at */
	char pattern[64];
	int n;

	snprintf(pattern, sizeof(pattern), "%s/device*", proc);
	make_file("device0", "");
	ck_assert_int_ge(open(in_dir(proc, "device0"), O_RDONLY | O_CLOEXEC), 0);
	ck_assert_int_eq(prctl(PR_SET_NAME, name), 0);
	n = holders_find("/proc", pattern, getuid(), deadline_after(60), &list, &cut, &err);
	ck_assert_msg(n == 1, "%d %s", n, err.text);
	ck_assert_int_eq(list[0].pid, getpid());
	ck_assert_uint_eq(list[0].uid, getuid());
	ck_assert_uint_eq(list[0].start, tessera_ledger_process_start(getpid()));
	/* The kernel's file ends at the name's line end, for a reader of lines. */
	ck_assert_str_eq(list[0].command, "a (b) S");
	free(list);
	ck_assert_int_eq(holders_find("/proc", pattern, getuid() + 1, deadline_after(60), &list, &cut, &err), 0);
}
END_TEST

/* Anybody can have a file with a name so long that the kernel does not tell it, and shall keep nothing back by that. */
START_TEST(names_too_long_to_tell)
{
	struct tessera_error err = {0};
	char name[201], us[32];
	bool cut;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(chdir(proc), 0);
	for (int i = 0; i < 25; i++) {
		ck_assert_int_eq(mkdir(name, 0755), 0);
		ck_assert_int_eq(chdir(name), 0);
	}
	ck_assert_int_ge(open(".", O_RDONLY | O_CLOEXEC), 0);
	ck_assert_int_eq(holders_find("/proc", proc, getuid(), deadline_after(60), &list, &cut, &err), 0);
	snprintf(us, sizeof(us), "process %jd ", (intmax_t)getpid());
	ck_assert_msg(strstr(err.text, us) == NULL, "%s", err.text);
	ck_assert_int_eq(chdir("/"), 0);
	remove_deep(name);
}
END_TEST

START_TEST(not_allowed)
{
	struct tessera_error err = {0};
	bool cut = false;
	pid_t child;

	if (getuid() != 0)
		return;
	child = fork();
	if (child == 0) {
		if (setuid(65534) < 0)
			_exit(2);
		holders_find("/proc", "/dev/rdu", 0, deadline_after(60), &list, &cut, &err);
		_exit(cut && strstr(err.text, ": Permission denied: CAP_SYS_PTRACE is needed") != NULL ? 0 : 1);
	}
	ck_assert_int_eq(wait_for(child), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, proc_setup, proc_teardown);
	tcase_add_test(tcase, by_user);
	tcase_add_test(tcase, by_name);
	tcase_add_test(tcase, no_holders);
	tcase_add_test(tcase, not_known);
	tcase_add_test(tcase, not_all_known);
	tcase_add_test(tcase, not_known_of_init);
	tcase_add_test(tcase, not_known_of_a_thread);
	tcase_add_test(tcase, threads_of_a_zombie);
	tcase_add_test(tcase, names_are_plain);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, no_file_left);
	tcase_add_test(tcase, not_to_be_read);
	tcase_add_test(tcase, no_search_without_end);
	tcase_add_test(tcase, a_list_that_is_cut);
	tcase_add_test(tcase, threads_until_the_end);
	tcase_add_test(tcase, in_the_real_one);
	tcase_add_test(tcase, names_too_long_to_tell);
	tcase_add_test(tcase, not_allowed);
}

UNIT_MAIN("holders", add_tests)
