/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/granted.h"
#include "test/unit/unit.h"

static const struct {
	const char *detail;
	unsigned rdus;
	unsigned tiles;
} good[] = {
	{NULL, 0, 0},
	{"", 0, 0},
	{"rdu(CNT:2),rdu_tile(CNT:16)", 2, 16}, /* as slurmctld 22.05 says it for units without numbers */
	{"rdu(CNT:2),rdu_tile(CNT:16),rdu_mem(CNT:5)", 2, 16},
	{"rdu_tile(CNT:4)", 0, 4},
	{"rdu:3(IDX:0-2),rdu_tile:24(IDX:0-7,16-31)", 3, 24}, /* and with numbers: a comma inside the brackets */
	{"rdu:sn30:2(IDX:0-1),rdu_tile:16(IDX:0-15)", 2, 16},
	{"rdu:sn30(CNT:2)", 2, 0},
	{"rdu:sn30(CNT:2),rdu:sn10(CNT:1)", 3, 0},
	{"gpu:4(IDX:0-3),nic:1", 0, 0},
	{"rdu:2", 2, 0},
	{"rdu_mem(CNT:1024),xrdu(CNT:3)", 0, 0},
};

START_TEST(counts)
{
	struct tessera_granted granted = {99, 99};
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_granted_read(good[_i].detail, &granted, &err), 0);
	ck_assert_uint_eq(granted.rdus, good[_i].rdus);
	ck_assert_uint_eq(granted.tiles, good[_i].tiles);
}
END_TEST

/* Unknown is not zero: what is not understood is an error. */
static const char *const bad[] = {
	"rdu(CNT:2",        "rdu(CNT:)",     "rdu(CNT:x)",      "rdu(IDX:0-1)", "rdu_tile:",
	"rdu_tile(CNT:-1)", "rdu(CNT:2)rdu", "rdu(CNT:999999)", "rdu:a(IDX:0)",
};

START_TEST(not_understood)
{
	struct tessera_granted granted;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_granted_read(bad[_i], &granted, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i]));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, counts, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(tcase, not_understood, 0, sizeof(bad) / sizeof(bad[0]));
}

UNIT_MAIN("granted", add_tests)
