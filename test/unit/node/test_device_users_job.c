/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job that a process belongs to, by evidence that only root can create. */
#include "config.h"

#include "lib/node/device_users_job.h"
#include "test/unit/node/device_users_unit.h"

static struct device_users_tree tree;
static struct device_user_claim claim;

static void begin(void)
{
	proc_setup();
	tree = (struct device_users_tree){0};
}

static void finish(void)
{
	device_users_tree_free(&tree);
	proc_teardown();
}

/* A process that started at START. */
static void make_child(unsigned pid, unsigned parent, uint64_t start, uint32_t uid,
		       const char *name)
{
	char number[16], text[256];

	snprintf(number, sizeof(number), "%u", pid);
	make_dir(number);
	snprintf(text, sizeof(text), "Name:\t%s\nPid:\t%u\nPPid:\t%u\nUid:\t%u\t0\t0\t0\n", name,
		 pid, parent, uid);
	make_file(in_dir(number, "status"), text);
	snprintf(text, sizeof(text), "%u (%s) S %u 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 %ju 4 5 6\n",
		 pid, name, parent, (uintmax_t)start);
	make_file(in_dir(number, "stat"), text);
}

static void make_step(unsigned pid, unsigned parent, uint32_t uid, const char *program,
		      const char *title)
{
	char number[16];

	make_child(pid, parent, pid, uid, "slurmstepd");
	snprintf(number, sizeof(number), "%u", pid);
	make_link(in_dir(number, "exe"), program);
	make_file(in_dir(number, "cmdline"), title);
}

/* Set CLAIM for a process that started at its pid. */
static void read_claim(unsigned pid, unsigned parent)
{
	struct device_user user = {.pid = (pid_t)pid, .parent = (pid_t)parent, .start = pid};

	device_users_claim(&tree, proc, &user, &claim);
}

/* PID: of the process to query slurmd about. */
static void expect_claim(pid_t pid, uint32_t job, const char *text)
{
	ck_assert_int_eq(claim.pid, pid);
	ck_assert_uint_eq(claim.start, (uint64_t)pid);
	ck_assert_uint_eq(claim.job, job);
	ck_assert_str_eq(claim.text, text);
}

START_TEST(of_a_step)
{
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make_child(51, 50, 51, 1001, "slurm_script");
	make_child(52, 51, 52, 1001, "a) b (c");
	make_step(60, 1, 0, "/usr/sbin/slurmstepd-wlm (deleted)", "slurmstepd: [12.0]");
	make_step(70, 1, 0, "/opt/slurm/sbin/slurmstepd", "slurmstepd: [13.extern]");
	read_claim(51, 50);
	expect_claim(50, 12, "slurmstepd 12");
	read_claim(90, 52);
	expect_claim(50, 12, "slurmstepd 12");
	read_claim(91, 52);
	expect_claim(50, 12, "slurmstepd 12");
	/* Another step of the same job has the same claim, another job does not. */
	read_claim(92, 60);
	expect_claim(60, 12, "slurmstepd 12");
	read_claim(93, 70);
	expect_claim(70, 13, "slurmstepd 13");
	/* A user's process of that name in between does not count. */
	make_step(80, 52, 1001, "/usr/sbin/slurmstepd", "slurmstepd: [99.0]");
	make_step(81, 80, 0, "/usr/bin/sudo", "slurmstepd: [99.0]");
	read_claim(94, 81);
	expect_claim(50, 12, "slurmstepd 12");
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
		read_claim(51, 50);
		ck_assert_msg(claim.job == cases[i].job, "%s", cases[i].title);
		/* Without a job ID, one query still serves all its processes. */
		ck_assert_int_eq(claim.pid, 50);
		ck_assert_int_eq(claim.text[0] != '\0', cases[i].job != 0);
		device_users_tree_free(&tree);
	}
}
END_TEST

/* What users can create themselves is not evidence. */
START_TEST(forged)
{
	static const char title[] = "slurmstepd: [12.0]";

	make_step(1, 0, 0, "/usr/sbin/slurmstepd", title); /* init of a container */
	make_step(50, 1, 1001, "/usr/sbin/slurmstepd", title);
	/* a setuid program, started by a link of that name */
	make_step(51, 1, 0, "/usr/bin/sudo", title);
	make_step(52, 1, 0, "/home/slurmstepd/sudo", title);
	make_child(53, 1, 53, 0, "slurmstepd"); /* its program cannot be read */
	make_child(54, 1, 54, 0, "slurmd");
	make_link("54/exe", "/usr/sbin/slurmstepd");
	make_step(55, 1, 0, "/usr/sbin/slurmstepd", title);
	make_file("55/status", "Name:\tslurmstepd\nPPid:\t1\n"); /* it is ending */
	for (unsigned parent = 50; parent <= 55; parent++) {
		read_claim(90, parent);
		expect_claim(90, 0, "");
	}
	read_claim(90, 1);
	expect_claim(90, 0, "");
	read_claim(90, 4711);
	expect_claim(90, 0, "");
	read_claim(90, 0);
	expect_claim(90, 0, "");
}
END_TEST

/* The parent has ended, and a slurmstepd has its pid now. */
START_TEST(reused_pid)
{
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.0]");
	make_child(40, 50, 50, 1001, "child");
	read_claim(49, 50);
	expect_claim(49, 0, "");
	read_claim(49, 40);
	expect_claim(49, 0, "");
	/* A process as old as its child may be its parent: the clock is coarse. */
	read_claim(50, 50);
	expect_claim(50, 12, "slurmstepd 12");
	read_claim(51, 40);
	expect_claim(50, 12, "slurmstepd 12");
}
END_TEST

START_TEST(rings)
{
	make_child(50, 51, 50, 1001, "ring");
	make_child(51, 50, 50, 1001, "ring");
	make_child(52, 52, 50, 1001, "itself");
	for (unsigned i = 0; i < 2; i++) {
		read_claim(90, 50);
		expect_claim(90, 0, "");
		read_claim(91, 51);
		expect_claim(91, 0, "");
		read_claim(92, 52);
		expect_claim(92, 0, "");
	}
}
END_TEST

/* Deep trees; each process is read once, as its files are removed after the first search. */
START_TEST(deep)
{
	char path[128];

	make_step(100, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.0]");
	for (unsigned pid = 101; pid < 3000; pid++)
		make_child(pid, pid - 1, pid, 1001, "deep");
	read_claim(3000, 2999);
	expect_claim(100, 12, "slurmstepd 12");
	for (unsigned pid = 100; pid < 3000; pid++) {
		snprintf(path, sizeof(path), "%s/%u/stat", proc, pid);
		ck_assert_int_eq(unlink(path), 0);
	}
	for (unsigned pid = 3000; pid > 101; pid--) {
		read_claim(pid, pid - 1);
		expect_claim(100, 12, "slurmstepd 12");
	}
	device_users_tree_free(&tree);
	read_claim(3000, 2999);
	expect_claim(3000, 0, "");
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
		{"0::/system.slice/slurmstepd.scope/job_12", 12,
		 "0::/system.slice/slurmstepd.scope/job_12\n"},
		/* Groups that others may create elsewhere differ from Slurm's. */
		{"0::/containers/job_12/x\n", 12, "0::/containers/job_12\n"},
		{"9:memory:/slurm/uid_1001/job_12/step_0\n8:pids:/x\n1:freezer:/slurm/uid_1001/"
		 "job_12/step_0\n",
		 12, "9:memory:/slurm/uid_1001/job_12\n1:freezer:/slurm/uid_1001/job_12\n"},
		{"9:memory:/slurm/uid_1001/job_12/step_0\n1:freezer:/slurm/uid_1001/job_13/"
		 "step_0\n",
		 0, ""},
		/* Groups that users may create. */
		{"0::/user.slice/user-1001.slice/user@1001.service/job_12/step_0\n", 0, ""},
		{"1:name=systemd:/user.slice/job_44\n9:memory:/slurm/uid_1001/job_12/step_0\n", 12,
		 "9:memory:/slurm/uid_1001/job_12\n"},
		{"0::/job_x/job_/job_0/job_12x/job_4294967295/y\n", 0, ""},
		{"0::/job_x/job_12/y\n", 12, "0::/job_x/job_12\n"},
	};

	make_child(90, 1, 90, 1001, "daemon");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_file("90/cgroup", cases[i].text);
		read_claim(90, 1);
		ck_assert_msg(claim.job == cases[i].job, "%s", cases[i].text);
		ck_assert_str_eq(claim.text, cases[i].claim);
		ck_assert_int_eq(claim.pid, 90);
	}
	/* The slurmstepd is preferred: it runs as long as the step does. */
	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make_file("90/cgroup", "0::/system.slice/slurmstepd.scope/job_12/step_0\n");
	read_claim(90, 50);
	expect_claim(50, 12, "slurmstepd 12");
}
END_TEST

START_TEST(groups_too_long)
{
	static const char line[] = "9:memory:/slurm/uid_1001/job_12/step_0\n";
	char text[20000] = "";
	size_t used = 0;

	make_child(90, 1, 90, 1001, "daemon");
	/* More than fits in a claim, and then more than is read. */
	while (used < 40 * sizeof(line))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", line);
	make_file("90/cgroup", text);
	read_claim(90, 1);
	expect_claim(90, 0, "");
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, line, sizeof(line) - 1);
	make_file("90/cgroup", text);
	read_claim(90, 1);
	expect_claim(90, 0, "");
}
END_TEST

static struct device_user_claim make_claim(pid_t pid, uint32_t job, const char *text)
{
	struct device_user_claim c = {.pid = pid, .start = 7, .job = job};

	snprintf(c.text, sizeof(c.text), "%s", text);
	return c;
}

START_TEST(remembered)
{
	struct device_users_known known = {0};
	struct device_user_claim step = make_claim(50, 12, "slurmstepd 12"),
				 other = make_claim(60, 12, "slurmstepd 12"),
				 wrong = make_claim(70, 13, "slurmstepd 13"),
				 more = make_claim(71, 13, "slurmstepd 13"),
				 alone = make_claim(80, 0, ""), stranger = make_claim(81, 0, "");

	ck_assert_uint_eq(device_users_recall(&known, &step), 0);
	ck_assert_uint_eq(device_users_recall(&known, &alone), 0);
	device_users_learn(&known, &step, 12);
	ck_assert_uint_eq(device_users_recall(&known, &step), 12);
	ck_assert_uint_eq(device_users_recall(&known, &other), 12);
	ck_assert_uint_eq(device_users_recall(&known, &wrong), 0);
	/* A job other than the claimed one is remembered for that process only. */
	device_users_learn(&known, &wrong, 14);
	ck_assert_uint_eq(device_users_recall(&known, &wrong), 14);
	ck_assert_uint_eq(device_users_recall(&known, &more), 0);
	/* Processes without a claim do not share an answer. */
	device_users_learn(&known, &alone, 15);
	ck_assert_uint_eq(device_users_recall(&known, &alone), 15);
	ck_assert_uint_eq(device_users_recall(&known, &stranger), 0);
	alone.start++;
	ck_assert_uint_eq(device_users_recall(&known, &alone), 0);
	for (pid_t pid = 1000; pid < 1100; pid++) {
		struct device_user_claim c = make_claim(pid, 0, "");

		device_users_learn(&known, &c, (uint32_t)pid);
	}
	stranger.pid = 1099;
	ck_assert_uint_eq(device_users_recall(&known, &stranger), 1099);
	ck_assert_uint_eq(device_users_recall(&known, &other), 12);
	device_users_known_free(&known);
	ck_assert_uint_eq(device_users_recall(&known, &other), 0);
}
END_TEST

START_TEST(no_file_left)
{
	unsigned before = open_files();

	make_step(50, 1, 0, "/usr/sbin/slurmstepd", "slurmstepd: [12.batch]");
	make_child(90, 1, 90, 1001, "daemon");
	make_file("90/cgroup", "0::/job_43/x\n");
	read_claim(51, 50);
	read_claim(90, 1);
	read_claim(91, 4711);
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, of_a_step);
	tcase_add_test(tcase, titles);
	tcase_add_test(tcase, forged);
	tcase_add_test(tcase, reused_pid);
	tcase_add_test(tcase, rings);
	tcase_add_test(tcase, deep);
	tcase_add_test(tcase, of_a_control_group);
	tcase_add_test(tcase, groups_too_long);
	tcase_add_test(tcase, remembered);
	tcase_add_test(tcase, no_file_left);
}

UNIT_MAIN("device_users_job", add_tests)
