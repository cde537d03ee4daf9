/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>

#include "lib/tile/place.h"
#include "test/unit/unit.h"

/* Six tiles in an RDU: block sizes 2 and 3 do not divide each other. */
static const struct tessera_platform six = {
	.name = "six",
	.title = "six",
	.kind = TESSERA_KIND_RDU,
	.xrdus = 1,
	.rdus_per_xrdu = 2,
	.tiles_per_rdu = 6,
	.tiles_per_gres = 6,
	.mask_bits = 12,
};

static const struct tessera_platform *platform(const char *name)
{
	return strcmp(name, six.name) == 0 ? &six : tessera_platform_find_builtin(name);
}

/* "": the empty set; "all": all tiles of the platform. */
static struct tessera_tileset tiles(const struct tessera_platform *p, const char *text)
{
	struct tessera_tileset set;
	struct tessera_error err;

	tessera_tileset_clear(&set);
	if (strcmp(text, "all") == 0)
		tessera_tileset_all(p, &set);
	else if (text[0] != '\0' && tessera_tileset_parse(p, text, &set, &err) < 0)
		ck_abort_msg("invalid test data: %s: %s", text, err.text);
	return set;
}

static void assert_tiles(int row, const struct tessera_platform *p,
			 const struct tessera_tileset *got, const char *want)
{
	struct tessera_tileset expected = tiles(p, want);
	char text[256];

	tessera_tileset_format(p, got, TESSERA_FORM_DOTTED, text, sizeof(text));
	ck_assert_msg(tessera_tileset_equal(got, &expected), "row %d: got %s, not %s", row, text,
		      want);
}

static const unsigned last_is_close[8] = {9, 9, 9, 9, 9, 9, 1, 1};
static const unsigned five_is_close[8] = {5, 5, 5, 5, 5, 0, 5, 5};
static const unsigned low_is_close[8] = {0, 0, 0, 0, 9, 9, 9, 9};
static const unsigned odd_is_close[8] = {3, 2, 3, 2, 3, 2, 3, 2};

static const struct found {
	const char *platform, *free, *bad;
	struct tessera_shape shape;
	const unsigned *cost;
	const char *want;
} found[] = {
	/* Whole RDUs: pairs stay together, both taken and remaining ones. */
	{"sn30-8", "all", "", {1, 0, 0}, NULL, "rdu0"},
	{"sn10-8", "all", "", {1, 0, 0}, NULL, "rdu0"},
	{"sn30-8", "all", "", {2, 0, 0}, NULL, "rdu0-1"},
	{"sn30-8", "all", "", {8, 0, 0}, NULL, "rdu0-7"},
	{"sn30-8", "rdu1-7", "", {1, 0, 0}, NULL, "rdu1"},
	{"sn30-8", "rdu0-2", "", {1, 0, 0}, NULL, "rdu2"},
	{"sn30-8", "rdu1-7", "", {2, 0, 0}, NULL, "rdu2-3"},
	{"sn30-8", "rdu1-7", "", {3, 0, 0}, NULL, "rdu1-3"},
	{"sn30-8", "rdu0-5,rdu7", "", {3, 0, 0}, NULL, "rdu0-1,rdu7"},
	{"sn30-8", "rdu1,rdu2,rdu4,rdu7", "", {2, 0, 0}, NULL, "rdu1-2"},
	{"sn30-8", "0.0-6,rdu5", "", {1, 0, 0}, NULL, "rdu5"},
	{"sn30-8", "rdu0-2,rdu4", "", {2, 0, 0}, NULL, "rdu0-1"},

	/* Cost: less important than sharing an XRDU, more than what remains for other jobs. */
	{"sn30-8", "all", "", {1, 0, 0}, last_is_close, "rdu6"},
	{"sn30-8", "all", "", {2, 0, 0}, last_is_close, "rdu6-7"},
	{"sn30-8", "rdu1-7", "", {1, 0, 0}, last_is_close, "rdu6"},
	{"sn30-8", "all", "", {1, 0, 0}, five_is_close, "rdu5"},
	{"sn30-8", "all", "", {2, 0, 0}, five_is_close, "rdu4-5"},
	{"sn30-8", "rdu0,rdu2,rdu4,rdu5", "", {2, 0, 0}, low_is_close, "rdu4-5"},
	{"sn30-8", "all", "", {3, 0, 0}, odd_is_close, "rdu0-1,rdu3"},

	/* Blocks: first RDUs that are not whole, then XRDUs that are not. */
	{"sn30-8", "all", "", {0, 1, 4}, NULL, "0.0-3"},
	{"sn30-8", "0.4-7,rdu1-7", "", {0, 1, 4}, NULL, "0.4-7"},
	{"sn30-8", "rdu0,3.4-7", "", {0, 1, 4}, NULL, "3.4-7"},
	{"sn30-8", "rdu0,3.4-7", "", {0, 1, 4}, low_is_close, "3.4-7"},
	{"sn30-8", "rdu0,7.4-7", "", {0, 1, 4}, low_is_close, "7.4-7"},
	{"sn30-8", "rdu0,7.4-7", "", {0, 2, 4}, NULL, "0.0-3,7.4-7"},
	{"sn30-8", "rdu0-1,rdu3-5", "", {0, 1, 4}, NULL, "3.0-3"},
	{"sn30-8", "rdu1-2", "", {0, 3, 4}, NULL, "rdu1,2.0-3"},
	{"sn30-8", "all", "", {0, 3, 4}, five_is_close, "rdu5,4.0-3"},
	{"sn30-8", "all", "", {0, 16, 4}, NULL, "all"},
	{"sn30-8", "all", "", {0, 2, 8}, NULL, "rdu0-1"},
	{"sn10-8", "0.3,rdu2", "", {0, 1, 1}, NULL, "0.3"},
	{"sn10-8", "0.1-2,rdu2", "", {0, 1, 2}, NULL, "2.0-1"},

	/* In RDUs that are not whole: the slot that leaves the largest aligned gaps. */
	{"sn30-8", "0.0-3,1.0,1.2,1.4-6", "", {0, 1, 1}, NULL, "1.0"},
	{"sn30-8", "0.0-3,1.4-6", "", {0, 1, 1}, NULL, "1.6"},
	{"sn30-8", "0.0-3,1.4-5", "", {0, 1, 2}, NULL, "1.4-5"},
	{"sn30-8", "2.0-3,2.6-7", "", {0, 1, 2}, NULL, "2.6-7"},
	{"sn30-8", "2.0-3,2.6-7", "", {0, 2, 2}, NULL, "2.0-1,2.6-7"},
	{"sn30-8", "2.0-4,2.6-7", "", {0, 3, 1}, NULL, "2.4,2.6-7"},
	{"sn30-8", "0.0-1,5.0", "", {0, 1, 1}, low_is_close, "5.0"},
	{"sn30-8", "1.0-3,6.4-7", "", {0, 1, 4}, last_is_close, "6.4-7"},
	{"sn30-8", "0.0,0.2,0.4,5.0,5.2", "", {0, 1, 1}, NULL, "5.0"},
	{"sn30-8", "0.0,0.2,0.4,5.0,5.2", "", {0, 1, 1}, low_is_close, "0.0"},
	{"six", "0.0-2,0.4-5", "", {0, 1, 2}, NULL, "0.4-5"},
	{"six", "0.0-2,0.4-5", "", {0, 1, 3}, NULL, "0.0-2"},
	{"six", "0.0-2,0.4", "", {0, 1, 1}, NULL, "0.4"},
	{"six", "0.2-5,1.0-1,1.3,1.5", "", {0, 1, 2}, NULL, "1.0-1"},

	/* An RDU with a bad tile is not whole. */
	{"sn30-8", "all", "0.3", {1, 0, 0}, NULL, "rdu1"},
	{"sn30-8", "all", "0.3", {2, 0, 0}, NULL, "rdu2-3"},
	{"sn30-8", "all", "0.3", {0, 1, 4}, NULL, "0.4-7"},
	{"sn30-8", "all", "0.3", {0, 1, 2}, NULL, "0.0-1"},
	{"sn30-8", "all", "0.3", {0, 1, 1}, NULL, "0.2"},
	{"sn30-8", "rdu4", "rdu0-3,rdu5-7", {0, 2, 4}, NULL, "rdu4"},

	/* Whole RDUs and blocks together. */
	{"sn30-8", "rdu0-1,3.0-3", "", {1, 1, 4}, NULL, "rdu0,3.0-3"},
	{"sn30-8", "rdu0-1", "", {1, 2, 4}, NULL, "rdu0-1"},
	{"sn30-8", "rdu0-1,2.0-3", "", {2, 1, 4}, NULL, "rdu0-1,2.0-3"},
};

START_TEST(places_shape)
{
	const struct found *row = &found[_i];
	const struct tessera_platform *p = platform(row->platform);
	struct tessera_tileset free = tiles(p, row->free), bad = tiles(p, row->bad), got;
	struct tessera_error err = {0};
	struct tessera_place in = {
		.platform = p, .free = &free, .bad = &bad, .shape = row->shape, .cost = row->cost};

	ck_assert_msg(tessera_place(&in, &got, &err) == 0, "row %d: %s", _i, err.text);
	assert_tiles(_i, p, &got, row->want);
	if (tessera_tileset_empty(&bad)) {
		in.bad = NULL;
		ck_assert_int_eq(tessera_place(&in, &got, NULL), 0);
		assert_tiles(_i, p, &got, row->want);
	}
}
END_TEST

static const struct refused {
	const char *platform, *free, *bad;
	struct tessera_shape shape;
	enum tessera_errcode code;
	const char *text;
} refused[] = {
	{"sn30-8",
	 "rdu0,1.0-3,2.0-3,3.0",
	 "",
	 {2, 0, 0},
	 TESSERA_ERR_SHORTAGE,
	 "2 whole RDUs needed, 1 free (17 of 64 tiles free but fragmented)"},
	{"sn30-8",
	 "rdu0-2",
	 "",
	 {5, 0, 0},
	 TESSERA_ERR_SHORTAGE,
	 "5 whole RDUs needed, 3 free (24 of 64 tiles free)"},
	{"sn30-8",
	 "",
	 "",
	 {1, 0, 0},
	 TESSERA_ERR_SHORTAGE,
	 "1 whole RDU needed, none free (0 of 64 tiles free)"},
	{"sn30-8",
	 "3.3",
	 "",
	 {0, 1, 4},
	 TESSERA_ERR_SHORTAGE,
	 "1 block of 4 tiles needed, none free (1 of 64 tiles free)"},
	{"sn30-8",
	 "3.2-5",
	 "",
	 {0, 1, 4},
	 TESSERA_ERR_SHORTAGE,
	 "1 block of 4 tiles needed, none free (4 of 64 tiles free but fragmented)"},
	{"sn30-8",
	 "rdu0,1.0-2",
	 "",
	 {0, 4, 4},
	 TESSERA_ERR_SHORTAGE,
	 "4 blocks of 4 tiles needed, 2 free (11 of 64 tiles free)"},
	{"sn30-8",
	 "rdu0-1,3.0-3",
	 "",
	 {1, 4, 4},
	 TESSERA_ERR_SHORTAGE,
	 "1 whole RDU and 4 blocks of 4 tiles needed, 1 whole RDU and 3 blocks of 4 tiles free "
	 "(20 of 64 tiles free)"},
	{"sn30-8",
	 "3.0-3",
	 "",
	 {1, 1, 4},
	 TESSERA_ERR_SHORTAGE,
	 "1 whole RDU and 1 block of 4 tiles needed, 1 block of 4 tiles free (4 of 64 tiles "
	 "free)"},
	{"sn30-8",
	 "all",
	 "7.7",
	 {8, 0, 0},
	 TESSERA_ERR_SHORTAGE,
	 "8 whole RDUs needed, 7 free (63 of 64 tiles free, 1 marked bad)"},
	{"sn10-8",
	 "rdu0",
	 "0.0,rdu1",
	 {1, 0, 0},
	 TESSERA_ERR_SHORTAGE,
	 "1 whole RDU needed, none free (3 of 32 tiles free, 5 marked bad)"},

	{"sn30-8",
	 "all",
	 "",
	 {9, 0, 0},
	 TESSERA_ERR_INPUT,
	 "9 whole RDUs needed, but a node of sn30-8 has 8 RDUs of 8 tiles"},
	{"sn30-8",
	 "",
	 "",
	 {0, 17, 4},
	 TESSERA_ERR_INPUT,
	 "17 blocks of 4 tiles needed, but a node of sn30-8 has 8 RDUs of 8 tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {8, 1, 1},
	 TESSERA_ERR_INPUT,
	 "8 whole RDUs and 1 block of 1 tile needed, but a node of sn30-8 has 8 RDUs of 8 "
	 "tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {1, 8, 8},
	 TESSERA_ERR_INPUT,
	 "1 whole RDU and 8 blocks of 8 tiles needed, but a node of sn30-8 has 8 RDUs of 8 "
	 "tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {0, 1, 3},
	 TESSERA_ERR_INPUT,
	 "a block of 3 tiles does not divide an RDU of sn30-8, which has 8 tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {0, 1, 16},
	 TESSERA_ERR_INPUT,
	 "a block of 16 tiles does not divide an RDU of sn30-8, which has 8 tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {0, 1, 0},
	 TESSERA_ERR_INPUT,
	 "a block of 0 tiles does not divide an RDU of sn30-8, which has 8 tiles"},
	{"sn30-8",
	 "all",
	 "",
	 {0, 0, 0},
	 TESSERA_ERR_INPUT,
	 "no tiles requested: ask for at least one"},
	{"pod16",
	 "",
	 "",
	 {1, 0, 0},
	 TESSERA_ERR_INPUT,
	 "platform pod16 has no tiles to place a job on"},
	/* Numbers that overflow when multiplied or added. */
	{"sn30-8", "all", "", {UINT_MAX, 0, 0}, TESSERA_ERR_INPUT, NULL},
	{"sn30-8", "all", "", {0, UINT_MAX, 4}, TESSERA_ERR_INPUT, NULL},
	{"sn30-8", "all", "", {UINT_MAX, 1, 8}, TESSERA_ERR_INPUT, NULL},
	{"sn30-8", "all", "", {1, UINT_MAX, 8}, TESSERA_ERR_INPUT, NULL},
	{"sn30-8", "all", "", {0, 1u << 30, 4}, TESSERA_ERR_INPUT, NULL},
};

START_TEST(rejects_shape)
{
	const struct refused *row = &refused[_i];
	const struct tessera_platform *p = platform(row->platform);
	struct tessera_tileset free = tiles(p, row->free), bad = tiles(p, row->bad);
	struct tessera_tileset before = {{0x5a}}, got = before;
	struct tessera_error err = {0};
	struct tessera_place in = {.platform = p, .free = &free, .bad = &bad, .shape = row->shape};

	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_int_eq(err.code, row->code);
	if (row->text != NULL)
		ck_assert_str_eq(err.text, row->text);
	ck_assert_msg(tessera_tileset_equal(&got, &before), "row %d changed the result", _i);
	ck_assert_int_eq(tessera_place(&in, &got, NULL), -1);
}
END_TEST

/* A tile that is bad, unknown and withheld is counted once, as the first of these. */
START_TEST(counts_unavailable_tiles_once)
{
	const struct tessera_platform *p = platform("sn30-8");
	struct tessera_tileset free = tiles(p, "0.1-7,1.1-7,rdu4-7"), bad = tiles(p, "4.0,7.0"),
			       got;
	struct tessera_tileset unknown = tiles(p, "5.0,5.1,7.1"),
			       withheld = tiles(p, "0.0,1.0,7.0-1");
	struct tessera_error err = {0};
	struct tessera_place in = {
		.platform = p, .free = &free, .kept = &withheld, .shape = {6, 0, 0}};

	tessera_tileset_minus(&free, &withheld);
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_str_eq(err.text, "6 whole RDUs needed, 3 free (44 of 64 tiles free, 4 withheld)");
	in.bad = &bad;
	in.unknown = &unknown;
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_str_eq(err.text, "6 whole RDUs needed, 1 free (41 of 64 tiles free, 2 "
				   "marked bad, 3 "
				   "not known to be good, 2 withheld)");
	withheld = tiles(p, "0.0,4.0");
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_str_eq(err.text, "6 whole RDUs needed, 1 free (41 of 64 tiles free, 2 "
				   "marked bad, 3 "
				   "not known to be good, 1 withheld)");
}
END_TEST

/* Tiles 0 to 15 belong to job *ARG; the owner of the others is unknown. */
static void write_owner(unsigned tile, char *buf, size_t len, void *arg)
{
	if (tile < 16)
		snprintf(buf, len, "job %d (ann)", *(const int *)arg);
}

static const struct wish {
	const char *free, *bad, *unknown, *wish;
	enum tessera_errcode code;
	const char *text; /* NULL: placed */
} wishes[] = {
	{"all", "", "", "rdu6,rdu7", 0, NULL},
	{"6.0-3,7.5", "", "", "6.0-3,7.5", 0, NULL},
	{"all", "", "", "0.3,1.1-6", 0, NULL},
	{"all", "2.0", "3.0", "2.1-7,3.1", 0, NULL},
	{"rdu1-7", "", "", "0.2,1.0", TESSERA_ERR_SHORTAGE,
	 "tile 0.2 is held by job 4711 (ann): ask for other tiles or wait"},
	{"rdu0-5", "", "", "5.0,6.0-3,7.0", TESSERA_ERR_SHORTAGE,
	 "tile 6.0 is held by another job: ask for other tiles or wait"},
	/* A bad tile is reported first, because waiting does not help. */
	{"all", "6.1", "", "rdu6", TESSERA_ERR_INPUT,
	 "tile 6.1 is marked bad: ask for other tiles"},
	{"", "0.4", "", "0.4", TESSERA_ERR_INPUT, "tile 0.4 is marked bad: ask for other tiles"},
	{"rdu0-3", "3.0", "2.0", "2.0,3.0,4.0", TESSERA_ERR_INPUT,
	 "tile 3.0 is marked bad: ask for other tiles"},
	{"rdu0,rdu2-7", "3.0", "", "0.0,1.5,3.0", TESSERA_ERR_INPUT,
	 "tile 3.0 is marked bad: ask for other tiles"},
	/* Unknown tiles may become good soon. */
	{"all", "", "6.1", "rdu6", TESSERA_ERR_SHORTAGE,
	 "tile 6.1 is not known to be good: ask for other tiles or wait"},
	{"rdu3", "3.0", "3.1", "0.0,3.1", TESSERA_ERR_SHORTAGE,
	 "tile 3.1 is not known to be good: ask for other tiles or wait"},
};

START_TEST(places_or_rejects_wish)
{
	const struct wish *row = &wishes[_i];
	const struct tessera_platform *p = platform("sn30-8");
	struct tessera_tileset free = tiles(p, row->free), bad = tiles(p, row->bad),
			       wish = tiles(p, row->wish);
	struct tessera_tileset unknown = tiles(p, row->unknown), got = {{0x5a}};
	struct tessera_error err = {0};
	int job = 4711;
	struct tessera_place in = {.platform = p,
				   .free = &free,
				   .bad = &bad,
				   .unknown = &unknown,
				   .wish = &wish,
				   .owner = write_owner,
				   .owner_arg = &job};

	if (row->text == NULL) {
		ck_assert_msg(tessera_place(&in, &got, &err) == 0, "row %d: %s", _i, err.text);
		assert_tiles(_i, p, &got, row->wish);
		return;
	}
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_int_eq(err.code, row->code);
	ck_assert_str_eq(err.text, row->text);
	ck_assert_uint_eq(got.word[0], 0x5a);
}
END_TEST

/* Unknown tiles are avoided like bad ones, but counted separately. */
START_TEST(avoids_unknown_tiles)
{
	const struct tessera_platform *p = platform("sn30-8");
	struct tessera_tileset all = tiles(p, "all"), bad = tiles(p, "0.0,0.1"),
			       unknown = tiles(p, "rdu0-6"), got;
	struct tessera_error err = {0};
	struct tessera_place in = {.platform = p,
				   .free = &all,
				   .bad = &bad,
				   .unknown = &unknown,
				   .shape = {.whole = 1}};

	ck_assert_int_eq(tessera_place(&in, &got, &err), 0);
	assert_tiles(0, p, &got, "rdu7");
	in.shape.whole = 2;
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_SHORTAGE);
	ck_assert_str_eq(err.text, "2 whole RDUs needed, 1 free (8 of 64 tiles free, 2 "
				   "marked bad, 54 "
				   "not known to be good)");
}
END_TEST

START_TEST(accepts_null_owner_and_bad)
{
	const struct tessera_platform *p = platform("sn10-8");
	struct tessera_tileset free = tiles(p, "rdu0"), wish = tiles(p, "rdu0-1"), got;
	struct tessera_error err = {0};
	struct tessera_place in = {.platform = p, .free = &free, .wish = &wish};

	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_str_eq(err.text, "tile 1.0 is held by another job: ask for other tiles or wait");
	wish = tiles(p, "0.3");
	ck_assert_int_eq(tessera_place(&in, &got, &err), 0);
	assert_tiles(0, p, &got, "0.3");
}
END_TEST

START_TEST(rejects_impossible_wish)
{
	const struct tessera_platform *p = platform("sn10-8");
	struct tessera_tileset free = tiles(p, "all"), wish = tiles(p, ""), got;
	struct tessera_error err = {0};
	struct tessera_place in = {.platform = p, .free = &free, .wish = &wish};

	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_str_eq(err.text, "no tiles requested: name at least one");

	/* Even if the caller lists tile 40 as free. */
	tessera_tileset_add(&free, 40);
	tessera_tileset_add(&wish, 2);
	tessera_tileset_add(&wish, 40);
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_str_eq(err.text, "tile 40 does not exist: a node of sn10-8 has 32 tiles");
}
END_TEST

/* A ledger may have more tiles than the node; those are never allocated. */
START_TEST(ignores_tiles_outside_platform)
{
	const struct tessera_platform *p = platform("sn10-8");
	struct tessera_tileset free, got;
	struct tessera_error err = {0};
	struct tessera_place in = {.platform = p, .free = &free, .shape = {1, 0, 0}};

	tessera_tileset_clear(&free);
	tessera_tileset_add_range(&free, 32, 32);
	ck_assert_int_eq(tessera_place(&in, &got, &err), -1);
	ck_assert_str_eq(err.text, "1 whole RDU needed, none free (0 of 32 tiles free)");
}
END_TEST

/* The largest possible node: uses all arrays to their last element. */
START_TEST(places_on_largest_node)
{
	struct tessera_platform p = six;
	struct tessera_tileset free, got;
	struct tessera_place in = {.platform = &p, .free = &free, .shape = {1024, 0, 0}};
	unsigned cost[1024];

	for (unsigned i = 0; i < 1024; i++)
		cost[i] = UINT_MAX - i;
	p.xrdus = 32;
	p.rdus_per_xrdu = 32;
	p.tiles_per_rdu = 1;
	tessera_tileset_all(&p, &free);
	ck_assert_int_eq(tessera_place(&in, &got, NULL), 0);
	ck_assert(tessera_tileset_equal(&got, &free));
	in.shape.whole = 33;
	in.cost = cost;
	ck_assert_int_eq(tessera_place(&in, &got, NULL), 0);
	ck_assert_uint_eq(tessera_tileset_count_range(&got, 992, 32), 32);
	ck_assert(tessera_tileset_has(&got, 991));

	p.xrdus = 1;
	p.rdus_per_xrdu = 1;
	p.tiles_per_rdu = 1024;
	in.shape = (struct tessera_shape){0, 1, 512};
	ck_assert_int_eq(tessera_place(&in, &got, NULL), 0);
	ck_assert_uint_eq(tessera_tileset_count_range(&got, 0, 512), 512);
	ck_assert_uint_eq(tessera_tileset_count(&got), 512);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, places_shape, 0, sizeof(found) / sizeof(found[0]));
	tcase_add_test(tcase, counts_unavailable_tiles_once);
	tcase_add_loop_test(tcase, rejects_shape, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_loop_test(tcase, places_or_rejects_wish, 0, sizeof(wishes) / sizeof(wishes[0]));
	tcase_add_test(tcase, avoids_unknown_tiles);
	tcase_add_test(tcase, accepts_null_owner_and_bad);
	tcase_add_test(tcase, rejects_impossible_wish);
	tcase_add_test(tcase, ignores_tiles_outside_platform);
	tcase_add_test(tcase, places_on_largest_node);
}

UNIT_MAIN("place", add_tests)
