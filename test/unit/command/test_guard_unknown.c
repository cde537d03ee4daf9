/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said when it is not known who may use what there is.
 */
#include "config.h"

#include "test/unit/command/guard_unit.h"

/*
 * Time is up before all processes were looked at: who was found is named, and that there may be
 * more.
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

	/* So it is when the tool fails. */
	world.user_count = -1;
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 2);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_str_eq(guard.incomplete.text, "the list may be incomplete: the tool fails");
}
END_TEST

/* Nobody was found at all, and somebody may be there: that is no empty list. */
START_TEST(nobody_was_found)
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
	/* It crashes where no partition is, and nobody can use one. */
	world.crashed = true;
	look(SECONDS);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);
	world.holdings = 1;
	ck_assert_int_eq(try_look(SECONDS), -1);
}
END_TEST

/*
 * One that makes its readers wait takes the time of all that come after it, but no more than there
 * is.
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

/* slurmd gives no answer: it is asked for each process anew, as long as there is time. */
START_TEST(slurmd_is_silent)
{
	uses("21", "A=b", JOB);
	uses("22", "A=b", JOB);
	world.slurmd_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.slurmd_asked, 2);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
		ck_assert_uint_eq(guard.items[i].job, 0);
	}
}
END_TEST

/*
 * With no time left it is asked once, but one that answers for each. Users of IPUs are found
 * without looking for them.
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
	ck_assert_uint_eq(world.slurmd_asked, 1);
	for (size_t i = 0; i < 3; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "slurmd is silent");
	}
	world.slurmd_silent = false;
	look(0);
	ck_assert_uint_eq(world.slurmd_asked, 4);
}
END_TEST

/*
 * munged gives no answer; what it says of a grant is another matter, and who shows none need not
 * wait for it.
 */
START_TEST(munged_is_silent)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	look(SECONDS);
	judged(0, "forged", false, false);
	judged(1, "forged", false, false);
	ck_assert_uint_eq(world.munge_asked, 2);
	world.munge_silent = true;
	look(SECONDS);
	ck_assert_uint_eq(world.munge_asked, 4);
	judged(0, "unknown", false, true);
	judged(1, "unknown", false, true);
	ck_assert_str_eq(guard.items[1].text, "munged is silent");
	judged(2, "none", false, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/*
 * Who asks in vain for longer than there is time asks no more; but who shows no grant needs
 * nobody's answer.
 */
START_TEST(munged_takes_all_the_time)
{
	uses("21", "TESSERA_GRANT=x", 0);
	uses("22", "TESSERA_GRANT=x", 0);
	uses("23", "A=b", 0);
	world.munge_silent = true;
	world.munge_ms = 2000;
	look(2);
	ck_assert_uint_eq(world.munge_asked, 1);
	for (size_t i = 0; i < 2; i++) {
		judged(i, "unknown", false, true);
		ck_assert_str_eq(guard.items[i].text, "munged is silent");
	}
	judged(2, "none", false, false);
}
END_TEST

/* Nobody can be judged without the ledger. */
START_TEST(the_ledger_is_damaged)
{
	uses("21", "A=b", JOB);
	write_file("ledger", "nonsense\n", 0600);
	ck_assert_int_eq(try_look(SECONDS), -1);
	says(err.text, "/ledger:1: ");
}
END_TEST

/* What was found out about a process that is no longer there may be about another. */
START_TEST(gone_meanwhile)
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
	tcase_add_test(tcase, nobody_was_found);
	tcase_add_test(tcase, made_to_wait);
	tcase_add_test(tcase, slurmd_is_silent);
	tcase_add_test(tcase, no_time_to_ask);
	tcase_add_test(tcase, munged_is_silent);
	tcase_add_test(tcase, munged_takes_all_the_time);
	tcase_add_test(tcase, the_ledger_is_damaged);
	tcase_add_test(tcase, gone_meanwhile);
}

UNIT_MAIN("guard_unknown", add_tests)
