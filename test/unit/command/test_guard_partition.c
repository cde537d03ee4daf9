/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes may use which IPUs.
 */
#include "config.h"

#include "test/unit/command/guard_unit.h"

/* Each process has one row, for its device or for its IPUs. */
START_TEST(tiles_and_ipus)
{
	uses("21", "SF_RNT_TILE_AFFINITY=0x1", JOB);
	uses_ipus("22", "", 0, "p2", "p2");
	world.users[1] = 21;
	world.users[2] = 23; /* it has ended */
	world.user_count = 3;
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_str_eq(guard.items[0].partition, "");
	judged(0, "member", true, false);
	ck_assert_str_eq(guard.items[1].partition, "p2");
	ck_assert_str_eq(guard.items[1].process.file, "");
	judged(1, "none", false, false);
}
END_TEST

/* A process of a job must use the partition of that job. */
START_TEST(a_partition_of_others)
{
	has_ipus(JOB + 1, "p1");
	has_ipus(JOB + 2, "p2");
	uses_ipus("21", "", JOB + 1, "p1", NULL);
	uses_ipus("22", "", JOB + 2, "p1", "p1");
	uses_ipus("23", "", JOB, NULL, "p1");
	uses_ipus("24", "", JOB + 2, "p2", "p1");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 5);
	judged(0, "member", true, false);
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text,
			 "uses V-IPU partition p1, which was not granted (granted: p2)");
	judged(2, "outside", false, false);
	ck_assert_str_eq(guard.items[2].text,
			 "uses V-IPU partition p1, which was not granted (granted: none)");
	/* A process that uses two partitions has two rows. */
	judged(3, "member", true, false);
	judged(4, "outside", false, false);
	ck_assert_int_eq(guard.items[4].process.pid, 24);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/* If the job record cannot be read, the partition of the job is unknown. */
START_TEST(a_partition_of_an_unknown_job)
{
	uses_ipus("21", "", JOB, "p1", "p1");
	write_file("job.7", "nonsense\n", 0644);
	look(SECONDS);
	judged(0, "unknown", false, true);
}
END_TEST

static const char ipu_grant[] =
	"tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 platform - "
	"tiles - partition p9";

/* A process without a job must use the partition of its grant. */
START_TEST(a_partition_that_was_not_granted)
{
	world.inside = ipu_grant;
	uses_ipus("21", "TESSERA_GRANT=x", 0, "p9", "p9");
	uses_ipus("22", "TESSERA_GRANT=x", 0, "p1", "p1");
	uses_ipus("23", "TESSERA_GRANT=x", 0, NULL, NULL);
	look(SECONDS);
	judged(0, "granted", true, false);
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text,
			 "uses V-IPU partition p1, which was not granted (granted: p9)");
	judged(2, "granted", true, false);
}
END_TEST

/* The environment variables are checked only if the tool does not report the partition. */
START_TEST(a_partition_by_its_variables)
{
	static const struct {
		const char *env, *seen;
		bool right;
	} cases[] = {
		{"A=b", NULL, true},
		{"IPUOF_VIPU_API_PARTITION_ID=p8", NULL, true},
		{"IPUOF_VIPU_API_PARTITION_ID=p1", NULL, false},
		{"IPUOF_CONFIG_PATH=/a", NULL, false},
		{"IPUOF_VIPU_API_PARTITION_ID=p1", "p8", true},
		{"IPUOF_CONFIG_PATH=/a", "p8", true},
		{"", "p8", true},
	};

	has_ipus(JOB + 1, "p8");
	uses_ipus("21", "", JOB + 1, NULL, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		world.partitions[0] = cases[i].seen;
		make_file("21/environ", cases[i].env);
		look(SECONDS);
		ck_assert_msg(guard.items[0].right == cases[i].right, "%zu: %s", i,
			      guard.items[0].text);
		judged(0, cases[i].right ? "member" : "outside", cases[i].right, false);
	}
}
END_TEST

/* A job or a grant with IPUs has no tiles; and a damaged job record does not matter for tiles. */
START_TEST(tiles_for_ipus)
{
	world.inside = ipu_grant;
	has_ipus(JOB + 1, "p8");
	uses("21", "A=b", JOB + 1);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "SF_RNT_TILE_AFFINITY=0x1", JOB);
	write_file("job.7", "nonsense\n", 0644);
	look(SECONDS);
	judged(0, "outside", false, false);
	ck_assert_str_eq(guard.items[0].text, "has " DEVICE " open, but no tiles were granted");
	judged(1, "outside", false, false);
	ck_assert_str_eq(guard.items[1].text, "has " DEVICE " open, but no tiles were granted");
	judged(2, "member", true, false);
}
END_TEST

/*
 * A job with IPUs and without tiles has accelerators here, but not before its partition has been
 * created.
 */
START_TEST(jobs_with_ipus)
{
	uses_ipus("21", "A=b", JOB + 1, "p0", "p0");
	has_ipus(JOB + 1, "p0");
	look(SECONDS);
	judged(0, "member", true, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	writes_record(JOB + 1, TESSERA_JOB_RECORD_MAKING, "p0");
	look(SECONDS);
	judged(0, "none", false, false);
}
END_TEST

START_TEST(jobs_with_other_things)
{
	struct tessera_job_record record = {
		.job = JOB + 1, .state = TESSERA_JOB_RECORD_READY, .pool_count = 1};

	uses_ipus("21", "A=b", JOB + 1, "p0", "p0");
	snprintf(record.pools[0].name, sizeof(record.pools[0].name), "csx");
	record.pools[0].count = 1;
	ck_assert_msg(tessera_job_record_write(dir, &record, &err) == 0, "%s", err.text);
	look(SECONDS);
	judged(0, "none", false, false);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, tiles_and_ipus);
	tcase_add_test(tcase, a_partition_of_others);
	tcase_add_test(tcase, a_partition_of_an_unknown_job);
	tcase_add_test(tcase, a_partition_that_was_not_granted);
	tcase_add_test(tcase, a_partition_by_its_variables);
	tcase_add_test(tcase, tiles_for_ipus);
	tcase_add_test(tcase, jobs_with_ipus);
	tcase_add_test(tcase, jobs_with_other_things);
}

UNIT_MAIN("guard_partition", add_tests)
