/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment variable in which a client states what its job requests. */
#include "config.h"

#include "lib/request/asked.h"
#include "test/unit/unit.h"

static const struct {
	const char *text;
	bool tiles, pools;
} cases[] = {
	{NULL, false, false},
	{"", false, false},
	{"tiles=8", true, false},
	{"ipus=4", false, true},
	{"csx=1", false, true},
	{"tiles=8,csx=1", true, true},
	{"ipus=4,tiles=8", true, true},
	/* A pool whose name ends in "tiles". */
	{"mytiles=2", false, true},
	{"my-tiles=2,ipus=4", false, true},
	/* Two components of a heterogeneous job. */
	{"tiles=8,tiles=4", true, false},
	/* Forged texts count as requests. */
	{",", false, false},
	{"tiles", false, true},
	{"=", false, true},
};

START_TEST(reads)
{
	struct asked asked = asked_read(cases[_i].text);

	ck_assert_msg(asked.tiles == cases[_i].tiles && asked.pools == cases[_i].pools, "%s",
		      cases[_i].text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, reads, 0, sizeof(cases) / sizeof(cases[0]));
}

UNIT_MAIN("asked", add_tests)
