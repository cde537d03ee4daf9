/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/account/tres.h"
#include "test/unit/unit.h"

#define U TESSERA_UNKNOWN

static struct tessera_conf *conf_of(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("test", text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

/*
 * Numbers as a site may have them, the order of slurmdbd's answer not being the order of a job's
 * text.
 */
static struct tessera_tres *site(const struct tessera_conf *conf)
{
	static const struct {
		uint32_t id;
		const char *type, *name;
	} all[] = {{1, "cpu", NULL},
		   {2, "mem", ""},
		   {3, NULL, "rdu"},
		   {6, "fs", "disk"},
		   {1001, "gres", "rdu"},
		   {1002, "gres", "rdu_tile"},
		   {1003, "gres", "ipu"},
		   {1004, "license", "ipu"},
		   {1005, "license", "csx"},
		   {1006, "gres", "rdu:sn30"},
		   {1007, "gres", "rdu:sn10"},
		   {1008, "gres", "rdu_mem"},
		   {1009, "gres", "rdu_tile:sn30"},
		   {1010, "license", "rdu"},
		   {1011, "license", "csx@flex"},
		   {1012, "gres", "csx"},
		   {1013, "gres", "ipu:bow"},
		   {1014, "license", "csxl"},
		   {1015, "license", "ipu@other"}};
	struct tessera_tres *tres = tessera_tres_new(conf);

	ck_assert_ptr_nonnull(tres);
	for (size_t n = 0; n < sizeof(all) / sizeof(*all); n++)
		ck_assert_int_eq(
			tessera_tres_learn(tres, all[n].id, all[n].type, all[n].name, NULL), 0);
	return tres;
}

static const struct {
	const char *text;
	uint64_t rdus, tiles, ipus, csx;
} good[] = {
	{NULL, 0, 0, 0, 0},
	{"", 0, 0, 0, 0},
	{"1=4,2=100,4=1,5=4", 0, 0, 0, 0},
	{"1=1,3=18446744073709551614,4=1,5=1,1001=2,1002=16", 2, 16, 0, 0},
	{"1002=4", 0, 4, 0, 0},
	{"1002=16,1001=2", 2, 16, 0, 0},
	{",1001=2,,1002=16,", 2, 16, 0, 0},
	{"1001=2,1006=2", 2, 0, 0, 0}, /* a type is part of the total */
	{"1006=2,1001=2", 2, 0, 0, 0}, /* in any order */
	{"1006=2,1007=3", 5, 0, 0, 0}, /* without the total, the types are added */
	{"1002=16,1009=8", 0, 16, 0, 0},
	{"1009=8", 0, 8, 0, 0},
	{"1004=8", 0, 0, 8, 0},
	{"1003=8", 0, 0, 8, 0},
	{"1003=8,1004=4", 0, 0, 4, 0}, /* never both: tessera.conf's model */
	{"1013=2", 0, 0, 2, 0},
	{"1004=1,1015=2", 0, 0, 3, 0},
	{"1005=1", 0, 0, 0, 1},
	{"1005=1,1011=2", 0, 0, 0, 3},
	{"1008=77,1010=5,1012=6,1014=7", 0, 0, 0, 0},
	{"1001=18446744073709551614", 0, 0, 0, 0}, /* Slurm's "not set" */
	{"1001=18446744073709551615", 0, 0, 0, 0},
	{"1001=18446744073709551613", U - 2, 0, 0, 0},
	{"1006=18446744073709551613,1007=9", U, 0, 0, 0},
	{"4294968297=5", 0, 0, 0, 0}, /* 1001 if it were cut to 32 bits */
	{"01001=2", 2, 0, 0, 0},
};

START_TEST(reads)
{
	struct tessera_conf *conf = conf_of("pool csx {\n Max = 2\n}\n");
	struct tessera_tres *tres = site(conf);
	struct tessera_error err = {0};
	struct tessera_usage_held counts;

	memset(&counts, 0x55, sizeof(counts));
	ck_assert_msg(tessera_tres_read(tres, good[_i].text, &counts, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(counts.rdus, good[_i].rdus);
	ck_assert_uint_eq(counts.tiles, good[_i].tiles);
	ck_assert_uint_eq(counts.ipus, good[_i].ipus);
	ck_assert_uint_eq(counts.pools[0], good[_i].csx);
	for (size_t n = 1; n < TESSERA_POOLS_MAX; n++)
		ck_assert_uint_eq(counts.pools[n], 0);
	tessera_tres_free(tres);
	tessera_conf_free(conf);
}
END_TEST

static const char *const damaged[] = {
	"rdu=2",
	"1001",
	"1001=",
	"=2",
	"1001=2x",
	"1001=-2",
	"1001=2 ",
	" 1001=2",
	"1001=2;1002=3",
	"1001==2",
	"1001=+2",
	"1001=0x2",
	"1001=18446744073709551616",
	"99999999999999999999=1",
	"1001=2,1001=2",
	"1001=2,gres/rdu=2",
	"1001=2,1002",
	"1001:2",
};

START_TEST(damage_is_unknown)
{
	struct tessera_conf *conf = conf_of("");
	struct tessera_tres *tres = site(conf);
	struct tessera_error err = {0};
	struct tessera_usage_held counts = {0};

	ck_assert_int_eq(tessera_tres_read(tres, damaged[_i], &counts, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, damaged[_i]));
	ck_assert_uint_eq(counts.rdus, U);
	ck_assert_uint_eq(counts.tiles, U);
	ck_assert_uint_eq(counts.ipus, U);
	/* The next text is parsed independently. */
	ck_assert_int_eq(tessera_tres_read(tres, "1001=2", &counts, &err), 0);
	ck_assert_uint_eq(counts.rdus, 2);
	ck_assert_uint_eq(counts.tiles, 0);
	tessera_tres_free(tres);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(the_other_model)
{
	struct tessera_conf *conf = conf_of("IpuModel = gres\nIpuName = bow\n");
	struct tessera_tres *tres = tessera_tres_new(conf);
	struct tessera_usage_held counts;

	ck_assert_int_eq(tessera_tres_learn(tres, 7, "gres", "bow", NULL), 0);
	ck_assert_int_eq(tessera_tres_learn(tres, 8, "license", "bow", NULL), 0);
	ck_assert_int_eq(tessera_tres_learn(tres, 9, "license", "ipu", NULL), 0);
	ck_assert_int_eq(tessera_tres_read(tres, "7=2,8=4,9=8", &counts, NULL), 0);
	ck_assert_uint_eq(counts.ipus, 2);
	/* Jobs from before IpuModel was changed. */
	ck_assert_int_eq(tessera_tres_read(tres, "8=4", &counts, NULL), 0);
	ck_assert_uint_eq(counts.ipus, 4);
	tessera_tres_free(tres);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(tiles_of_rdus)
{
	struct tessera_conf *conf =
		conf_of("platform halves {\n Like = sn30-8\n TilesPerGres = 4\n}\n");
	const struct tessera_platform *sn10 = tessera_conf_platform(conf, "sn10-8", NULL);
	const struct tessera_platform *sn30 = tessera_conf_platform(conf, "sn30-8", NULL);
	const struct tessera_platform *halves = tessera_conf_platform(conf, "halves", NULL);
	const struct tessera_platform *pod = tessera_conf_platform(conf, "pod64", NULL);
	const struct {
		const struct tessera_platform *p;
		uint64_t rdus, tiles, wanted;
	} cases[] = {{sn30, 2, 0, 16},  {sn10, 2, 0, 8},
		     {halves, 2, 0, 8}, {NULL, 2, 0, U},
		     {pod, 2, 0, U},    {sn30, 0, 0, 0},
		     {sn30, 0, 4, 4},   {sn30, 2, 9, 9},
		     {NULL, 2, 16, 16}, {NULL, 0, 0, 0},
		     {sn30, U, U, U},   {sn30, U / 2, 0, U},
		     {sn30, U, 0, U},   {tessera_platform_find_builtin("sn40l-16"), 2, 0, U}};

	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct tessera_usage_held counts = {.rdus = cases[n].rdus, .tiles = cases[n].tiles};

		tessera_tres_tiles(&counts, cases[n].p);
		ck_assert_msg(counts.tiles == cases[n].wanted, "case %zu: %llu", n,
			      (unsigned long long)counts.tiles);
		ck_assert_uint_eq(counts.rdus, cases[n].rdus);
	}
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, reads, 0, sizeof(good) / sizeof(*good));
	tcase_add_loop_test(tcase, damage_is_unknown, 0, sizeof(damaged) / sizeof(*damaged));
	tcase_add_test(tcase, the_other_model);
	tcase_add_test(tcase, tiles_of_rdus);
}

UNIT_MAIN("usage_tres", add_tests)
