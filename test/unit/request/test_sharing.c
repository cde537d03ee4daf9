/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/sharing.h"
#include "test/unit/unit.h"

#define TYPED 1
#define ASKED 2
#define OWN   4

#define ALL SHARING_ALL
#define BY  SHARING_ASKED
#define EVN SHARING_EVEN

static const struct {
	unsigned how, step_here, step_all, job_here, job_all;
	enum sharing want;
} rows[] = {
	/* As many tasks as the job: the job's options apply, or the site's policy. */
	{0, 4, 4, 4, 4, ALL},
	{ASKED, 4, 4, 4, 4, BY},
	{OWN, 4, 4, 4, 4, EVN},
	{OWN | ASKED, 4, 4, 4, 4, BY},
	/* More. */
	{ASKED, 8, 8, 4, 4, BY},
	{OWN, 8, 8, 4, 4, EVN},
	/* Fewer: the daemon of mpirun, a shell in the job. */
	{ASKED, 1, 1, 4, 4, ALL},
	{OWN, 1, 1, 4, 4, ALL},
	{OWN | ASKED, 3, 3, 4, 4, ALL},
	/* A daemon on each of two nodes. */
	{ASKED, 1, 2, 2, 4, ALL},
	{OWN, 1, 2, 2, 4, ALL},
	/* One task on each node: as many as the daemons. */
	{ASKED, 1, 2, 1, 2, BY},
	/* All tasks of a node, not of all nodes. */
	{ASKED, 2, 2, 2, 4, BY},
	/*
	 * All tasks of the job, unevenly distributed: three on two nodes, four as three and one.
	 */
	{ASKED, 1, 3, 2, 3, BY},
	{OWN, 1, 3, 2, 3, EVN},
	{ASKED, 1, 4, 2, 4, BY},
	{ASKED, 3, 4, 2, 4, BY},
	/* Options of the step always apply. */
	{TYPED | ASKED, 1, 1, 4, 4, BY},
	{TYPED | ASKED | OWN, 1, 1, 4, 4, BY},
	{TYPED | ASKED, 4, 4, 4, 4, BY},
	/* A job of an older release: its tasks are unknown. */
	{ASKED, 1, 1, 0, 0, BY},
	{0, 1, 1, 0, 0, ALL},
};

START_TEST(rule)
{
	const struct sharing_case c = {
		.typed = (rows[_i].how & TYPED) != 0,
		.asked = (rows[_i].how & ASKED) != 0,
		.own = (rows[_i].how & OWN) != 0,
		.step_here = rows[_i].step_here,
		.step_all = rows[_i].step_all,
		.job_here = rows[_i].job_here,
		.job_all = rows[_i].job_all,
	};

	ck_assert_int_eq(sharing_rule(&c), rows[_i].want);
}
END_TEST

static const struct {
	unsigned ntasks, per_node, nodes, want;
} tasks[] = {
	{4, 0, 1, 4},
	{4, 0, 2, 2},
	{3, 0, 2, 2},
	{1, 0, 2, 1}, /* --ntasks */
	/* --ntasks-per-node, as Slurm fills it in */
	{0, 4, 2, 4},
	{8, 4, 2, 4},
	/* both: --ntasks wins, per node at most */
	{2, 16, 1, 2},
	{16, 4, 2, 4},
	/* not given; the maximum */
	{0, 0, 1, 0},
	{5, 0, 0, 5},
	{4294967295, 0, 2, 2147483648},
};

START_TEST(on_node)
{
	ck_assert_uint_eq(sharing_tasks(tasks[_i].ntasks, tasks[_i].per_node, tasks[_i].nodes),
			  tasks[_i].want);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, rule, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_loop_test(tc, on_node, 0, (int)(sizeof(tasks) / sizeof(tasks[0])));
}

UNIT_MAIN("sharing", add_tests)
