/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of which job a process is, by what root alone can make: with one question for each job, and never by what a user made.
 */
#include "config.h"

#include "lib/holders_job.h"
#include "test/unit/holders_unit.h"

static struct holders_tree tree;
static struct holder_claim claim;

static void begin(void)
{
	proc_setup();
	tree = (struct holders_tree){0};
}

static void finish(void)
{
	holders_tree_free(&tree);
	proc_teardown();
}

/* A process that started at START. */
static void make(unsigned pid, unsigned parent, uint64_t start, uint32_t uid, const char *name)
{
	char number[16], text[256];

	snprintf(number, sizeof(number), "%u", pid);
	make_dir(number);
	snprintf(text, sizeof(text), "Name:\t%s\nPid:\t%u\nPPid:\t%u\nUid:\t%u\t0\t0\t0\n", name, pid, parent, uid);
	make_file(in_dir(number, "status"), text);
	snprintf(text, sizeof(text), "%u (%s) S %u 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 %ju 4 5 6\n", pid, name,
		 parent, (uintmax_t)start);
	make_file(in_dir(number, "stat"), text);
}

static void make_step(unsigned pid, unsigned parent, uint32_t uid, const char *program, const char *title)
{
	char number[16];

	make(pid, parent, pid, uid, "slurmstepd");
	snprintf(number, sizeof(number), "%u", pid);
	make_link(in_dir(number, "exe"), program);
	make_file(in_dir(number, "cmdline"), title);
}

static void look_at(unsigned pid, unsigned parent)
{
	struct holder holder = {.pid = (pid_t)pid, .parent = (pid_t)parent, .start = pid};

	holders_claim(&tree, proc, &holder, &claim);
}

static void says(pid_t ask, uint32_t job, const char *text)
{
	ck_assert_int_eq(claim.pid, ask);
	ck_assert_uint_eq(claim.start, (uint64_t)ask);
	ck_assert_uint_eq(claim.job, job);
	ck_assert_str_eq(claim.text, text);
}

START_TEST(of_a_step)
{
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make(51, 50, 51, 1001, "slurm_script");
	make(52, 51, 52, 1001, "a) b (c");
	make_step(60, 1, 0, "/usr/sbin/slurmstepd-wlm (deleted)", "slurmstepd: [12.0]");
	make_step(70, 1, 0, "/opt/slurm/sbin/slurmstepd", "slurmstepd: [13.extern]");
	look_at(51, 50);
	says(50, 12, "slurmstepd 12");
	look_at(90, 52);
	says(50, 12, "slurmstepd 12");
	look_at(91, 52);
	says(50, 12, "slurmstepd 12");
	/* Another step of the same job needs no question of its own, another job does. */
	look_at(92, 60);
	says(60, 12, "slurmstepd 12");
	look_at(93, 70);
	says(70, 13, "slurmstepd 13");
	/* A parent of one's own that is called so stands between. */
	make_step(80, 52, 1001, "/usr/sbin/slurmstepd", "slurmstepd: [99.0]");
	make_step(81, 80, 0, "/usr/bin/sudo", "slurmstepd: [99.0]");
	look_at(94, 81);
	says(50, 12, "slurmstepd 12");
}
END_TEST

START_TEST(titles)
{
	static const struct {
		const char *title;
		uint32_t job;
	} cases[] = {
		{"slurmstepd: [12.0]", 12},
		{"/usr/sbin/slurmstepd: [4294967294.7+1]", 4294967294},
		{"slurmstepd: [4294967295.0]", 0},
		{"slurmstepd: [99999999999999999999999.0]", 0},
		{"slurmstepd: [0.0]", 0},
		{"slurmstepd: [-1.0]", 0},
		{"slurmstepd: [12]", 0},
		{"slurmstepd: [12", 0},
		{"slurmstepd: [s8DPVKGC2.batch]", 0},
		{"slurmstepd spank epilog", 0},
		{"slurmstepd: ", 0},
		{"", 0},
	};

	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_file("50/cmdline", cases[i].title);
		look_at(51, 50);
		ck_assert_msg(claim.job == cases[i].job, "%s", cases[i].title);
		/* Without a number its own processes still need one question only. */
		ck_assert_int_eq(claim.pid, 50);
		ck_assert_int_eq(claim.text[0] != '\0', cases[i].job != 0);
		holders_tree_free(&tree);
	}
}
END_TEST

/* What users can make themselves names no job. */
START_TEST(forged)
{
	static const char title[] = "slurmstepd: [12.0]";

	make_step(1, 0, 0, "/usr/sbin/slurmstepd", title); /* in a container, say */
	make_step(50, 1, 1001, "/usr/sbin/slurmstepd", title);
	make_step(51, 1, 0, "/usr/bin/sudo", title); /* a setuid program, started by a link of that name */
	make_step(52, 1, 0, "/home/slurmstepd/sudo", title);
	make(53, 1, 53, 0, "slurmstepd"); /* whose program cannot be read */
	make(54, 1, 54, 0, "slurmd");
	make_link("54/exe", "/usr/sbin/slurmstepd");
	make_step(55, 1, 0, "/usr/sbin/slurmstepd", title);
	make_file("55/status", "Name:\tslurmstepd\nPPid:\t1\n"); /* it ends */
	for (unsigned parent = 50; parent <= 55; parent++) {
		look_at(90, parent);
		says(90, 0, "");
	}
	look_at(90, 1);
	says(90, 0, "");
	look_at(90, 4711);
	says(90, 0, "");
	look_at(90, 0);
	says(90, 0, "");
}
END_TEST

/* The parent that was seen has ended, and a slurmstepd has its number now. */
START_TEST(number_given_anew)
{
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.0]");
	make(40, 50, 50, 1001, "child");
	look_at(49, 50);
	says(49, 0, "");
	look_at(49, 40);
	says(49, 0, "");
	/* One that is as old as its child may be its parent: the clock is coarse. */
	look_at(50, 50);
	says(50, 12, "slurmstepd 12");
	look_at(51, 40);
	says(50, 12, "slurmstepd 12");
}
END_TEST

START_TEST(rings)
{
	make(50, 51, 50, 1001, "ring");
	make(51, 50, 50, 1001, "ring");
	make(52, 52, 50, 1001, "itself");
	for (unsigned i = 0; i < 2; i++) {
		look_at(90, 50);
		says(90, 0, "");
		look_at(91, 51);
		says(91, 0, "");
		look_at(92, 52);
		says(92, 0, "");
	}
}
END_TEST

/* However deep they stand, and each process is read once: what was read before is no longer there. */
START_TEST(deep)
{
	char path[128];

	make_step(100, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.0]");
	for (unsigned pid = 101; pid < 3000; pid++)
		make(pid, pid - 1, pid, 1001, "deep");
	look_at(3000, 2999);
	says(100, 12, "slurmstepd 12");
	for (unsigned pid = 100; pid < 3000; pid++) {
		snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
		ck_assert_int_eq(unlink(path), 0);
	}
	for (unsigned pid = 3000; pid > 101; pid--) {
		look_at(pid, pid - 1);
		says(100, 12, "slurmstepd 12");
	}
	holders_tree_free(&tree);
	look_at(3000, 2999);
	says(3000, 0, "");
}
END_TEST

START_TEST(of_a_control_group)
{
	static const struct {
		const char *text;
		uint32_t job;
		const char *claim;
	} cases[] = {
		{"", 0, ""},
		{"0::/system.slice/slurmd.service\n", 0, ""},
		{"0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n", 12,
		 "0::/system.slice/slurmstepd.scope/job_12\n"},
		{"0::/system.slice/slurmstepd.scope/job_12/step_batch/user/task_special", 12,
		 "0::/system.slice/slurmstepd.scope/job_12\n"},
		{"0::/system.slice/slurmstepd.scope/job_12", 12, "0::/system.slice/slurmstepd.scope/job_12\n"},
		/* Whoever may make groups elsewhere makes others than Slurm's. */
		{"0::/containers/job_12/x\n", 12, "0::/containers/job_12\n"},
		{"9:memory:/slurm/uid_1001/job_12/step_0\n8:pids:/x\n1:freezer:/slurm/uid_1001/job_12/step_0\n", 12,
		 "9:memory:/slurm/uid_1001/job_12\n1:freezer:/slurm/uid_1001/job_12\n"},
		{"9:memory:/slurm/uid_1001/job_12/step_0\n1:freezer:/slurm/uid_1001/job_13/step_0\n", 0, ""},
		/* Those that users may make. */
		{"0::/user.slice/user-1001.slice/user@1001.service/job_12/step_0\n", 0, ""},
		{"1:name=systemd:/user.slice/job_44\n9:memory:/slurm/uid_1001/job_12/step_0\n", 12,
		 "9:memory:/slurm/uid_1001/job_12\n"},
		{"0::/job_x/job_/job_0/job_12x/job_4294967295/y\n", 0, ""},
		{"0::/job_x/job_12/y\n", 12, "0::/job_x/job_12\n"},
	};

	make(90, 1, 90, 1001, "daemon");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_file("90/cgroup", cases[i].text);
		look_at(90, 1);
		ck_assert_msg(claim.job == cases[i].job, "%s", cases[i].text);
		ck_assert_str_eq(claim.text, cases[i].claim);
		ck_assert_int_eq(claim.pid, 90);
	}
	/* Its slurmstepd is better to ask about: it is there as long as the step is. */
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make_file("90/cgroup", "0::/system.slice/slurmstepd.scope/job_12/step_0\n");
	look_at(90, 50);
	says(50, 12, "slurmstepd 12");
}
END_TEST

START_TEST(groups_too_long)
{
	static const char line[] = "9:memory:/slurm/uid_1001/job_12/step_0\n";
	char text[20000] = "";
	size_t used = 0;

	make(90, 1, 90, 1001, "daemon");
	/* More than a claim has room for, and then more than is read. */
	while (used < 40 * sizeof(line))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", line);
	make_file("90/cgroup", text);
	look_at(90, 1);
	says(90, 0, "");
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, line, sizeof(line) - 1);
	make_file("90/cgroup", text);
	look_at(90, 1);
	says(90, 0, "");
}
END_TEST

static struct holder_claim claim_of(pid_t pid, uint32_t job, const char *text)
{
	struct holder_claim c = {.pid = pid, .start = 7, .job = job};

	snprintf(c.text, sizeof(c.text), "%s", text);
	return c;
}

START_TEST(remembered)
{
	struct holders_known known = {0};
	struct holder_claim step = claim_of(50, 12, "slurmstepd 12"), other = claim_of(60, 12, "slurmstepd 12"),
			    wrong = claim_of(70, 13, "slurmstepd 13"), more = claim_of(71, 13, "slurmstepd 13"),
			    alone = claim_of(80, 0, ""), stranger = claim_of(81, 0, "");

	ck_assert_uint_eq(holders_recall(&known, &step), 0);
	ck_assert_uint_eq(holders_recall(&known, &alone), 0);
	holders_learn(&known, &step, 12);
	ck_assert_uint_eq(holders_recall(&known, &step), 12);
	ck_assert_uint_eq(holders_recall(&known, &other), 12);
	ck_assert_uint_eq(holders_recall(&known, &wrong), 0);
	/* What slurmd does not confirm is true of the one that it was asked about. */
	holders_learn(&known, &wrong, 14);
	ck_assert_uint_eq(holders_recall(&known, &wrong), 14);
	ck_assert_uint_eq(holders_recall(&known, &more), 0);
	/* One that nothing is said about says nothing about the next. */
	holders_learn(&known, &alone, 15);
	ck_assert_uint_eq(holders_recall(&known, &alone), 15);
	ck_assert_uint_eq(holders_recall(&known, &stranger), 0);
	alone.start++;
	ck_assert_uint_eq(holders_recall(&known, &alone), 0);
	for (pid_t pid = 1000; pid < 1100; pid++) {
		struct holder_claim c = claim_of(pid, 0, "");

		holders_learn(&known, &c, (uint32_t)pid);
	}
	stranger.pid = 1099;
	ck_assert_uint_eq(holders_recall(&known, &stranger), 1099);
	ck_assert_uint_eq(holders_recall(&known, &other), 12);
	holders_known_free(&known);
	ck_assert_uint_eq(holders_recall(&known, &other), 0);
}
END_TEST

START_TEST(no_file_left)
{
	unsigned before = open_files();

	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make(90, 1, 90, 1001, "daemon");
	make_file("90/cgroup", "0::/job_43/x\n");
	look_at(51, 50);
	look_at(90, 1);
	look_at(91, 4711);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, of_a_step);
	tcase_add_test(tcase, titles);
	tcase_add_test(tcase, forged);
	tcase_add_test(tcase, number_given_anew);
	tcase_add_test(tcase, rings);
	tcase_add_test(tcase, deep);
	tcase_add_test(tcase, of_a_control_group);
	tcase_add_test(tcase, groups_too_long);
	tcase_add_test(tcase, remembered);
	tcase_add_test(tcase, no_file_left);
}

UNIT_MAIN("holders_job", add_tests)
