/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/gres_counts.h"
#include "test/unit/request/counts_unit.h"

/* 128 RDUs of 8 tiles: the maximum. */
static const struct tessera_platform large = {
	.name = "large",
	.kind = TESSERA_KIND_RDU,
	.xrdus = 64,
	.rdus_per_xrdu = 2,
	.tiles_per_rdu = 8,
	.tiles_per_gres = 8,
	.mask_bits = 1024,
};

/* A site that counts halves of RDUs. */
static const struct tessera_platform halves = {
	.name = "halves",
	.kind = TESSERA_KIND_RDU,
	.xrdus = 4,
	.rdus_per_xrdu = 2,
	.tiles_per_rdu = 8,
	.tiles_per_gres = 4,
	.mask_bits = 64,
};

static const struct tessera_platform *platform(const char *name)
{
	if (strcmp(name, "large") == 0)
		return &large;
	return strcmp(name, "halves") == 0 ? &halves : tessera_platform_find_builtin(name);
}

static const struct {
	const char *platform, *out;
	unsigned rdus, tiles;
} left[] = {
	{"sn30-8", "", 8, 64},
	{"sn30-8", "3.5", 7, 63},
	{"sn30-8", "3.5,3.6", 7, 62}, /* two of one RDU take away one */
	{"sn30-8", "0.0,7.7", 6, 62},
	{"sn30-8", "rdu3", 7, 56},
	/* no RDU has all its tiles, most tiles are good */
	{"sn30-8", "0.0,1.1,2.2,3.3,4.4,5.5,6.6,7.7", 0, 56},
	{"sn30-8", "rdu0-7", 0, 0},
	{"sn10-8", "7.3", 7, 31},
	{"halves", "", 16, 64},
	{"halves", "3.5", 15, 63}, /* the other half of the RDU still counts */
	{"halves", "3.3,3.4", 14, 62},
	{"halves", "3.4,3.7", 15, 62},
	{"halves", "rdu3", 14, 56},
	{"large", "", 128, 1024},
	{"large", "1023", 127, 1023},
	{"large", "0-511", 64, 512},
	{"large", "0-1023", 0, 0},
	{"large", "0-1022", 0, 1},
};

START_TEST(usable_counts)
{
	const struct tessera_platform *p = platform(left[_i].platform);
	struct tessera_tileset out = tiles(p, left[_i].out);
	struct tessera_counts counts;

	tessera_gres_counts_of(p, &out, &counts);
	ck_assert_uint_eq(counts.rdu.count, left[_i].rdus);
	ck_assert_uint_eq(counts.tile.count, left[_i].tiles);
	ck_assert(counts.rdu.given && counts.tile.given);
}
END_TEST

/* A platform without tiles_per_gres counts whole RDUs. */
START_TEST(whole_rdus_by_default)
{
	struct tessera_platform p = halves;
	struct tessera_tileset out = tiles(&halves, "3.5");
	struct tessera_counts counts;

	p.tiles_per_gres = 0;
	tessera_gres_counts_of(&p, &out, &counts);
	ck_assert_uint_eq(counts.rdu.count, 7);
}
END_TEST

START_TEST(never_more_than_configured)
{
	struct tessera_counts counts = {{true, 7}, {true, 63}};
	const struct tessera_counts limit = {{true, 4}, {false, 0}};

	tessera_gres_counts_limit(&counts, &limit);
	ck_assert(counts.rdu.given && !counts.tile.given);
	ck_assert_uint_eq(counts.rdu.count, 4);
	ck_assert_uint_eq(counts.tile.count, 0);
	counts = (struct tessera_counts){{true, 7}, {true, 63}};
	tessera_gres_counts_limit(&counts, &(struct tessera_counts){{true, 8}, {true, 64}});
	ck_assert_uint_eq(counts.rdu.count, 7);
	ck_assert_uint_eq(counts.tile.count, 63);
}
END_TEST

static const struct {
	const char *gres;
	int rdus, tiles; /* -1: not given */
} texts[] = {
	{NULL, -1, -1},
	{"", -1, -1},
	{"(null)", -1, -1},
	{"rdu:8,rdu_tile:64,rdu_mem:1M", 8, 64}, /* as slurmctld 22.05 writes it */
	{"rdu_tile:56,rdu_mem:1M", -1, 56},      /* with rdu:0 */
	{"rdu:2,rdu_tile:16,rdu_mem:0,ipu:0", 2, 16},
	{"rdu:0,rdu_tile:0", 0, 0},
	{"rdu:128,rdu_tile:1K", 128, 1024},
	{"rdu:2K,rdu_tile:1M", 2048, 1048576},
	{"rdu:1G", 1073741824, -1},
	{"rdu:8(S:0-1),rdu_tile:64(S:0,1),gpu:a100:2(S:0,3)", 8, 64},
	{"rdu:3(IDX:0-2),rdu_tile:24(IDX:0-7,16-31)", 3, 24},
	{"rdu:sn30:8,rdu_tile:64", 8, 64},
	{"rdu:sn30", 1, -1},
	{"rdu", 1, -1},
	{"rdu:K", 1, -1}, /* a type */
	{"rdu=8", 8, -1},
	{"xrdu:3,rdu_mem:5,rdu_tiles:9", -1, -1},
	{"gpu:4", -1, -1},
};

START_TEST(texts_are_read)
{
	struct tessera_counts counts = {{true, 99}, {true, 99}};
	struct tessera_error err = {0};

	ck_assert_msg(tessera_gres_counts_read(texts[_i].gres, &counts, &err) == 0, "%s", err.text);
	ck_assert_int_eq(counts.rdu.given, texts[_i].rdus >= 0);
	ck_assert_int_eq(counts.tile.given, texts[_i].tiles >= 0);
	ck_assert_int_eq((int)counts.rdu.count, texts[_i].rdus >= 0 ? texts[_i].rdus : 0);
	ck_assert_int_eq((int)counts.tile.count, texts[_i].tiles >= 0 ? texts[_i].tiles : 0);
}
END_TEST

static const char *const misread[] = {
	"rdu:a:4,rdu:b:4",
	"rdu:4,rdu:4",
	"rdu_tile:x:1,rdu_tile:2",
	"rdu:8(S:0",
	"rdu:8)S:0(",
	"rdu:8((S:0))",
	"rdu:a:b:8",
	"rdu:-1",
	"rdu_tile:64k",
	"rdu_tile:6K4",
	"rdu_tile:99999999999",
	"rdu_tile:8G",
	"rdu:4M4",
	"rdu:8 ",
};

START_TEST(texts_are_refused)
{
	struct tessera_counts counts;
	struct tessera_error err = {0};

	ck_assert_msg(tessera_gres_counts_read(misread[_i], &counts, &err) == -1, "%s",
		      misread[_i]);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, misread[_i]));
}
END_TEST

static const struct {
	const char *present, *configured;
	int rdus, tiles; /* -1: not given */
	const char *want;
} writes[] = {
	{"rdu:8,rdu_tile:64,rdu_mem:1M", "rdu:8,rdu_tile:64,rdu_mem:1048576", 7, 63,
	 "rdu:7,rdu_tile:63,rdu_mem:1M"},
	{"rdu_mem:1M,rdu_tile:64,gpu:2,rdu:8", "rdu:8,rdu_tile:64", 7, 63,
	 "rdu_mem:1M,rdu_tile:63,gpu:2,rdu:7"},
	/* A name that slurmctld omitted because its count was 0 is written as configured. */
	{"rdu_tile:56,rdu_mem:1M", "rdu:sn30:8,rdu_tile:64", 8, 64,
	 "rdu_tile:64,rdu_mem:1M,rdu:sn30:8"},
	{NULL, "rdu:8,rdu_tile:64", 8, 64, "rdu:8,rdu_tile:64"},
	{"rdu:8,rdu_tile:64", "rdu:8,rdu_tile:64", 0, 56, "rdu:0,rdu_tile:56"},
	/* slurmctld adds the sockets, and does not accept them in an update. */
	{"rdu:8(S:0-1),gpu:a100:2(S:0,3)", "rdu:8", 7, -1, "rdu:7,gpu:a100:2"},
	{"rdu:sn30:8,rdu_tile:64", "rdu:sn30:8,rdu_tile:64", 7, 63, "rdu:sn30:7,rdu_tile:63"},
	{"rdu:sn30,rdu_tile", "rdu:sn30,rdu_tile", 0, 1, "rdu:sn30:0,rdu_tile:1"},
	{"rdu:128,rdu_tile:1K", "rdu:128,rdu_tile:1024", 127, 1023, "rdu:127,rdu_tile:1023"},
	/* A site that does not count tiles. */
	{"rdu:8,rdu_tile:64", "rdu:8", 7, -1, "rdu:7,rdu_tile:64"},
	{"rdu:8", "rdu:8", 7, -1, "rdu:7"},
	{"rdu=8", "rdu:8", 7, -1, "rdu:7"},
};

static struct tessera_counts some(int rdus, int tiles_)
{
	return (struct tessera_counts){
		{rdus >= 0, rdus >= 0 ? (unsigned)rdus : 0},
		{tiles_ >= 0, tiles_ >= 0 ? (unsigned)tiles_ : 0},
	};
}

START_TEST(texts_are_written)
{
	struct tessera_counts counts = some(writes[_i].rdus, writes[_i].tiles);
	struct tessera_error err = {0};
	char buf[256];

	ck_assert_msg(tessera_gres_counts_write(writes[_i].present, writes[_i].configured, &counts,
						buf, sizeof(buf), &err) == 0,
		      "%s", err.text);
	ck_assert_str_eq(buf, writes[_i].want);
	/* It fits exactly, and not into a byte less. */
	ck_assert_int_eq(tessera_gres_counts_write(writes[_i].present, writes[_i].configured,
						   &counts, buf, strlen(writes[_i].want) + 1, &err),
			 0);
	ck_assert_int_eq(tessera_gres_counts_write(writes[_i].present, writes[_i].configured,
						   &counts, buf, strlen(writes[_i].want), &err),
			 -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
}
END_TEST

/* An empty text for no counts, whatever the buffer contained. */
START_TEST(nothing_to_write)
{
	const struct tessera_counts none = {0};
	struct tessera_error err = {0};
	char buf[16] = "before";

	ck_assert_int_eq(tessera_gres_counts_write("", "rdu:8", &none, buf, sizeof(buf), &err), 0);
	ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(write_errors)
{
	struct tessera_counts counts = some(7, 63);
	struct tessera_error err = {0};
	char buf[256];

	ck_assert_int_eq(
		tessera_gres_counts_write("rdu:8", "rdu:8", &counts, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_int_eq(
		tessera_gres_counts_write("rdu:8(", "rdu:8", &counts, buf, sizeof(buf), &err), -1);
	ck_assert_int_eq(
		tessera_gres_counts_write("rdu:8", "rdu:8)", &counts, buf, sizeof(buf), &err), -1);
}
END_TEST

static const struct {
	const char *platform, *bad, *unknown, *withheld, *want;
} reasons[] = {
	{"sn30-8", "3.5", "", "", "tessera: 3.5 bad"},
	{"sn30-8", "rdu0,3.5", "", "", "tessera: rdu0,3.5 bad"},
	{"sn30-8", "", "", "", "tessera: updating counts"},
	{"sn30-8", "", "4.0", "", "tessera: 4.0 unknown"},
	{"sn30-8", "3.5", "3.5,4.0", "", "tessera: 3.5 bad, 4.0 unknown"},
	{"sn30-8", "3.5", "4.0", "rdu5", "tessera: 3.5 bad, 4.0 unknown, rdu5 withheld"},
	{"sn30-8", "3.5", "4.0", "3.5,4.0", "tessera: 3.5 bad, 4.0 unknown"},
	{"sn30-8", "rdu0-7", "", "", "tessera: rdu0-7 bad"},
	/* 50 characters are shown in full, of 51 only the items that fit. */
	{"sn30-8", "rdu0,1.0,1.2,rdu2,3.0,3.2,rdu4,5.0,5.2,6.0,6.2,7.0", "", "",
	 "tessera: rdu0,1.0,1.2,rdu2,3.0,3.2,rdu4,5.0,5.2,6.0,6.2,7.0 bad"},
	{"sn30-8", "0.0,0.2,1.0,1.2,2.0,2.2,3.0,3.2,4.0,4.2,5.0,5.2,6.0", "", "",
	 "tessera: 0.0,0.2,1.0,1.2,2.0,2.2,3.0,3.2,4.0,4.2,5.0,5.2,... (13 tiles) bad"},
	/* One tile of each RDU: too long for the Reason. */
	{"large", "0,8,16,24,32,40,48,56,64,72,80,88,96,104,112", "", "",
	 "tessera: 0.0,1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,11.0,... (15 tiles) bad"},
};

START_TEST(reasons_name_tiles)
{
	const struct tessera_platform *p = platform(reasons[_i].platform);
	struct tessera_gres_counts_excluded excluded = {tiles(p, reasons[_i].bad),
							tiles(p, reasons[_i].unknown),
							tiles(p, reasons[_i].withheld)};
	char buf[TESSERA_GRES_COUNTS_REASON_MAX];
	struct tessera_tileset bad;

	tessera_gres_counts_reason(p, &excluded, buf);
	ck_assert_str_eq(buf, reasons[_i].want);
	ck_assert(tessera_gres_counts_is_ours(buf));
	/* The number can be parsed, and the tiles if all are named. */
	ck_assert_uint_eq(tessera_gres_counts_reason_bad(p, buf, &bad),
			  tessera_tileset_count(&excluded.bad));
	ck_assert_uint_eq(tessera_tileset_count(&bad),
			  strstr(buf, "...") != NULL ? 0 : tessera_tileset_count(&excluded.bad));
	tessera_tileset_minus(&bad, &excluded.bad);
	ck_assert(tessera_tileset_empty(&bad));
	tessera_gres_counts_describe(p, &excluded, buf);
	ck_assert_str_eq(buf, strcmp(reasons[_i].want, "tessera: updating counts") == 0
				      ? ""
				      : reasons[_i].want + 9);
}
END_TEST

/* Whichever of 1024 tiles are bad, the Reason fits its buffer. */
START_TEST(reasons_fit)
{
	struct tessera_gres_counts_excluded excluded = {0};
	char buf[TESSERA_GRES_COUNTS_REASON_MAX];

	for (unsigned t = 0; t < 1024; t += 2) {
		tessera_tileset_add(t % 3 == 0   ? &excluded.bad
				    : t % 3 == 1 ? &excluded.unknown
						 : &excluded.withheld,
				    t);
		memset(buf, 'x', sizeof(buf));
		tessera_gres_counts_reason(&large, &excluded, buf);
		ck_assert_ptr_nonnull(memchr(buf, '\0', sizeof(buf)));
		ck_assert(tessera_gres_counts_is_ours(buf));
	}
	ck_assert_ptr_nonnull(strstr(buf, ",... (171 tiles) bad, "));
	ck_assert_ptr_nonnull(strstr(buf, ",... (170 tiles) unknown, "));
	ck_assert_str_eq(buf + strlen(buf) - strlen(",... (171 tiles) withheld"),
			 ",... (171 tiles) withheld");
}
END_TEST

START_TEST(owner_of_reason)
{
	ck_assert(!tessera_gres_counts_is_ours(NULL));
	ck_assert(!tessera_gres_counts_is_ours(""));
	ck_assert(!tessera_gres_counts_is_ours("tessera"));
	ck_assert(!tessera_gres_counts_is_ours("see tessera: 3.5 bad"));
	ck_assert(!tessera_gres_counts_is_slurms(NULL));
	ck_assert(!tessera_gres_counts_is_slurms(
		"gres/gpu count changed and jobs are using them (8 != 7)"));
	ck_assert(!tessera_gres_counts_is_slurms(
		"gres/rdu count reported lower than configured (6 < 8)"));
	ck_assert(tessera_gres_counts_is_slurms(
		"gres/rdu count changed and jobs are using them (8 != 7)"));
	ck_assert(tessera_gres_counts_is_slurms(
		"gres/rdu_tile count changed and jobs are using them (64 != 63)"));
}
END_TEST

/* Reasons that administrators wrote. */
START_TEST(foreign_reasons)
{
	static const char *const others[] = {"",
					     "tessera: ",
					     "tessera: bad",
					     "tessera: badly broken",
					     "tessera: 3.5 badly broken",
					     "tessera: 9.0 bad",
					     "tessera: 3.5",
					     "tessera: 3.5 (2 tiles) good",
					     "3.5 bad",
					     "see tessera: 3.5 bad"};
	struct tessera_tileset bad;

	ck_assert_uint_eq(tessera_gres_counts_reason_bad(platform("sn30-8"), NULL, &bad), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		ck_assert_msg(tessera_gres_counts_reason_bad(platform("sn30-8"), others[i], &bad) ==
				      0,
			      "%s", others[i]);
		ck_assert(tessera_tileset_empty(&bad));
	}
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, usable_counts, 0, COUNT(left));
	tcase_add_test(tcase, whole_rdus_by_default);
	tcase_add_test(tcase, never_more_than_configured);
	tcase_add_loop_test(tcase, texts_are_read, 0, COUNT(texts));
	tcase_add_loop_test(tcase, texts_are_refused, 0, COUNT(misread));
	tcase_add_loop_test(tcase, texts_are_written, 0, COUNT(writes));
	tcase_add_test(tcase, nothing_to_write);
	tcase_add_test(tcase, write_errors);
	tcase_add_loop_test(tcase, reasons_name_tiles, 0, COUNT(reasons));
	tcase_add_test(tcase, reasons_fit);
	tcase_add_test(tcase, owner_of_reason);
	tcase_add_test(tcase, foreign_reasons);
}

UNIT_MAIN("gres_counts", add_tests)
