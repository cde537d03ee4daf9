/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/node/device_users.h"
#include "test/unit/node/device_users_unit.h"

/* Slurm's names of control groups, version 1 and version 2. */
START_TEST(groups_of_jobs)
{
	static const struct {
		const char *text;
		uint32_t other; /* than 77 */
	} cases[] = {
		{"", 0},
		{"0::/\n", 0},
		{"0::/system.slice/slurmstepd.scope/job_12/step_0/user/task_0\n", 12},
		{"0::/system.slice/n1_slurmstepd.scope/job_12/step_batch/slurm\n", 12},
		{"0::/system.slice/slurmstepd.scope/job_12\n", 12},
		{"0::/system.slice/slurmstepd.scope/job_77/step_0\n", 0},
		{"12:pids:/user.slice\n5:freezer:/slurm/uid_1001/job_12/step_0\n4:cpu:/slurm/"
		 "uid_1001/job_77\n",
		 12},
		{"12:pids:/user.slice\n5:freezer:/slurm/uid_1001/job_77/step_0\n4:cpu:/slurm/"
		 "uid_1001/job_12",
		 12},
		{"5:freezer:/slurm_n1/uid_1001/job_77/step_0\n1:name=systemd:/x\n", 0},
		{"0::/system.slice/slurmstepd.scope/job_7/step_0\n", 7},
		{"0::/system.slice/slurmstepd.scope/job_777/step_0\n", 777},
		{"0::/my_job_12/x\n", 0},
		{"0::/job_12.scope/x\n", 0},
		{"0::/job_x/job_/job_-12/job_+12/job_ 12/x\n", 0},
		{"0::/job_0/x\n", 0},
		{"0::/job_0/job_12/x\n", 12},
		{"0::/job_4294967294/x\n", 4294967294},
		{"0::/job_4294967295/job_12/x\n", 12},
		{"0::/job_:/job_12/x\n", 12},
		{"0::/job_12:/job_9/x\n", 9},
		{"0::/job_77/job_12\n", 12},
		{"0::/job_99999999999999999999999/x\n", 0},
	};
	uint32_t other;

	make_process("20", 1001, "p", NULL);
	ck_assert(!device_users_in_other_job(proc, 20, 77, &other));
	ck_assert(!device_users_in_other_job(proc, 21, 77, &other));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_file("20/cgroup", cases[i].text);
		ck_assert_msg(device_users_in_other_job(proc, 20, 77, &other) ==
				      (cases[i].other != 0),
			      "%s", cases[i].text);
		ck_assert_msg(other == cases[i].other, "%s", cases[i].text);
	}
	/* A SLUID does not tell which job it is: in doubt another one. */
	make_file("20/cgroup",
		  "0::/system.slice/slurmstepd.scope/s7N3KZQ8V5T0AB/step_0/user/task_0\n");
	ck_assert(device_users_in_other_job(proc, 20, 77, &other));
	ck_assert_uint_eq(other, 0);
	/* 0: no job is excepted. */
	make_file("20/cgroup", "0::/job_77/step_0\n");
	ck_assert(device_users_in_other_job(proc, 20, 0, &other));
	ck_assert_uint_eq(other, 77);
}
END_TEST

START_TEST(groups_too_long)
{
	char text[20001];
	uint32_t other = 5;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	make_process("20", 1001, "p", NULL);
	make_file("20/cgroup", text);
	ck_assert(device_users_in_other_job(proc, 20, 77, &other));
	ck_assert_uint_eq(other, 0);
}
END_TEST

/* device_users_look_owned() */

static void make_child(const char *pid, const char *parent, uint32_t uid, const char *name,
		       const char *cgroup)
{
	char text[256];

	make_dir(pid);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nState:\tS\nPid:\t%s\nPPid:\t%s\nTracerPid:\t77\nUid:\t%u\t0\t0\t0\n",
		 name, pid, parent, uid);
	make_file(in_dir(pid, "status"), text);
	snprintf(text, sizeof(text), "%s\n", name);
	make_file(in_dir(pid, "comm"), text);
	if (cgroup != NULL)
		make_file(in_dir(pid, "cgroup"), cgroup);
}

START_TEST(descendants)
{
	make_child("1", "0", 0, "slurmstepd", NULL); /* init of a container is not a step */
	make_child("50", "1", 0, "slurmstepd", NULL);
	make_child("51", "50", 1001, "slurm_script", NULL);
	make_child("52", "51", 1001, "a b", NULL);
	make_child("60", "1", 0, "slurmd", NULL);
	make_child("61", "60", 1001, "bash", NULL);
	make_child("62", "99", 1001, "orphan", NULL);
	make_child("70", "71", 1001, "ring", NULL);
	make_child("71", "70", 1001, "ring", NULL);
	make_child("80", "1", 1001, "slurmstepd", NULL); /* any user can choose that name */
	make_child("81", "80", 0, "sudo", NULL);
	make_child("82", "81", 1001, "left", NULL);
	make_child("83", "51", 1001, "slurmstepd", NULL);
	make_child("84", "83", 1001, "python3", NULL);
	make_child("85", "1", 0, "slurmstepd", NULL);
	make_file("85/status", "Name:\tslurmstepd\nPPid:\t1\n"); /* it is ending */
	make_child("86", "85", 1001, "python3", NULL);
	ck_assert(device_users_look_owned(proc, 51, 0));
	ck_assert(device_users_look_owned(proc, 52, 0));
	ck_assert(!device_users_look_owned(proc, 50, 0)); /* its own name does not matter */
	ck_assert(!device_users_look_owned(proc, 61, 0));
	ck_assert(!device_users_look_owned(proc, 62, 0));
	ck_assert(!device_users_look_owned(proc, 70, 0));
	ck_assert(!device_users_look_owned(proc, 81, 0));
	ck_assert(!device_users_look_owned(proc, 82, 0));
	ck_assert(device_users_look_owned(proc, 84, 0));
	ck_assert(!device_users_look_owned(proc, 86, 0));
	ck_assert(!device_users_look_owned(proc, 4711, 0));
}
END_TEST

START_TEST(cgroups)
{
	static const struct {
		const char *text;
		bool owned;
	} cases[] = {
		{"", false},
		{"0::/user.slice/user-1001.slice/session-3.scope\n", false},
		{"0::/system.slice/slurmd.service\n", false},
		/* Users can create groups there. */
		{"0::/user.slice/job_43/x\n", false},
		{"0::/user.slice/user-1001.slice/user@1001.service/system.slice/slurmstepd.scope/"
		 "job_43/step_0\n",
		 false},
		{"1:name=systemd:/user.slice/user-1001.slice/job_44\n9:memory:/slurm/uid_1001/"
		 "job_43/step_0\n",
		 true},
		{"9:memory:/slurm/uid_1001/job_43/step_0\n1:name=systemd:/user.slice/"
		 "user-1001.slice/job_44\n",
		 true},
		{"1:name=systemd:/user.slice/job_44\n9:cpu,memory:/user.slice/job_43/step_0",
		 false},
		/* Elsewhere, whoever created it: in doubt it is a step's. */
		{"0::/a.slice/user.slice/job_43/x\n", true},
		{"0::/user.slices/job_43/x\n", true},
		{"/user.slice/job_43\n", true},
		{"0::/system.slice/slurmstepd.scope/job_43/step_0/user/task_0\n", true},
		{"0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0\n", false},
		{"0::/system.slice/slurmstepd.scope/job_421/step_0\n", true},
		/* Groups named by a SLUID: of any job, also of the ended one. */
		{"0::/system.slice/slurmstepd.scope/s7N3KZQ8V5T0AB/step_0/user/task_0\n", true},
		{"0::/system.slice/n1_slurmstepd.scope/s0000000000000/step_extern\n", true},
		{"0::/s7N3KZQ8V5T0AB/step_batch", true},
		{"0::/user.slice/s7N3KZQ8V5T0AB/step_0\n", false},
		{"0::/system.slice/s7N3KZQ8V5T0AB/other\n", false},
		{"0::/system.slice/s7N3KZQ8V5T0A/step_0\n", false},
		{"0::/system.slice/s7N3KZQ8V5T0ABC/step_0\n", false},
		{"0::/system.slice/s7n3kzq8v5t0ab/step_0\n", false},
		{"9:memory:/slurm/uid_1001/job_42/step_0\n1:freezer:/slurm/uid_1001/job_43/"
		 "step_0\n",
		 true},
		{"9:memory:/slurm/uid_1001/job_42/step_0\n1:freezer:/slurm/uid_1001/job_42/"
		 "step_0\n",
		 false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_child("80", "1", 1001, "left", cases[i].text);
		ck_assert_msg(device_users_look_owned(proc, 80, 42) == cases[i].owned, "%s",
			      cases[i].text);
	}
}
END_TEST

START_TEST(no_file_left)
{
	unsigned before = open_files();

	make_child("50", "1", 0, "slurmstepd", NULL);
	make_child("51", "50", 1001, "left", "0::/job_43/x\n");
	make_child("60", "1", 1001, "left", "0::/job_43/x\n");
	ck_assert(device_users_look_owned(proc, 51, 0));
	ck_assert(device_users_look_owned(proc, 60, 0));
	ck_assert(!device_users_look_owned(proc, 99, 0));
	ck_assert_uint_eq(open_files(), before);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, proc_setup, proc_teardown);
	tcase_add_test(tcase, groups_of_jobs);
	tcase_add_test(tcase, groups_too_long);
	tcase_add_test(tcase, descendants);
	tcase_add_test(tcase, cgroups);
	tcase_add_test(tcase, no_file_left);
}

UNIT_MAIN("device_users_owned", add_tests)
