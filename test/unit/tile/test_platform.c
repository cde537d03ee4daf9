/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/tile/platform.h"
#include "test/unit/unit.h"

static const struct tessera_platform *find_row(const char *name)
{
	const struct tessera_platform *p = tessera_platform_find_builtin(name);

	ck_assert_msg(p != NULL, "no row %s", name);
	return p;
}

/* Counts from the ALCF user guides of these machines. */
START_TEST(has_rdu_rows)
{
	static const struct {
		const char *name, *title;
		unsigned rdus, tiles, mask_bits;
	} want[] = {
		{"sn10-8", "DataScale SN10-8", 8, 32, 32},
		{"sn30-8", "DataScale SN30-8", 8, 64, 64},
	};
	struct tessera_error err = {0};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct tessera_platform *p = find_row(want[i].name);

		ck_assert_str_eq(p->title, want[i].title);
		ck_assert_int_eq(p->kind, TESSERA_KIND_RDU);
		ck_assert_uint_eq(p->xrdus, 4);
		ck_assert_uint_eq(p->rdus_per_xrdu, 2);
		ck_assert_uint_eq(tessera_platform_rdus(p), want[i].rdus);
		ck_assert_uint_eq(tessera_platform_tiles(p), want[i].tiles);
		ck_assert_uint_eq(tessera_platform_gres(p), want[i].rdus);
		ck_assert_uint_eq(p->tiles_per_gres, p->tiles_per_rdu);
		ck_assert_uint_eq(p->mask_bits, want[i].mask_bits);
		ck_assert_msg(tessera_platform_check(p, &err) == 0, "%s: %s", want[i].name,
			      err.text);
	}
}
END_TEST

START_TEST(has_ipu_rows)
{
	static const struct {
		const char *name, *title;
		unsigned ipus, domain;
	} want[] = {
		{"pod4", "IPU-POD4", 4, 4},        {"pod16", "IPU-POD16", 16, 16},
		{"pod64", "IPU-POD64", 64, 64},    {"pod128", "IPU-POD128", 128, 64},
		{"pod256", "IPU-POD256", 256, 64},
	};
	struct tessera_error err = {0};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct tessera_platform *p = find_row(want[i].name);

		ck_assert_str_eq(p->title, want[i].title);
		ck_assert_int_eq(p->kind, TESSERA_KIND_IPU);
		ck_assert_uint_eq(p->ipus, want[i].ipus);
		ck_assert_uint_eq(p->ipus_per_machine, 4);
		ck_assert_uint_eq(p->ipus_per_domain, want[i].domain);
		ck_assert_uint_eq(tessera_platform_rdus(p), 0);
		ck_assert_uint_eq(tessera_platform_tiles(p), 0);
		ck_assert_uint_eq(tessera_platform_gres(p), 0);
		ck_assert(!tessera_platform_block_ok(p, 4));
		ck_assert_msg(tessera_platform_check(p, &err) == 0, "%s: %s", want[i].name,
			      err.text);
	}
}
END_TEST

START_TEST(has_every_row_once)
{
	static const char *const names[] = {"sn10-8", "sn30-8", "sn40l-16", "pod4",
					    "pod16",  "pod64",  "pod128",   "pod256"};
	size_t count = 0;
	const struct tessera_platform *rows = tessera_platform_builtin(&count);

	ck_assert_uint_eq(count, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < count; i++) {
		ck_assert_str_eq(rows[i].name, names[i]);
		ck_assert_ptr_eq(find_row(names[i]), &rows[i]);
	}
	ck_assert_ptr_null(tessera_platform_find_builtin("sn30"));
	ck_assert_ptr_null(tessera_platform_find_builtin("SN30-8"));
	ck_assert_ptr_null(tessera_platform_find_builtin(""));
}
END_TEST

START_TEST(rejects_unknown_tiles)
{
	struct tessera_platform p = *find_row("sn40l-16");
	struct tessera_error err = {0};

	ck_assert_uint_eq(p.xrdus, 8);
	ck_assert_uint_eq(p.rdus_per_xrdu, 2);
	ck_assert_int_eq(tessera_platform_check(&p, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(err.text, "platform sn40l-16 { TilesPerRdu = N }"));
	ck_assert_ptr_nonnull(strstr(err.text, "tessera.conf"));
	ck_assert_uint_eq(tessera_platform_rdus(&p), 0);
	ck_assert_uint_eq(tessera_platform_tiles(&p), 0);
	ck_assert_uint_eq(tessera_platform_gres(&p), 0);
	ck_assert(!tessera_platform_block_ok(&p, 1));

	p.tiles_per_rdu = 4;
	ck_assert_int_eq(tessera_platform_check(&p, &err), 0);
	ck_assert_uint_eq(tessera_platform_tiles(&p), 64);
	ck_assert_uint_eq(tessera_platform_gres(&p), 16);
}
END_TEST

/* P must be rejected with a message that contains all WORDS. */
static void expect_rejected(struct tessera_platform p, const char *const words[3])
{
	struct tessera_error err = {0};

	ck_assert_msg(tessera_platform_check(&p, &err) == -1, "accepted, but \"%s\" was expected",
		      words[0]);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	for (size_t i = 0; i < 3; i++)
		ck_assert_msg(strstr(err.text, words[i]) != NULL, "no \"%s\" in: %s", words[i],
			      err.text);
	ck_assert_int_eq(tessera_platform_check(&p, NULL), -1);
}

START_TEST(rejects_wrong_rdu_rows)
{
	static const struct {
		unsigned xrdus, rdus, tiles, gres, bits;
		const char *words[3];
	} bad[] = {
		{0, 2, 8, 0, 64, {"0 XRDUs", "Xrdus", "sn30-8"}},
		{4, 0, 8, 0, 64, {"0 RDUs", "RdusPerXrdu", "sn30-8"}},
		{4, 2, 16, 0, 64, {"128 tiles", "64 bits", "MaskBits"}},
		{4, 2, 8, 0, 32, {"64 tiles", "32 bits", "MaskBits"}},
		{4, 2, 8, 0, 60, {"64 tiles", "60 bits", "MaskBits"}},
		{4, 2, 8, 0, 0, {"MaskBits = 0", "multiple of 4", "1024"}},
		{4, 2, 8, 0, 66, {"MaskBits = 66", "multiple of 4", "1024"}},
		{4, 2, 8, 0, 1028, {"MaskBits = 1028", "multiple of 4", "1024"}},
		{4, 2, 8, 3, 64, {"TilesPerGres = 3", "8 tiles", "divide"}},
		{4, 2, 8, 16, 64, {"TilesPerGres = 16", "8 tiles", "divide"}},
		{1025, 1, 1, 0, 1024, {"1025 XRDUs", "too many", "1024"}},
		{1, 1025, 1, 0, 1024, {"1025 RDUs", "too many", "1024"}},
		{8, 8, 17, 0, 1024, {"17 tiles", "too many", "1024"}},
		/* Products that overflow to small numbers. */
		{65536, 65536, 1, 0, 64, {"65536", "too many", "1024"}},
		{2, 2147483648, 1, 0, 64, {"2147483648", "too many", "1024"}},
		{2, 2, 1073741824, 0, 64, {"1073741824", "too many", "1024"}},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tessera_platform p = *find_row("sn30-8");

		p.xrdus = bad[i].xrdus;
		p.rdus_per_xrdu = bad[i].rdus;
		p.tiles_per_rdu = bad[i].tiles;
		p.tiles_per_gres = bad[i].gres;
		p.mask_bits = bad[i].bits;
		expect_rejected(p, bad[i].words);
	}
}
END_TEST

START_TEST(rejects_wrong_ipu_rows)
{
	static const struct {
		unsigned ipus, machine, domain;
		const char *words[3];
	} bad[] = {
		{0, 4, 64, {"Ipus = 0", "power of two", "pod64"}},
		{48, 4, 16, {"Ipus = 48", "power of two", "pod64"}},
		{131072, 4, 64, {"Ipus = 131072", "power of two", "65536"}},
		{64, 4, 0, {"IpusPerDomain = 0", "divide", "64 IPUs"}},
		{64, 4, 128, {"IpusPerDomain = 128", "divide", "64 IPUs"}},
		{64, 4, 48, {"IpusPerDomain = 48", "divide", "64 IPUs"}},
		{64, 0, 64, {"IpusPerMachine = 0", "divide", "64 IPUs"}},
		{64, 3, 64, {"IpusPerMachine = 3", "divide", "64 IPUs"}},
		{64, 32, 16, {"IpusPerMachine = 32", "divide", "16 IPUs"}},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tessera_platform p = *find_row("pod64");

		p.ipus = bad[i].ipus;
		p.ipus_per_machine = bad[i].machine;
		p.ipus_per_domain = bad[i].domain;
		expect_rejected(p, bad[i].words);
	}
}
END_TEST

START_TEST(rejects_row_without_kind)
{
	struct tessera_platform p = *find_row("sn30-8");
	static const char *const words[3] = {"Kind = rdu", "Kind = ipu", "sn30-8"};

	p.kind = 0;
	expect_rejected(p, words);
}
END_TEST

START_TEST(accepts_largest_row)
{
	struct tessera_platform p = *find_row("sn30-8");

	p.xrdus = 8;
	p.rdus_per_xrdu = 8;
	p.tiles_per_rdu = 16;
	p.mask_bits = 1024;
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	ck_assert_uint_eq(tessera_platform_tiles(&p), TESSERA_TILES_MAX);
}
END_TEST

/* A site that counts four tiles as one GRES rdu. */
START_TEST(counts_parts_of_rdus)
{
	struct tessera_platform p = *find_row("sn30-8");

	p.tiles_per_gres = 4;
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	ck_assert_uint_eq(tessera_platform_gres(&p), 16);
	ck_assert_uint_eq(tessera_platform_rdus(&p), 8);
	p.tiles_per_gres = 0;
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	ck_assert_uint_eq(tessera_platform_gres(&p), 8);
}
END_TEST

START_TEST(checks_block_sizes)
{
	static const struct {
		const char *name;
		unsigned tiles;
		bool ok;
	} cases[] = {
		{"sn10-8", 0, false},   {"sn10-8", 1, true},   {"sn10-8", 2, true},
		{"sn10-8", 3, false},   {"sn10-8", 4, true},   {"sn10-8", 6, false},
		{"sn10-8", 8, true},    {"sn10-8", 12, true},  {"sn10-8", 32, true},
		{"sn10-8", 36, false},  {"sn10-8", 64, false}, {"sn30-8", 1, true},
		{"sn30-8", 2, true},    {"sn30-8", 3, false},  {"sn30-8", 4, true},
		{"sn30-8", 6, false},   {"sn30-8", 8, true},   {"sn30-8", 12, false},
		{"sn30-8", 24, true},   {"sn30-8", 64, true},  {"sn30-8", 72, false},
		{"sn30-8", -1U, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(tessera_platform_block_ok(find_row(cases[i].name), cases[i].tiles) ==
				      cases[i].ok,
			      "%s, %u tiles", cases[i].name, cases[i].tiles);
}
END_TEST

static void expect_sizes(const struct tessera_platform *p, const char *want)
{
	char text[100];

	tessera_platform_block_sizes(p, text, sizeof(text));
	ck_assert_str_eq(text, want);
}

START_TEST(lists_block_sizes)
{
	struct tessera_platform p = *find_row("sn30-8");
	char text[100];

	expect_sizes(find_row("sn10-8"), "1, 2 or a multiple of 4");
	expect_sizes(find_row("sn30-8"), "1, 2, 4 or a multiple of 8");
	expect_sizes(find_row("sn40l-16"), "");
	expect_sizes(find_row("pod64"), "");
	p.tiles_per_rdu = 6;
	expect_sizes(&p, "1, 2, 3 or a multiple of 6");
	p.tiles_per_rdu = 1;
	expect_sizes(&p, "any number");
	p.tiles_per_rdu = 8;
	p.xrdus = p.rdus_per_xrdu = 1;
	expect_sizes(&p, "1, 2, 4 or 8");

	/* A short buffer is not overrun, and the text is terminated. */
	for (size_t len = 0; len < 30; len++) {
		memset(text, '#', sizeof(text));
		tessera_platform_block_sizes(find_row("sn30-8"), text, len);
		ck_assert_int_eq(text[len], '#');
		if (len > 0)
			ck_assert_uint_eq(strlen(text), len - 1 < 26 ? len - 1 : 26);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_rdu_rows);
	tcase_add_test(tcase, has_ipu_rows);
	tcase_add_test(tcase, has_every_row_once);
	tcase_add_test(tcase, rejects_unknown_tiles);
	tcase_add_test(tcase, rejects_wrong_rdu_rows);
	tcase_add_test(tcase, rejects_wrong_ipu_rows);
	tcase_add_test(tcase, rejects_row_without_kind);
	tcase_add_test(tcase, accepts_largest_row);
	tcase_add_test(tcase, counts_parts_of_rdus);
	tcase_add_test(tcase, checks_block_sizes);
	tcase_add_test(tcase, lists_block_sizes);
}

UNIT_MAIN("platform", add_tests)
