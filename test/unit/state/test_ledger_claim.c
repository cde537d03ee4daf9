/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a prolog may do with an existing row of its job. */
#include "config.h"

#include "test/unit/state/ledger_unit.h"

/* The prolog's run: job 10 of uid 1010, restarted once, with 8 tiles. */
static enum tessera_claim claim(const struct tessera_row *now, const char *wish)
{
	const struct tessera_row run = {.job = 10, .uid = 1010, .restarts = 1};
	struct tessera_tileset set;

	if (wish == NULL)
		return tessera_row_claim(now, &run, 8, NULL);
	set = tiles_of(wish);
	return tessera_row_claim(now, &run, 8, &set);
}

static const struct {
	uint32_t uid, restarts;
	const char *tiles, *wish;
	enum tessera_claim want;
} cases[] = {
	/* The same run: its prolog runs twice. */
	{1010, 1, "8-15", NULL, TESSERA_CLAIM_KEEP},
	{1010, 1, "8-15", "8-15", TESSERA_CLAIM_KEEP},
	/* Another job with the same ID: slurmctld lost its state. */
	{1010, 1, "8-14", NULL, TESSERA_CLAIM_OTHER},
	{1010, 1, "8-16", NULL, TESSERA_CLAIM_OTHER},
	{1010, 1, "8-15", "0-7", TESSERA_CLAIM_OTHER},
	{1011, 1, "8-15", NULL, TESSERA_CLAIM_OTHER},
	{1011, 0, "8-15", NULL, TESSERA_CLAIM_OTHER},
	/* An earlier run, and a later one. */
	{1010, 0, "8-15", NULL, TESSERA_CLAIM_OTHER},
	{1010, 2, "8-15", NULL, TESSERA_CLAIM_OTHER},
	/* A row without tiles may be replaced, unless it is a later run's. */
	{1010, 0, "-", NULL, TESSERA_CLAIM_FREE},
	{1010, 1, "-", NULL, TESSERA_CLAIM_FREE},
	{1010, 2, "-", NULL, TESSERA_CLAIM_OTHER},
	{1011, 1, "-", NULL, TESSERA_CLAIM_OTHER},
};

START_TEST(each)
{
	struct tessera_row now = row_of(10, cases[_i].tiles);

	now.uid = cases[_i].uid;
	now.restarts = cases[_i].restarts;
	ck_assert_int_eq(claim(&now, cases[_i].wish), cases[_i].want);
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(claim(NULL, NULL), TESSERA_CLAIM_FREE);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, each, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, none);
}

UNIT_MAIN("ledger_claim", add_tests)
