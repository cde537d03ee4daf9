/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/request/user_mask.h"
#include "test/unit/unit.h"

static const struct tessera_platform *sn10(void)
{
	return tessera_platform_find_builtin("sn10-8");
}

static void name_owner(unsigned tile, char *buf, size_t len, void *arg)
{
	snprintf(buf, len, "job %s of tile %u", (const char *)arg, tile);
}

static char job[] = "4711";

/* A task that holds RDU 6, tiles 24 to 27 of an SN10-8. */
static int apply(enum tessera_user_mask policy, const char *mask, struct tessera_tileset *tiles,
		 struct tessera_error *err)
{
	tessera_tileset_clear(tiles);
	tessera_tileset_add_range(tiles, 24, 4);
	return tessera_user_mask_apply(sn10(), policy, mask, tiles, name_owner, job, err);
}

START_TEST(inside)
{
	static const struct {
		enum tessera_user_mask policy;
		const char *mask;
		unsigned first, count;
	} cases[] = {
		{TESSERA_MASK_NARROW, NULL, 24, 4},
		{TESSERA_MASK_NARROW, "0x0f000000", 24, 4},
		{TESSERA_MASK_NARROW, "0x0c000000", 26, 2},
		{TESSERA_MASK_NARROW, "6.0", 24, 1},
		{TESSERA_MASK_IGNORE, "0xf0000000", 24, 4},
		{TESSERA_MASK_IGNORE, "nonsense", 24, 4},
		{TESSERA_MASK_REFUSE, NULL, 24, 4},
		{TESSERA_MASK_WISH, "0x0c000000", 26, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_tileset tiles;
		struct tessera_error err = {0};

		ck_assert_msg(apply(cases[i].policy, cases[i].mask, &tiles, &err) == 0,
			      "case %zu: %s", i, err.text);
		ck_assert_uint_eq(tessera_tileset_count(&tiles), cases[i].count);
		ck_assert(tessera_tileset_has_range(&tiles, cases[i].first, cases[i].count));
	}
}
END_TEST

START_TEST(foreign_tiles)
{
	static const struct {
		enum tessera_user_mask policy;
		const char *mask;
		const char *words[3];
	} cases[] = {
		/* RDU 7 is another job's, which the message names: tile 28 is its first. */
		{TESSERA_MASK_NARROW, "0xff000000", {"0xff000000", "rdu7", "job 4711 of tile 28"}},
		{TESSERA_MASK_NARROW, "0x18000000", {"7.0", "rdu6", "--tile-affinity"}},
		{TESSERA_MASK_NARROW, "0x0", {"SF_RNT_TILE_AFFINITY=0x0", "", ""}},
		{TESSERA_MASK_NARROW, "0x1ff000000", {"SF_RNT_TILE_AFFINITY", "32", ""}},
		{TESSERA_MASK_NARROW, "", {"SF_RNT_TILE_AFFINITY=", "", ""}},
		{TESSERA_MASK_WISH, "0xff000000", {"0xff000000", "rdu7", "job 4711 of tile 28"}},
		{TESSERA_MASK_REFUSE,
		 "0x0f000000",
		 {"does not allow", "0x0f000000", "--tile-affinity"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_tileset tiles;
		struct tessera_error err = {0};

		ck_assert_int_eq(apply(cases[i].policy, cases[i].mask, &tiles, &err), -1);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		for (size_t w = 0; w < 3; w++)
			ck_assert_msg(strstr(err.text, cases[i].words[w]) != NULL,
				      "case %zu: no '%s' in: %s", i, cases[i].words[w], err.text);
		/* The tiles are unchanged. */
		ck_assert_uint_eq(tessera_tileset_count(&tiles), 4);
	}
}
END_TEST

START_TEST(no_owner_function)
{
	struct tessera_tileset tiles;
	struct tessera_error err = {0};

	tessera_tileset_clear(&tiles);
	tessera_tileset_add_range(&tiles, 24, 4);
	ck_assert_int_eq(tessera_user_mask_apply(sn10(), TESSERA_MASK_NARROW, "0x1", &tiles, NULL,
						 NULL, &err),
			 -1);
	ck_assert_ptr_null(strstr(err.text, "held by"));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, inside);
	tcase_add_test(tcase, foreign_tiles);
	tcase_add_test(tcase, no_owner_function);
}

UNIT_MAIN("user_mask", add_tests)
