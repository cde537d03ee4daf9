/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tessera guard reports if it cannot determine who has permission.
 */
#include "config.h"

#include "test/unit/command/guard_unit.h"

/*
 * The time is over before all processes were inspected: those that were found are listed, with a
 * message that the list may be incomplete.
 */
START_TEST(not_all_were_found)
{
	node.ipus = tessera_platform_find_builtin("pod64");
	world.user_count = 0;
	uses("21", "A=b", JOB + 1);
	uses("22", "A=b", JOB + 1);
	look(0);
	ck_assert_uint_eq(guard.count, 1);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_ERR_UNAVAILABLE);
	says(guard.incomplete.text, "the list may be incomplete: timed out inspecting processes");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);

	/* The same if the tool fails. */
	world.user_count = -1;
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(guard.incomplete.text, "the list may be incomplete: the tool fails");
}
END_TEST

/* If the search fails and no process was found, the result is an error, not an empty list. */
START_TEST(no_process_was_found)
{
	make_process("21", 1000, "other", "/dev/null");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 0);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	ck_assert_int_eq(try_look(0), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	says(err.text, "timed out inspecting processes: the node has too many processes");
	node.ipus = tessera_platform_find_builtin("pod64");
	world.user_count = -1;
	ck_assert_int_eq(try_look(SECONDS), -1);
	ck_assert_str_eq(err.text, "the tool fails");
	/* The tool crashes if there is no partition: then no process uses one. */
	world.crashed = true;
	look(SECONDS);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);
	world.records = 1;
	ck_assert_int_eq(try_look(SECONDS), -1);
}
END_TEST

/*
 * A process whose environment blocks its readers uses up the time for all later ones, but not more
 * than the limit.
 */
START_TEST(made_to_wait)
{
	make_process("21", 1000, "python", DEVICE);
	make_waiting("21");
	world.job[21] = JOB;
	uses("22", "SF_RNT_TILE_AFFINITY=0x1ff", JOB);
	uses("23", "A=b", 0);
	look(1);
	ck_assert_uint_eq(guard.count, 3);
	for (size_t i = 0; i < 3; i++) {
		judged(i, "unknown", false, true);
		says(guard.items[i].text, i == 0 ? "process 21: timed out" : " was not read: ");
	}
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_UNAVAILABLE);
}
END_TEST

/* A slurmd that does not answer is queried again for each process until the time is over. */
START_TEST(slurmd_is_silent)
{
	uses("21", "A=b", JOB);
	uses("22", "A=b", JOB);
	world.slurmd_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.slurmd_queries, 2);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
		ck_assert_uint_eq(guard.items[i].job, 0);
	}
}
END_TEST

/*
 * Without time left, a slurmd that does not answer is queried once, one that answers for each
 * process. The tool reports the users of IPUs, so they need no search.
 */
START_TEST(no_time_to_ask)
{
	node.platform = NULL;
	node.ipus = tessera_platform_find_builtin("pod64");
	for (unsigned i = 0; i < 3; i++)
		world.users[i] = 21 + (pid_t)i;
	world.user_count = 3;
	uses("21", "A=b", 0);
	uses("22", "A=b", 0);
	uses("23", "A=b", 0);
	world.slurmd_silent = true;
	look(0);
	ck_assert_uint_eq(guard.count, 3);
	ck_assert_uint_eq(world.slurmd_queries, 1);
	for (size_t i = 0; i < 3; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
	}
	world.slurmd_silent = false;
	look(0);
	ck_assert_uint_eq(world.slurmd_queries, 4);
}
END_TEST

/*
 * A forged grant differs from a munged that does not answer. A process without a grant needs no
 * munged.
 */
START_TEST(munged_is_silent)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	look(SECONDS);
	judged(0, "forged", false, false);
	judged(1, "forged", false, false);
	ck_assert_uint_eq(world.munge_queries, 2);
	world.munge_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.munge_queries, 4);
	judged(0, "unknown", false, true);
	judged(1, "unknown", false, true);
	ck_assert_str_eq(guard.items[1].text, "munged is silent");
	judged(2, "none", false, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/*
 * If munged does not answer until the time is over, it is not queried again. Processes without a
 * grant are judged nevertheless.
 */
START_TEST(munged_takes_all_the_time)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	world.munge_silent = true;
	world.munge_ms = 2000;
	look(2);
	ck_assert_uint_eq(world.munge_queries, 1);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "munged is silent");
	}
	judged(2, "none", false, false);
}
END_TEST

/* Without the ledger no process can be judged. */
START_TEST(the_ledger_is_damaged)
{
	uses("21", "A=b", JOB);
	write_file("ledger", "nonsense\n", 0600);
	ck_assert_int_eq(try_look(SECONDS), -1);
	says(err.text, "/ledger:1: ");
}
END_TEST

/* A process that ended meanwhile is dropped: its pid may belong to another one. */
START_TEST(ended_meanwhile)
{
	uses("21", "A=b", 0);
	uses("22", "A=b", 0);
	world.ends = "21";
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 1);
	ck_assert_int_eq(guard.items[0].process.pid, 22);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, not_all_were_found);
	tcase_add_test(tcase, no_process_was_found);
	tcase_add_test(tcase, made_to_wait);
	tcase_add_test(tcase, slurmd_is_silent);
	tcase_add_test(tcase, no_time_to_ask);
	tcase_add_test(tcase, munged_is_silent);
	tcase_add_test(tcase, munged_takes_all_the_time);
	tcase_add_test(tcase, the_ledger_is_damaged);
	tcase_add_test(tcase, ended_meanwhile);
}

UNIT_MAIN("guard_unknown", add_tests)
