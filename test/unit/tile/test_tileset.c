/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/tile/tileset.h"
#include "test/unit/unit.h"

/* xorshift: the same numbers on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static const struct tessera_platform *find_row(const char *name)
{
	const struct tessera_platform *p = tessera_platform_find_builtin(name);

	ck_assert_msg(p != NULL, "no row %s", name);
	return p;
}

static struct tessera_platform make_platform(unsigned xrdus, unsigned rdus, unsigned tiles)
{
	struct tessera_platform p = *find_row("sn30-8");

	p.xrdus = xrdus;
	p.rdus_per_xrdu = rdus;
	p.tiles_per_rdu = p.tiles_per_gres = tiles;
	p.mask_bits = (xrdus * rdus * tiles + 3) / 4 * 4;
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	return p;
}

/* A simple reference implementation. */
struct model {
	bool has[TESSERA_TILES_MAX];
};

static void draw_sets(uint64_t *state, struct model *model, struct tessera_tileset *set)
{
	/* From empty to full, so that words of all zeros and all ones occur. */
	unsigned density = (unsigned)(next_random(state) % 5);

	tessera_tileset_clear(set);
	for (unsigned t = 0; t < TESSERA_TILES_MAX; t++) {
		model->has[t] = density > 0 && (density == 4 || next_random(state) % 4 < density);
		if (model->has[t])
			tessera_tileset_add(set, t);
	}
}

static void expect_same(const struct tessera_tileset *set, const struct model *model, uint64_t seed)
{
	unsigned t = 0;

	/* A single assertion, because each one writes to a pipe. */
	while (t < TESSERA_TILES_MAX && tessera_tileset_has(set, t) == model->has[t])
		t++;
	ck_assert_msg(t == TESSERA_TILES_MAX, "tile %u, state %llu", t, (unsigned long long)seed);
}

START_TEST(pairs_of_sets_agree_with_model)
{
	uint64_t state = 20240611;

	for (int round = 0; round < 2000; round++) {
		uint64_t seed = state;
		struct model ma, mb, mor, mand, mminus;
		struct tessera_tileset a, b, set;
		bool subset = true, overlap = false, equal = true;

		draw_sets(&state, &ma, &a);
		draw_sets(&state, &mb, &b);
		for (unsigned t = 0; t < TESSERA_TILES_MAX; t++) {
			mor.has[t] = ma.has[t] || mb.has[t];
			mand.has[t] = ma.has[t] && mb.has[t];
			mminus.has[t] = ma.has[t] && !mb.has[t];
			subset = subset && !mminus.has[t];
			overlap = overlap || mand.has[t];
			equal = equal && ma.has[t] == mb.has[t];
		}
		set = a;
		tessera_tileset_or(&set, &b);
		expect_same(&set, &mor, seed);
		ck_assert(tessera_tileset_subset(&b, &set));
		set = a;
		tessera_tileset_and(&set, &b);
		expect_same(&set, &mand, seed);
		ck_assert(tessera_tileset_subset(&set, &a));
		set = a;
		tessera_tileset_minus(&set, &b);
		expect_same(&set, &mminus, seed);
		ck_assert(!tessera_tileset_overlap(&set, &b));
		ck_assert_msg(tessera_tileset_subset(&a, &b) == subset, "state %llu",
			      (unsigned long long)seed);
		ck_assert_msg(tessera_tileset_overlap(&a, &b) == overlap, "state %llu",
			      (unsigned long long)seed);
		ck_assert_msg(tessera_tileset_equal(&a, &b) == equal, "state %llu",
			      (unsigned long long)seed);
	}
}
END_TEST

START_TEST(ranges_agree_with_model)
{
	uint64_t state = 7061981;

	for (int round = 0; round < 4000; round++) {
		unsigned long long seed = state;
		struct model m;
		struct tessera_tileset set;
		unsigned first, count, sum = 0, all = 0, next;

		draw_sets(&state, &m, &set);
		/* Also past the end, where there are no tiles. */
		first = (unsigned)(next_random(&state) % (TESSERA_TILES_MAX + 70));
		count = (unsigned)(next_random(&state) % (round % 2 ? 140 : TESSERA_TILES_MAX));
		for (unsigned t = first; t < first + count && t < TESSERA_TILES_MAX; t++)
			sum += m.has[t];
		for (unsigned t = 0; t < TESSERA_TILES_MAX; t++)
			all += m.has[t];
		for (next = first; next < TESSERA_TILES_MAX && !m.has[next]; next++)
			;
		if (next > TESSERA_TILES_MAX)
			next = TESSERA_TILES_MAX;

		ck_assert_msg(tessera_tileset_count_range(&set, first, count) == sum, "state %llu",
			      seed);
		ck_assert_msg(tessera_tileset_has_range(&set, first, count) == (sum == count),
			      "state %llu", seed);
		ck_assert_msg(tessera_tileset_count(&set) == all, "state %llu", seed);
		ck_assert_msg(tessera_tileset_empty(&set) == (all == 0), "state %llu", seed);
		ck_assert_msg(tessera_tileset_next(&set, first) == next, "state %llu", seed);

		tessera_tileset_add_range(&set, first, count);
		for (unsigned t = first; t < first + count && t < TESSERA_TILES_MAX; t++)
			m.has[t] = true;
		expect_same(&set, &m, seed);
	}
}
END_TEST

START_TEST(ignores_numbers_out_of_range)
{
	struct tessera_tileset set;

	tessera_tileset_clear(&set);
	tessera_tileset_add(&set, TESSERA_TILES_MAX);
	tessera_tileset_add(&set, -1U);
	tessera_tileset_add_range(&set, TESSERA_TILES_MAX, 3);
	tessera_tileset_add_range(&set, -1U, -1U);
	ck_assert(tessera_tileset_empty(&set));
	ck_assert_uint_eq(tessera_tileset_next(&set, -1U), TESSERA_TILES_MAX);

	tessera_tileset_add_range(&set, 1020, -1U);
	ck_assert_uint_eq(tessera_tileset_count(&set), 4);
	ck_assert(tessera_tileset_has_range(&set, 1020, 4));
	ck_assert(!tessera_tileset_has_range(&set, 1020, 5));
	ck_assert(!tessera_tileset_has_range(&set, 1020, -1U));
	ck_assert(!tessera_tileset_has_range(&set, -1U, 1));
	ck_assert(!tessera_tileset_has(&set, TESSERA_TILES_MAX));
	ck_assert(!tessera_tileset_has(&set, -1U));
	ck_assert_uint_eq(tessera_tileset_count_range(&set, 1020, -1U), 4);
	ck_assert_uint_eq(tessera_tileset_count_range(&set, -1U, 5), 0);
	ck_assert(tessera_tileset_has_range(&set, 5, 0));
}
END_TEST

START_TEST(fills_platform)
{
	struct tessera_tileset set;

	tessera_tileset_all(find_row("sn30-8"), &set);
	ck_assert_uint_eq(tessera_tileset_count(&set), 64);
	ck_assert(tessera_tileset_has_range(&set, 0, 64));
	tessera_tileset_all(find_row("sn10-8"), &set);
	ck_assert_uint_eq(tessera_tileset_count(&set), 32);
	tessera_tileset_all(find_row("sn40l-16"), &set);
	ck_assert(tessera_tileset_empty(&set));
	tessera_tileset_all(find_row("pod64"), &set);
	ck_assert(tessera_tileset_empty(&set));
}
END_TEST

static void expect_format(const struct tessera_platform *p, const struct tessera_tileset *set,
			  enum tessera_form form, const char *want)
{
	char text[1024];
	size_t len = tessera_tileset_format(p, set, form, text, sizeof(text));

	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(len, strlen(want));
}

/* The table for SN10 in the ALCF user guides: one hexadecimal digit for each RDU. */
START_TEST(formats_documented_masks)
{
	static const char *const mask[8] = {"0x0000000f", "0x000000f0", "0x00000f00", "0x0000f000",
					    "0x000f0000", "0x00f00000", "0x0f000000", "0xf0000000"};
	const struct tessera_platform *p = find_row("sn10-8");
	struct tessera_tileset set, both;
	char name[16];

	for (unsigned rdu = 0; rdu < 8; rdu++) {
		snprintf(name, sizeof(name), "rdu%u", rdu);
		ck_assert_int_eq(tessera_tileset_parse(p, name, &set, NULL), 0);
		expect_format(p, &set, TESSERA_FORM_MASK, mask[rdu]);
		ck_assert_int_eq(tessera_tileset_parse(p, mask[rdu], &both, NULL), 0);
		ck_assert(tessera_tileset_equal(&set, &both));
	}
	ck_assert_int_eq(tessera_tileset_parse(p, "rdu6,rdu7", &set, NULL), 0);
	expect_format(p, &set, TESSERA_FORM_MASK, "0xff000000");
	ck_assert_int_eq(tessera_tileset_parse(p, "0xff000000", &set, NULL), 0);
	expect_format(p, &set, TESSERA_FORM_RDUS, "rdu6,rdu7");
}
END_TEST

START_TEST(formats_each_form)
{
	static const struct {
		const char *platform, *mask, *tiles, *rdus, *dotted, *paths;
	} cases[] = {
		{"sn10-8", "0x00000001", "0", "0.0", "0.0", "/XRDU_0/RDU_0/TILE_0"},
		{"sn10-8", "0x80000000", "31", "7.3", "7.3", "/XRDU_3/RDU_1/TILE_3"},
		{"sn10-8", "0x0000010f", "0-3,8", "rdu0,2.0", "0.0-3,2.0",
		 "/XRDU_0/RDU_0/TILE_0,/XRDU_0/RDU_0/TILE_1,/XRDU_0/RDU_0/TILE_2,/XRDU_0/RDU_0/"
		 "TILE_3,"
		 "/XRDU_1/RDU_0/TILE_0"},
		{"sn30-8", "0x2000000000000000", "61", "7.5", "7.5", "/XRDU_3/RDU_1/TILE_5"},
		{"sn30-8", "0x0020000000000000", "53", "6.5", "6.5", "/XRDU_3/RDU_0/TILE_5"},
		{"sn30-8", "0x00000000000000a5", "0,2,5,7", "0.0,0.2,0.5,0.7", "0.0,0.2,0.5,0.7",
		 "/XRDU_0/RDU_0/TILE_0,/XRDU_0/RDU_0/TILE_2,/XRDU_0/RDU_0/TILE_5,/XRDU_0/RDU_0/"
		 "TILE_7"},
		/* A run of tiles across two RDUs. */
		{"sn30-8", "0x0000000000000180", "7-8", "0.7,1.0", "0.7,1.0",
		 "/XRDU_0/RDU_0/TILE_7,/XRDU_0/RDU_1/TILE_0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tessera_platform *p = find_row(cases[i].platform);
		struct tessera_tileset set;

		ck_assert_int_eq(tessera_tileset_parse(p, cases[i].tiles, &set, NULL), 0);
		expect_format(p, &set, TESSERA_FORM_MASK, cases[i].mask);
		expect_format(p, &set, TESSERA_FORM_TILES, cases[i].tiles);
		expect_format(p, &set, TESSERA_FORM_RDUS, cases[i].rdus);
		expect_format(p, &set, TESSERA_FORM_DOTTED, cases[i].dotted);
		expect_format(p, &set, TESSERA_FORM_PATHS, cases[i].paths);
	}
}
END_TEST

START_TEST(formats_many_rdus)
{
	const struct tessera_platform *p = find_row("sn30-8");
	struct tessera_tileset set;

	tessera_tileset_all(p, &set);
	expect_format(p, &set, TESSERA_FORM_RDUS, "rdu0-7");
	expect_format(p, &set, TESSERA_FORM_MASK, "0xffffffffffffffff");
	ck_assert_int_eq(tessera_tileset_parse(p, "8-15,24-31,32-41", &set, NULL), 0);
	expect_format(p, &set, TESSERA_FORM_RDUS, "rdu1,rdu3,rdu4,5.0-1");
	ck_assert_int_eq(tessera_tileset_parse(p, "7,8-31,40-46", &set, NULL), 0);
	expect_format(p, &set, TESSERA_FORM_RDUS, "0.7,rdu1-3,5.0-6");
}
END_TEST

START_TEST(formats_empty_set)
{
	struct tessera_tileset set;

	tessera_tileset_clear(&set);
	expect_format(find_row("sn10-8"), &set, TESSERA_FORM_MASK, "0x00000000");
	expect_format(find_row("sn30-8"), &set, TESSERA_FORM_MASK, "0x0000000000000000");
	for (int form = TESSERA_FORM_TILES; form <= TESSERA_FORM_PATHS; form++)
		expect_format(find_row("sn30-8"), &set, (enum tessera_form)form, "");
}
END_TEST

/* Valid texts, and their tiles on an SN30 node. */
START_TEST(parses_valid_text)
{
	static const struct {
		const char *text, *tiles;
	} cases[] = {
		{"0", "0"},
		{"63", "63"},
		{"00063", "63"},
		{"3-3", "3"},
		{"8,0-3", "0-3,8"},
		{"0-5,3-9,4,4", "0-9"},
		{"rdu7", "56-63"},
		{"rdu0-3", "0-31"},
		{"rdu0-rdu3", "0-31"},
		{"rdu2-2", "16-23"},
		{"6.0-3,7.0", "48-51,56"},
		{"0.7", "7"},
		{"/XRDU_3/RDU_0/TILE_5", "53"},
		{"/NODE/XRDU_3/RDU_0/TILE_5", "53"},
		{"/XRDU_3/RDU_1", "56-63"},
		{"/NODE/XRDU_1", "16-31"},
		{"rdu1,0,6.4-7,/XRDU_1/RDU_1", "0,8-15,24-31,52-55"},
		{"0xf", "0-3"},
		{"0XF", "0-3"},
		{"0xAb", "0-1,3,5,7"},
		{"0x8000000000000000", "63"},
		{"0x000000000000000000000000000000000001", "0"},
	};
	const struct tessera_platform *p = find_row("sn30-8");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_error err = {0};
		struct tessera_tileset set;

		ck_assert_msg(tessera_tileset_parse(p, cases[i].text, &set, &err) == 0, "%s: %s",
			      cases[i].text, err.text);
		expect_format(p, &set, TESSERA_FORM_TILES, cases[i].tiles);
	}
}
END_TEST

/* Invalid texts, and what the message must contain. */
START_TEST(rejects_invalid_text)
{
	static const struct {
		const char *platform, *text, *words[2];
	} cases[] = {
		{"sn30-8", "", {"no tiles given", "0xf"}},
		{"sn30-8", "0x", {"\"0x\" is not a set of tiles", "0xf"}},
		{"sn30-8", "0x0", {"names no tile", "64 bits"}},
		{"sn10-8", "0x00000000", {"names no tile", "32 bits"}},
		{"sn30-8", "0xg", {"\"0xg\"", "0xf"}},
		{"sn30-8", "0xf ", {"\"0xf \"", "0xf"}},
		{"sn30-8", "0xf,4", {"\"0xf,4\"", "mask alone"}},
		{"sn30-8", "4,0xf", {"\"0xf\"", "mask alone"}},
		{"sn30-8", "0x-1", {"\"0x-1\"", "0xf"}},
		{"sn10-8", "0x100000000", {"bit 32", "32 tiles"}},
		{"sn10-8", "0xff00000000000000", {"bit 63", "32 tiles"}},
		{"sn30-8", "0x500000000000000001", {"bit 70", "64 tiles"}},
		{"sn30-8", ",", {"\"\"", "(0-3)"}},
		{"sn30-8", "1,", {"\"\"", "(0-3)"}},
		{"sn30-8", ",1", {"\"\"", "(0-3)"}},
		{"sn30-8", "1,,2", {"\"\"", "(0-3)"}},
		{"sn30-8", " 1", {"\" 1\"", "(0-3)"}},
		{"sn30-8", "1 ", {"\"1 \"", "(0-3)"}},
		{"sn30-8", "1, 2", {"\" 2\"", "(0-3)"}},
		{"sn30-8", "-1", {"\"-1\"", "(0-3)"}},
		{"sn30-8", "+1", {"\"+1\"", "(0-3)"}},
		{"sn30-8", "1-", {"\"1-\"", "(0-3)"}},
		{"sn30-8", "1-2-3", {"\"1-2-3\"", "(0-3)"}},
		{"sn30-8", "1--3", {"\"1--3\"", "(0-3)"}},
		{"sn30-8", "ff", {"\"ff\"", "(0-3)"}},
		{"sn30-8", "1e1", {"\"1e1\"", "(0-3)"}},
		{"sn30-8", "000001", {"\"000001\"", "(0-3)"}},
		{"sn30-8", "4294967296", {"\"4294967296\"", "(0-3)"}},
		{"sn30-8", "64", {"no tile 64", "64 tiles"}},
		{"sn10-8", "32", {"no tile 32", "32 tiles"}},
		{"sn30-8", "0-99999", {"no tile 99999", "64 tiles"}},
		{"sn30-8", "1-0", {"1-0", "backwards: write 0-1"}},
		{"sn30-8", "3-0", {"3-0", "backwards: write 0-3"}},
		{"sn30-8", "rdu", {"\"rdu\"", "(rdu6)"}},
		{"sn30-8", "RDU6", {"\"RDU6\"", "(rdu6)"}},
		{"sn30-8", "rdux", {"\"rdux\"", "(rdu6)"}},
		{"sn30-8", "rdu1-", {"\"rdu1-\"", "(rdu6)"}},
		{"sn30-8", "rdu1-rdu", {"\"rdu1-rdu\"", "(rdu6)"}},
		{"sn30-8", "rdu6.0", {"\"rdu6.0\"", "(6.0-3)"}},
		{"sn30-8", "1-rdu2", {"\"1-rdu2\"", "(0-3)"}},
		{"sn30-8", "rdu8", {"no RDU 8", "8 RDUs"}},
		{"sn30-8", "rdu0-8", {"no RDU 8", "8 RDUs"}},
		{"sn30-8", "rdu3-rdu1", {"3-1", "backwards: write 1-3"}},
		{"sn30-8", "8.0", {"no RDU 8", "8 RDUs"}},
		{"sn30-8", "0.8", {"no tile 8", "an RDU of sn30-8 has 8 tiles"}},
		{"sn10-8", "0.0-4", {"no tile 4", "an RDU of sn10-8 has 4 tiles"}},
		{"sn30-8", "0.3-1", {"3-1", "backwards"}},
		{"sn30-8", "0.", {"\"0.\"", "(6.0-3)"}},
		{"sn30-8", ".0", {"\".0\"", "(6.0-3)"}},
		{"sn30-8", "0.0.0", {"\"0.0.0\"", "(6.0-3)"}},
		{"sn30-8", "0.0-1.3", {"\"0.0-1.3\"", "(6.0-3)"}},
		{"sn30-8", "/", {"\"/\"", "/XRDU_3/RDU_0/TILE_5"}},
		{"sn30-8", "/NODE", {"\"/NODE\"", "/XRDU_3/RDU_0/TILE_5"}},
		{"sn30-8", "/XRDU_", {"\"/XRDU_\"", "/XRDU_3"}},
		{"sn30-8", "/XRDU_0/", {"\"/XRDU_0/\"", "/XRDU_3"}},
		{"sn30-8", "/XRDU_0/TILE_0", {"\"/XRDU_0/TILE_0\"", "/XRDU_3"}},
		{"sn30-8", "/RDU_0/TILE_0", {"\"/RDU_0/TILE_0\"", "/XRDU_3"}},
		{"sn30-8", "/XRDU_0/RDU_0/TILE_0/X", {"\"/XRDU_0/RDU_0/TILE_0/X\"", "/XRDU_3"}},
		{"sn30-8", "/XRDU_0/RDU_0/TILE_0-3", {"\"/XRDU_0/RDU_0/TILE_0-3\"", "/XRDU_3"}},
		{"sn30-8", "/xrdu_0", {"\"/xrdu_0\"", "/XRDU_3"}},
		{"sn30-8", "/XRDU_4", {"no XRDU 4", "sn30-8 has 4 XRDUs"}},
		{"sn30-8", "/XRDU_0/RDU_2", {"no RDU 2", "an XRDU of sn30-8 has 2 RDUs"}},
		{"sn30-8", "/XRDU_0/RDU_0/TILE_8", {"no tile 8", "an RDU of sn30-8 has 8 tiles"}},
		{"pod64", "0", {"no tile 0", "pod64 has 0 tiles"}},
		{"pod64", "/XRDU_0", {"no XRDU 0", "pod64 has 0 XRDUs"}},
		{"pod64", "0x1", {"bit 0", "pod64 has 0 tiles"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_error err = {0};
		struct tessera_tileset set, before;

		memset(&set, 0x5a, sizeof(set));
		before = set;
		ck_assert_msg(tessera_tileset_parse(find_row(cases[i].platform), cases[i].text,
						    &set, &err) == -1,
			      "%s was accepted", cases[i].text);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		for (size_t w = 0; w < 2; w++)
			ck_assert_msg(strstr(err.text, cases[i].words[w]) != NULL,
				      "%s: no \"%s\" in: %s", cases[i].text, cases[i].words[w],
				      err.text);
		ck_assert(tessera_tileset_equal(&set, &before));
		ck_assert_int_eq(tessera_tileset_parse(find_row(cases[i].platform), cases[i].text,
						       &set, NULL),
				 -1);
	}
}
END_TEST

START_TEST(handles_long_text)
{
	static char text[200000];
	struct tessera_error err = {0};
	struct tessera_tileset set;

	memset(text, '0', sizeof(text));
	memcpy(text, "0x", 2);
	text[sizeof(text) - 2] = '3';
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(tessera_tileset_parse(find_row("sn10-8"), text, &set, &err), 0);
	expect_format(find_row("sn10-8"), &set, TESSERA_FORM_TILES, "0-1");
	text[2] = '1';
	ck_assert_int_eq(tessera_tileset_parse(find_row("sn10-8"), text, &set, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "bit 799984"));

	/* The message quotes only the start of a long item, and still says what to write. */
	memset(text, 'z', sizeof(text) - 1);
	ck_assert_int_eq(tessera_tileset_parse(find_row("sn10-8"), text, &set, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "TILE_5), separated by commas"));
}
END_TEST

static void expect_round_trip(const struct tessera_platform *p, const struct tessera_tileset *set,
			      unsigned long long seed)
{
	static char text[TESSERA_TILESET_TEXT_MAX];

	for (int form = TESSERA_FORM_MASK; form <= TESSERA_FORM_PATHS; form++) {
		struct tessera_error err = {0};
		struct tessera_tileset back;
		size_t len =
			tessera_tileset_format(p, set, (enum tessera_form)form, text, sizeof(text));

		ck_assert_uint_lt(len, sizeof(text));
		ck_assert_uint_eq(len, strlen(text));
		ck_assert_msg(tessera_tileset_parse(p, text, &back, &err) == 0,
			      "form %d, state %llu: %s: %s", form, seed, text, err.text);
		ck_assert_msg(tessera_tileset_equal(&back, set), "form %d, state %llu: %s", form,
			      seed, text);
	}
}

START_TEST(parses_its_own_text)
{
	const struct tessera_platform platforms[] = {
		*find_row("sn10-8"),       *find_row("sn30-8"),       make_platform(1, 1, 1),
		make_platform(1, 1, 7),    make_platform(3, 2, 6),    make_platform(1, 64, 1),
		make_platform(5, 3, 11),   make_platform(1024, 1, 1), make_platform(8, 8, 16),
		make_platform(1, 1, 1024),
	};
	uint64_t state = 4711;

	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		struct tessera_tileset all;

		tessera_tileset_all(&platforms[i], &all);
		expect_round_trip(&platforms[i], &all, 0);
		for (int round = 0; round < 100; round++) {
			unsigned long long seed = state;
			struct tessera_tileset set;
			struct model unused;

			draw_sets(&state, &unused, &set);
			tessera_tileset_and(&set, &all);
			if (!tessera_tileset_empty(&set))
				expect_round_trip(&platforms[i], &set, seed);
		}
	}
}
END_TEST

/* Like snprintf(): returns the full length, and writes the beginning. */
START_TEST(cuts_to_buffer)
{
	const struct tessera_platform *p = find_row("sn30-8");
	struct tessera_tileset set;

	ck_assert_int_eq(tessera_tileset_parse(p, "rdu1,0,6.4-7", &set, NULL), 0);
	for (int form = TESSERA_FORM_MASK; form <= TESSERA_FORM_PATHS; form++) {
		char whole[1024], part[1024];
		size_t need = tessera_tileset_format(p, &set, (enum tessera_form)form, whole,
						     sizeof(whole));

		ck_assert_uint_eq(tessera_tileset_format(p, &set, (enum tessera_form)form, NULL, 0),
				  need);
		for (size_t len = 1; len <= need + 2; len++) {
			memset(part, '#', sizeof(part));
			ck_assert_uint_eq(
				tessera_tileset_format(p, &set, (enum tessera_form)form, part, len),
				need);
			ck_assert_int_eq(part[len], '#');
			ck_assert_uint_eq(strlen(part), len - 1 < need ? len - 1 : need);
			ck_assert_int_eq(strncmp(part, whole, strlen(part)), 0);
		}
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, pairs_of_sets_agree_with_model);
	tcase_add_test(tcase, ranges_agree_with_model);
	tcase_add_test(tcase, ignores_numbers_out_of_range);
	tcase_add_test(tcase, fills_platform);
	tcase_add_test(tcase, formats_documented_masks);
	tcase_add_test(tcase, formats_each_form);
	tcase_add_test(tcase, formats_many_rdus);
	tcase_add_test(tcase, formats_empty_set);
	tcase_add_test(tcase, parses_valid_text);
	tcase_add_test(tcase, rejects_invalid_text);
	tcase_add_test(tcase, handles_long_text);
	tcase_add_test(tcase, parses_its_own_text);
	tcase_add_test(tcase, cuts_to_buffer);
}

UNIT_MAIN("tileset", add_tests)
