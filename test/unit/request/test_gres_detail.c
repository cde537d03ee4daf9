/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/gres_detail.h"
#include "test/unit/unit.h"

static const struct {
	const char *detail;
	unsigned rdus;
	unsigned tiles;
} good[] = {
	{NULL, 0, 0},
	{"", 0, 0},
	/* as slurmctld 22.05 writes GRES without device files */
	{"rdu(CNT:2),rdu_tile(CNT:16)", 2, 16},
	{"rdu(CNT:2),rdu_tile(CNT:16),rdu_mem(CNT:5)", 2, 16},
	{"rdu_tile(CNT:4)", 0, 4},
	/* and with device files: a comma inside the parentheses */
	{"rdu:3(IDX:0-2),rdu_tile:24(IDX:0-7,16-31)", 3, 24},
	{"rdu:sn30:2(IDX:0-1),rdu_tile:16(IDX:0-15)", 2, 16},
	{"rdu:sn30(CNT:2)", 2, 0},
	{"rdu:sn30(CNT:2),rdu:sn10(CNT:1)", 3, 0},
	{"gpu:4(IDX:0-3),nic:1", 0, 0},
	{"rdu:2", 2, 0},
	{"rdu_mem(CNT:1024),xrdu(CNT:3)", 0, 0},
};

START_TEST(counts)
{
	struct tessera_gres_detail granted = {99, 99};
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_gres_detail_read(good[_i].detail, &granted, &err), 0);
	ck_assert_uint_eq(granted.rdus, good[_i].rdus);
	ck_assert_uint_eq(granted.tiles, good[_i].tiles);
}
END_TEST

/* A text that cannot be parsed is an error, not 0. */
static const char *const bad[] = {
	"rdu(CNT:2",        "rdu(CNT:)",     "rdu(CNT:x)",      "rdu(IDX:0-1)", "rdu_tile:",
	"rdu_tile(CNT:-1)", "rdu(CNT:2)rdu", "rdu(CNT:999999)", "rdu:a(IDX:0)",
};

START_TEST(parse_errors)
{
	struct tessera_gres_detail granted;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_gres_detail_read(bad[_i], &granted, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i]));
}
END_TEST

static const struct {
	const char *detail;
	struct tessera_gres_detail_asked asked;
	unsigned rdus;
	unsigned tiles;
} within[] = {
	{"rdu(CNT:2),rdu_tile(CNT:16)", {"gres:rdu:2,gres:rdu_tile:16", NULL, 1}, 2, 16},
	/* --exclusive allocates all. */
	{"rdu(CNT:8),rdu_tile(CNT:64)", {"gres:rdu:1,gres:rdu_tile:8", NULL, 1}, 1, 8},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {"gres:rdu_tile:4", NULL, 1}, 0, 4},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {NULL, NULL, 4}, 0, 0},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {NULL, "gres:rdu:1,gres:rdu_tile:8", 3}, 3, 24},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {"gres:rdu_tile:1", "gres:rdu_tile:1", 3}, 0, 4},
	/* Less allocated than requested: tasks are on other nodes. */
	{"rdu(CNT:2),rdu_tile(CNT:16)", {NULL, "gres:rdu:1,gres:rdu_tile:8", 3}, 2, 16},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {NULL, "gres:rdu_tile:4294967295", 4294967295}, 0, 64},
	/* RDUs without tiles. */
	{"rdu(CNT:8)", {"gres:rdu:8", NULL, 1}, 8, 0},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {"gres:rdu:8", NULL, 1}, 8, 0},
	/* Nothing requested: the detail is ignored. */
	{"rdu(CNT:", {"gres:gpu:1", NULL, 1}, 0, 0},
	{NULL, {"gres:rdu:0", "", 1}, 0, 0},
};

START_TEST(smaller_of_both)
{
	struct tessera_gres_detail granted = {99, 99};
	struct tessera_error err = {0};

	ck_assert_msg(tessera_gres_detail_within(within[_i].detail, &within[_i].asked, &granted,
						 &err) == 0,
		      "%s", err.text);
	ck_assert_uint_eq(granted.rdus, within[_i].rdus);
	ck_assert_uint_eq(granted.tiles, within[_i].tiles);
}
END_TEST

static const struct {
	const char *detail;
	struct tessera_gres_detail_asked asked;
	enum tessera_errcode code;
	const char *says;
} unclear[] = {
	{NULL,
	 {"gres:rdu_tile:4", NULL, 1},
	 TESSERA_ERR_UNAVAILABLE,
	 "how many rdu_tile it allocated, although 4"},
	{"rdu(CNT:1)",
	 {"gres:rdu:1,gres:rdu_tile:8", NULL, 1},
	 TESSERA_ERR_UNAVAILABLE,
	 "how many rdu_tile"},
	{"rdu(CNT:1", {"gres:rdu:1", NULL, 1}, TESSERA_ERR_INPUT, "cannot parse the GRES"},
	/*
	 * The request cannot be parsed: an error, instead of all that --exclusive allocates.
	 */
	{"rdu(CNT:8),rdu_tile(CNT:64)",
	 {"gres:rdu:x:y:z", NULL, 1},
	 TESSERA_ERR_INPUT,
	 "TresPerNode"},
	{"rdu(CNT:8),rdu_tile(CNT:64)", {NULL, "gres:rdu:-1", 1}, TESSERA_ERR_INPUT, "TresPerTask"},
	{"rdu_tile(CNT:8)",
	 {"gres:rdu_tile:8,gres:rdu_tile:8", NULL, 1},
	 TESSERA_ERR_INPUT,
	 "2 times"},
};

START_TEST(unknown_is_an_error)
{
	struct tessera_gres_detail granted = {99, 99};
	struct tessera_error err = {0};

	ck_assert_int_eq(
		tessera_gres_detail_within(unclear[_i].detail, &unclear[_i].asked, &granted, &err),
		-1);
	ck_assert_int_eq(err.code, unclear[_i].code);
	ck_assert_msg(strstr(err.text, unclear[_i].says) != NULL, "%s", err.text);
	ck_assert(granted.rdus == 0 && granted.tiles == 0);
}
END_TEST

START_TEST(over_all_nodes)
{
	char two[] = "ipu(CNT:2)", four[] = "rdu(CNT:1),ipu:4(IDX:0-3)", none[] = "rdu(CNT:1)",
	     odd[] = "ipu(CNT:x)";
	char *all[] = {two, four, two}, *silent[] = {two, none}, *null[] = {NULL}, *wrong[] = {odd};
	struct tessera_error err = {0};
	unsigned total = 99;

	ck_assert_int_eq(tessera_gres_detail_total(all, 3, "ipu", 31, &total, &err), 0);
	ck_assert_uint_eq(total, 8);
	/* At most the number requested on each node. */
	ck_assert_int_eq(tessera_gres_detail_total(all, 3, "ipu", 3, &total, &err), 0);
	ck_assert_uint_eq(total, 7);
	ck_assert_int_eq(tessera_gres_detail_total(silent, 2, "ipu", 0, &total, &err), 0);
	ck_assert_uint_eq(total, 0);
	ck_assert_int_eq(tessera_gres_detail_total(silent, 2, "ipu", 2, &total, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_int_eq(tessera_gres_detail_total(null, 1, "ipu", 2, &total, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_UNAVAILABLE);
	ck_assert_int_eq(tessera_gres_detail_total(wrong, 1, "ipu", 2, &total, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(total, 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, counts, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(tcase, parse_errors, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(tcase, smaller_of_both, 0, sizeof(within) / sizeof(within[0]));
	tcase_add_loop_test(tcase, unknown_is_an_error, 0, sizeof(unclear) / sizeof(unclear[0]));
	tcase_add_test(tcase, over_all_nodes);
}

UNIT_MAIN("gres_detail", add_tests)
