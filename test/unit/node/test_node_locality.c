/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NUMA distance of RDUs from a job's cores. */
#include "config.h"

#include "lib/node/node_locality.h"
#include "lib/state/locality_table.h"
#include "test/unit/state_unit.h"

static unsigned lines; /* logged so far */
static char logged[1024];

static void log_line(enum node_log level, const char *text)
{
	ck_assert_int_eq(level, NODE_ERROR);
	lines++;
	snprintf(logged, sizeof(logged), "%s", text);
}

static struct tessera_locality table;
static struct node node;
static unsigned cost[TESSERA_TILES_MAX];

/* Two NUMA nodes with four cores of two threads each; half of the RDUs at each. */
static void write_table(void)
{
	struct tessera_error err = {0};

	memset(&table, 0, sizeof(table));
	memcpy(table.platform, "sn30-8", sizeof("sn30-8"));
	ck_assert_int_eq(tessera_locality_boot(table.boot, &err), 0);
	table.numas = 2;
	for (unsigned core = 0; core < 8; core++) {
		struct locality_numa *numa = &table.numa[core / 4];

		numa->number = core / 4;
		tessera_cpuset_add(&numa->cores, core);
		tessera_cpuset_add(&numa->cpus, core);
		tessera_cpuset_add(&numa->cpus, core + 8);
	}
	for (unsigned rdu = 0; rdu < 8; rdu++) {
		tessera_tileset_add(&table.rdus, rdu);
		table.distance[rdu][0] = rdu < 4 ? 10 : 20;
		table.distance[rdu][1] = rdu < 4 ? 20 : 10;
	}
	ck_assert_msg(locality_write(dir, &table, &err) == 0, "%s", err.text);
}

static void begin(void)
{
	setup();
	node = (struct node){.log = log_line};
	snprintf(node.dir, sizeof(node.dir), "%s", dir);
	node.platform = tessera_platform_find_builtin("sn30-8");
	lines = 0;
}

static struct job_alloc make_job(unsigned node_cores, unsigned first, unsigned last)
{
	struct job_alloc job = {.node_cores = node_cores};

	for (unsigned n = first; n <= last; n++)
		tessera_cpuset_add(&job.cores, n);
	return job;
}

START_TEST(cost_of_rdus)
{
	static const struct {
		unsigned node_cores, first, last;
		/* cost of the first and the second half of the RDUs; 0 = not known */
		unsigned low, high;
	} cases[] = {
		{8, 0, 0, 160, 320},  {8, 4, 7, 320, 160},
		{8, 3, 4, 240, 240},  {8, 0, 7, 0, 0},       /* all of them */
		{16, 0, 7, 160, 320}, {16, 8, 15, 320, 160}, /* slurm.conf has only CPUs=16 */
		{16, 7, 8, 240, 240}, {32, 16, 16, 320, 160},
		{4, 0, 0, 0, 0},      {12, 0, 0, 0, 0}, /* not the cores of the table */
		{0, 0, 0, 0, 0},                        /* not known to Slurm */
	};

	write_table();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_alloc job = make_job(cases[i].node_cores, cases[i].first, cases[i].last);
		const unsigned *got = node_locality_of_job(&node, &job, cost);

		if (cases[i].low == 0) {
			ck_assert_msg(got == NULL, "case %zu", i);
			continue;
		}
		ck_assert_ptr_eq(got, cost);
		for (unsigned rdu = 0; rdu < 8; rdu++)
			ck_assert_uint_eq(got[rdu], rdu < 4 ? cases[i].low : cases[i].high);
	}
	ck_assert_uint_eq(lines, 0);
}
END_TEST

START_TEST(nothing_known)
{
	struct job_alloc job = make_job(8, 0, 0);

	/* No directory, no table. */
	ck_assert_ptr_null(node_locality_of_job(&node, &job, cost));
	ck_assert_ptr_null(node_locality_table(&node));
	ck_assert_uint_eq(lines, 0);
	write_table();
	node.platform = tessera_platform_find_builtin("sn10-8");
	ck_assert_ptr_null(node_locality_of_job(&node, &job, cost));
	node.platform = tessera_platform_find_builtin("sn30-8");
	ck_assert_ptr_nonnull(node_locality_of_job(&node, &job, cost));
	ck_assert_uint_eq(lines, 0);
	write_file("locality", "nonsense", 0644);
	ck_assert_ptr_null(node_locality_of_job(&node, &job, cost));
	ck_assert_uint_eq(lines, 1);
	ck_assert_ptr_nonnull(
		strstr(logged, "cannot read the RDU locality table, ignoring NUMA placement: "));
	ck_assert_ptr_nonnull(strstr(logged, "damaged"));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, teardown);
	tcase_add_test(tcase, cost_of_rdus);
	tcase_add_test(tcase, nothing_known);
}

UNIT_MAIN("node_locality", add_tests)
