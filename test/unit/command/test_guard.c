/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes have permission: by their job, by their grant, or not at all.
 */
#include "config.h"

#include "test/unit/command/guard_unit.h"

START_TEST(each_is_judged)
{
	uses("21", "SF_RNT_TILE_AFFINITY=0xff", JOB);
	uses("22", "A=b", JOB);
	uses("23", "SF_RNT_TILE_AFFINITY=0x1ff", JOB);
	uses("24", "A=b", JOB + 1);
	make_process("25", 0, "service", DEVICE);
	make_file("25/environ", "");
	make_process("26", 1000, "other", "/dev/null");
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 5);
	judged(0, "member", true, false);
	judged(1, "outside", false, false);
	says(guard.items[1].text, "SF_RNT_TILE_AFFINITY is not set");
	judged(2, "outside", false, false);
	judged(3, "none", false, false);
	judged(4, "service", true, false);
	ck_assert_int_eq(guard.items[3].process.pid, 24);
	ck_assert_str_eq(guard.items[3].process.file, DEVICE);
	ck_assert_uint_eq(guard.items[3].job, JOB + 1);
	ck_assert_int_eq(guard.incomplete.code, TESSERA_OK);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_ERR_INPUT);
}
END_TEST

/*
 * Without a mask, the runtime uses any tile: only a process whose job has all tiles has permission.
 * If the environment is unknown, there may have been a mask.
 */
START_TEST(without_a_mask)
{
	uses("21", "SF_RNT_TILE_AFFINITY=", JOB);
	uses("22", "", JOB);
	uses("23", "trainer: step 7=done", JOB);
	look(SECONDS);
	judged(0, "outside", false, false);
	judged(1, "unknown", false, true);
	judged(2, "unknown", false, true);
	says(guard.items[2].text, "its environment is empty");
	has_tiles(63);
	look(SECONDS);
	judged(0, "outside", false, false);
	has_tiles(64);
	look(SECONDS);
	judged(0, "member", true, false);
}
END_TEST

/* A grant covers only its own tiles and its own partition. */
START_TEST(granted)
{
	static const char tiles
		[] = "tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 "
		     "platform sn30-8 tiles 0-7 partition -",
	   ipus[] = "tessera-grant 1 cluster lab node a1 job 7 restarts 0 step 0 uid 1000 time 1 "
		    "platform - tiles - partition p0";
	static const struct {
		const char *inside, *variable, *verdict;
	} cases[] = {
		{tiles, "SF_RNT_TILE_AFFINITY=0xff", "granted"},
		{tiles, "SF_RNT_TILE_AFFINITY=0x100", "outside"},
		{tiles, "A=b", "outside"},
		{ipus, "IPUOF_VIPU_API_PARTITION_ID=p0", "granted"},
		{ipus, "IPUOF_VIPU_API_PARTITION_ID=p1", "outside"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char pid[24], path[64];
		bool right = strcmp(cases[i].verdict, "granted") == 0;
		FILE *f;

		world.inside = cases[i].inside;
		snprintf(pid, sizeof(pid), "%zu", 21 + i);
		if (cases[i].inside == tiles)
			uses(pid, "TESSERA_GRANT=x", 0);
		else
			uses_ipus(pid, "TESSERA_GRANT=x", 0, NULL, NULL);
		snprintf(path, sizeof(path), "%s/%s/environ", proc, pid);
		f = fopen(path, "a");
		ck_assert_ptr_nonnull(f);
		putc('\0', f);
		fputs(cases[i].variable, f);
		fclose(f);
		look(SECONDS);
		judged(i, cases[i].verdict, right, false);
		/* So that the next process is judged alone. */
		make_file(in_dir(pid, "environ"), "");
		ck_assert_uint_eq(guard.items[i].job, 0);
	}
}
END_TEST

/*
 * A process of root that belongs to no job has permission, whatever its environment, and without
 * munged.
 */
START_TEST(services)
{
	make_process("21", 0, "service", DEVICE);
	make_file("21/environ", "TESSERA_GRANT=x");
	world.munge_silent = true;
	look(SECONDS);
	judged(0, "service", true, false);
	ck_assert_int_eq(guard_verdict(&guard), TESSERA_OK);
	/*
	 * A process of root is judged like others if its job has no accelerators here, or if slurmd
	 * does not answer.
	 */
	world.munge_silent = false;
	world.job[21] = JOB + 1;
	look(SECONDS);
	judged(0, "forged", false, false);
	world.slurmd_silent = true;
	look(SECONDS);
	judged(0, "unknown", false, true);
}
END_TEST

/* r: permission, n: no permission, u: unknown; !: the list may be incomplete. */
START_TEST(all_together)
{
	static const struct {
		const char *items;
		enum tessera_errcode code;
	} cases[] = {
		{"", TESSERA_OK},
		{"r", TESSERA_OK},
		{"n", TESSERA_ERR_INPUT},
		{"u", TESSERA_ERR_UNAVAILABLE},
		{"ur", TESSERA_ERR_UNAVAILABLE},
		{"rnr", TESSERA_ERR_INPUT},
		{"un", TESSERA_ERR_INPUT},
		{"nu", TESSERA_ERR_INPUT},
		{"!", TESSERA_ERR_UNAVAILABLE},
		{"!r", TESSERA_ERR_UNAVAILABLE},
		{"!n", TESSERA_ERR_INPUT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct guard_item items[3] = {0};
		struct guard all = {.items = items};

		for (const char *c = cases[i].items; *c != '\0'; c++) {
			if (*c == '!') {
				all.incomplete.code = TESSERA_ERR_UNAVAILABLE;
				continue;
			}
			items[all.count].right = *c == 'r';
			items[all.count++].unknown = *c == 'u';
		}
		ck_assert_msg(guard_verdict(&all) == cases[i].code, "%s", cases[i].items);
	}
}
END_TEST

/* slurmd is queried once for all processes of a step. */
START_TEST(one_query_for_a_step)
{
	char pid[16], stat[128];

	make_process("50", 0, "slurmstepd", NULL);
	make_link("50/exe", "/usr/sbin/slurmstepd");
	make_file("50/cmdline", "slurmstepd: [7.batch]");
	world.job[50] = JOB;
	for (unsigned i = 60; i < 80; i++) {
		snprintf(pid, sizeof(pid), "%u", i);
		uses(pid, "SF_RNT_TILE_AFFINITY=0xff", JOB);
		snprintf(stat, sizeof(stat),
			 "%u (p) S 50 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 %u0 4 5 6\n", i, i);
		make_file(in_dir(pid, "stat"), stat);
	}
	look(SECONDS);
	ck_assert_uint_eq(guard.count, 20);
	for (size_t n = 0; n < 20; n++) {
		judged(n, "member", true, false);
		ck_assert_uint_eq(guard.items[n].job, JOB);
	}
	ck_assert_uint_eq(world.slurmd_queries, 1);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, each_is_judged);
	tcase_add_test(tcase, one_query_for_a_step);
	tcase_add_test(tcase, without_a_mask);
	tcase_add_test(tcase, granted);
	tcase_add_test(tcase, services);
	tcase_add_test(tcase, all_together);
}

UNIT_MAIN("guard", add_tests)
