/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vendor/snfadm.h"
#include "test/unit/fixture.h"
#include "test/unit/unit.h"

#define HEAD  "Component Name | Serial Number | Inventory State | Functional State\n"
#define RDU0  "/NODE/XRDU_0/RDU_0 | 3060 | Present | Online\n"
#define TILE0 "/NODE/XRDU_0/RDU_0/TILE_0 | N/A | Present | Online\n"

static const struct tessera_platform *platform(const char *name)
{
	return tessera_platform_find_builtin(name);
}

static struct tessera_tileset tiles_of(const struct tessera_platform *p, const char *text)
{
	struct tessera_tileset set = {0};

	if (text[0] != '\0')
		ck_assert_int_eq(tessera_tileset_parse(p, text, &set, NULL), 0);
	return set;
}

static void expect(const struct tessera_platform *p, const char *text, const char *known,
		   const char *bad, const char *why)
{
	struct tessera_tileset k = tiles_of(p, known), b = tiles_of(p, bad);
	struct tessera_health_source source = {.name = "x", .time = 7, .text = "old"};
	struct tessera_error err = {0};

	tessera_tileset_all(p, &source.known);
	ck_assert_msg(snfadm_read(text, p, &source, &err) == 0, "%s\n%.200s", err.text, text);
	ck_assert_msg(tessera_tileset_equal(&source.known, &k), "known: %.200s", text);
	ck_assert_msg(tessera_tileset_equal(&source.bad, &b), "bad: %.200s", text);
	ck_assert_str_eq(source.text, why);
	ck_assert_str_eq(source.name, "x");
	ck_assert_int_eq(source.time, 7);
}

static const struct {
	const char *file, *platform, *known, *bad, *why;
} recorded[] = {
	{"snfadm/sn30-228.txt", "sn30-8", "rdu0-7", "", ""},
	/* Each XRDU has a port without a cable: no tile is bad. */
	{"snfadm/sn30-248.txt", "sn30-8", "rdu0-7", "", ""},
	{"snfadm/sn30-248.csv", "sn30-8", "rdu0-7", "", ""},
	{"snfadm/sn10.txt", "sn10-8", "rdu0-7", "", ""},
	/* And a switch that is offline. */
	{"snfadm/sn30-broken.txt", "sn30-8", "rdu0-7", "3.5,rdu6",
	 "3.5 is Present, Offline; rdu6 is Absent, N/A"},
	{"snfadm/sn30-broken.csv", "sn30-8", "rdu0-7", "3.5,rdu6",
	 "3.5 is Present, Offline; rdu6 is Absent, N/A"},
};

START_TEST(recorded_outputs)
{
	char *text = fixture(recorded[_i].file);

	expect(platform(recorded[_i].platform), text, recorded[_i].known, recorded[_i].bad,
	       recorded[_i].why);
	free(text);
}
END_TEST

static const struct {
	const char *text, *known, *bad, *why;
} small[] = {
	{HEAD RDU0 TILE0, "0.0", "", ""},
	/* The states are matched literally. */
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_3 | N/A | present | Online\n", "0.3", "0.3",
	 "0.3 is present, Online"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_3 | N/A | Present | Online (degraded)\n", "0.3", "0.3",
	 "0.3 is Present, Online (degraded)"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_3 | N/A | Absent | Online\n", "0.3", "0.3",
	 "0.3 is Absent, Online"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_3 | N/A | Present | \n", "0.3", "0.3",
	 "0.3 is Present, "},
	/* Online and Present, each in the other's place. */
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_3 | N/A | Online | Present\n", "0.3", "0.3",
	 "0.3 is Online, Present"},
	/* The tiles of a bad RDU are bad, listed or not, before or after it. */
	{HEAD TILE0 "/NODE/XRDU_0/RDU_0 | 1 | Present | Offline\n", "rdu0", "rdu0",
	 "rdu0 is Present, Offline"},
	{HEAD "/NODE/XRDU_0/RDU_0 | 1 | Absent | N/A\n" TILE0, "rdu0", "rdu0",
	 "rdu0 is Absent, N/A"},
	/* The tiles of an RDU that is not listed are unknown; a bad one is still bad. */
	{HEAD RDU0 TILE0 "/NODE/XRDU_0/RDU_1/TILE_0 | N/A | Present | Online\n", "0.0", "", ""},
	{HEAD RDU0 TILE0 "/NODE/XRDU_0/RDU_1/TILE_0 | N/A | Absent | N/A\n", "0.0,1.0", "1.0",
	 "1.0 is Absent, N/A"},
	/* One bad row is enough, whatever another row says. */
	{HEAD RDU0 TILE0 "/NODE/XRDU_0/RDU_0/TILE_0 | N/A | Present | Offline\n" TILE0, "0.0",
	 "0.0", "0.0 is Present, Offline"},
	/*
	 * Columns by their names: elsewhere, more of them, other case, with a comma, in quotes,
	 * without a path's /NODE.
	 */
	{"functional_state|Extra|INVENTORY STATE|component name\nOnline|x|Present|/XRDU_0/RDU_0\n"
	 "Offline|x|Present|/XRDU_0/RDU_0/TILE_7\n",
	 "0.7", "0.7", "0.7 is Present, Offline"},
	{"\"Component Name\",\"Serial Number\",\"Inventory State\",\"Functional State\"\r\n"
	 "\"/NODE/XRDU_0/RDU_0\",\"1,2\",\"Present\",\"Online\"\r\n\"/NODE/XRDU_0/RDU_0/"
	 "TILE_1\",,Present,Online\r\n",
	 "0.1", "", ""},
	/* Text around the table. */
	{"Warning: x, y\nPlatform: DataScale SN30-8  \n\nPhysical Inventory:\n" HEAD
	 "-----+---\n" RDU0 "\n" TILE0 "\n\n",
	 "0.0", "", ""},
	/* Spaces at both ends of lines, and lines of spaces. */
	{"  \n" HEAD "  ---  \r\n" RDU0 " \t\r\n" TILE0 "   \n  Other Inventory: \r\n \n", "0.0",
	 "", ""},
	/* A second list has its own header line. */
	{HEAD RDU0 TILE0 "Other Inventory:\nsome, more, words\n" HEAD
			 "/NODE/XRDU_0/RDU_0/TILE_1 | x | Present | Online\n",
	 "0.0-1", "", ""},
	/* Components other than RDUs and tiles. */
	{HEAD RDU0 TILE0
	 "/NODE/XRDU_0/SW_1/PORT_2 | N/A | Absent | N/A\n/NODE | x | Absent | Offline\n"
	 "/NODE/XRDU_0 | x | Absent | Offline\n/NODE/XRDU_0/RDU_0/PCIE_1 | x | Absent | N/A\n"
	 "/NODE/XRDU_0/RDU_0/TILE_0/PCU_1 | x | Absent | N/A\n/NODE/XRDU_7/SW_9 | x | y | z\n",
	 "0.0", "", ""},
};

START_TEST(small_outputs)
{
	expect(platform("sn30-8"), small[_i].text, small[_i].known, small[_i].bad, small[_i].why);
}
END_TEST

static const struct {
	const char *text, *word;
} wrong[] = {
	{"", "line 1: the end, and no tile"},
	{"\n", "line 2: the end"},
	{"Segmentation fault\n", "no tile"},
	{"Platform: DataScale SN30-8\n", "no tile"},
	{HEAD, "line 2: the end, and no tile"},
	{HEAD RDU0, "no tile"},
	{HEAD TILE0, "no tile of a listed RDU"},
	{HEAD "/NODE/XRDU_0/SW_1 | x | Present | Online\n", "no tile"},
	{"Platform: DataScale SN10-8\n" HEAD RDU0 TILE0,
	 "line 1: the tool reports platform DataScale SN10-8, but a "
	 "sn30-8 is a DataScale SN30-8; is the node's platform"},
	{"Platform: DataScale SN30-80\n" HEAD RDU0 TILE0,
	 "is the node's platform in tessera.conf right?"},
	{"Platform:\n" HEAD RDU0 TILE0, "is the node's platform"},
	{HEAD RDU0 TILE0 "Platform: DataScale SN10-8\n", "line 4: the tool reports platform"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_8 | N/A | Present | Online\n",
	 "line 3: platform sn30-8 has no /NODE/XRDU_0/RDU_0/TILE_8; is the node's platform"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_2 | N/A | Present | Online\n",
	 "line 3: platform sn30-8 has no /NODE/XRDU_0/RDU_2"},
	{HEAD RDU0 "/NODE/XRDU_4/RDU_0/TILE_0 | N/A | Present | Online\n",
	 "platform sn30-8 has no /NODE/"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_ | N/A | Present | Online\n",
	 "platform sn30-8 has no /NODE/"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_0,1 | N/A | Present | Online\n",
	 "platform sn30-8 has no /NODE/"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_0,0 | N/A | Present | Online\n",
	 "platform sn30-8 has no /NODE/"},
	{HEAD RDU0 "/NODE/RDU_0/TILE_0 | N/A | Present | Online\n",
	 "platform sn30-8 has no /NODE/"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_0 | N/A | Present\n",
	 "line 3: a row has fewer columns"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_0\n", "fewer columns"},
	{HEAD RDU0 TILE0 "Traceback (most recent call last)\n",
	 "line 4: neither a component nor a header line"},
	{HEAD RDU0 TILE0 "XRDU_0 | x | Present | Online\n", "line 4: neither"},
	{HEAD RDU0 TILE0 " | x | Present | Online\n", "line 4: neither"},
	{RDU0 TILE0, "line 1: a component, but no header line"},
	{HEAD RDU0 TILE0 "Other:\n" RDU0, "line 5: a component, but no header line"},
	{"Component | Serial Number | Inventory State | Functional State\n" RDU0 TILE0,
	 "no header line"},
	{"Component Name | Serial Number | State | Functional State\n" RDU0 TILE0,
	 "no header line"},
	{"Component Name | Serial Number | Inventory State | Health\n" RDU0 TILE0,
	 "no header line"},
	{"Component Name  Serial Number  Inventory State  Functional State\n" RDU0 TILE0,
	 "no header line"},
	{"{\"platform\": \"DataScale SN30-8\", \"inventory\": []}\n", "no tile"},
	{HEAD RDU0 "/NODE/XRDU_0/RDU_0/TILE_0 | N/A | Present | Online", "line 3: incomplete"},
};

static void expect_refusal(const char *text, const char *word)
{
	struct tessera_health_source source = {.time = 7, .text = "old"};
	struct tessera_error err = {0};

	ck_assert_msg(snfadm_read(text, platform("sn30-8"), &source, &err) < 0, "accepted: %s",
		      text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, word) != NULL, "no '%s': %s", word, err.text);
	ck_assert_msg(strstr(err.text, "output of snfadm: line ") != NULL, "%s", err.text);
	ck_assert(tessera_tileset_empty(&source.known) && tessera_tileset_empty(&source.bad));
	ck_assert_str_eq(source.text, "");
}

START_TEST(wrong_outputs)
{
	expect_refusal(wrong[_i].text, wrong[_i].word);
}
END_TEST

/*
 * Output cut at any byte is an error, or the rows that came are known; never more.
 */
START_TEST(cut_at_every_byte)
{
	char *text = fixture("snfadm/sn30-228.txt");
	struct tessera_health_source source;
	size_t whole = strlen(text), errors = 0;
	unsigned tiles = 0;

	for (size_t len = 0; len < whole; len++) {
		char kept = text[len];

		text[len] = '\0';
		if (snfadm_read(text, platform("sn30-8"), &source, NULL) < 0) {
			errors++;
		} else {
			ck_assert_int_eq(text[len - 1], '\n');
			ck_assert(tessera_tileset_empty(&source.bad));
			ck_assert_uint_ge(tessera_tileset_count(&source.known), tiles);
			tiles = tessera_tileset_count(&source.known);
		}
		text[len] = kept;
	}
	ck_assert_uint_ge(errors, whole - 228);
	ck_assert_uint_eq(tiles, 64);
	free(text);
}
END_TEST

/*
 * 1,024 tiles, all with different states: the text is cut with "...", and every tile counts.
 */
START_TEST(the_largest_platform)
{
	static const struct tessera_platform large = {.name = "large",
						      .title = "Large",
						      .kind = TESSERA_KIND_RDU,
						      .xrdus = 4,
						      .rdus_per_xrdu = 8,
						      .tiles_per_rdu = 32,
						      .mask_bits = TESSERA_TILES_MAX};
	struct tessera_health_source source;
	struct tessera_error err = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	fputs("Platform: Large\n" HEAD, out);
	for (unsigned rdu = 0; rdu < 32; rdu++) {
		fprintf(out, "/NODE/XRDU_%u/RDU_%u | x | Present | Online\n", rdu / 8, rdu % 8);
		for (unsigned tile = 0; tile < 32; tile++)
			fprintf(out, "/NODE/XRDU_%u/RDU_%u/TILE_%u | x | Present | State%u\n",
				rdu / 8, rdu % 8, tile, rdu * 32 + tile);
	}
	fclose(out);
	ck_assert_msg(snfadm_read(text, &large, &source, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(tessera_tileset_count(&source.known), TESSERA_TILES_MAX);
	ck_assert_uint_eq(tessera_tileset_count(&source.bad), TESSERA_TILES_MAX);
	ck_assert_msg(
		strncmp(source.text, "0.0 is Present, State0; 0.1 is Present, State1; ", 48) == 0,
		"%s", source.text);
	ck_assert_str_eq(source.text + strlen(source.text) - 5, "; ...");
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, recorded_outputs, 0, sizeof(recorded) / sizeof(recorded[0]));
	tcase_add_loop_test(tcase, small_outputs, 0, sizeof(small) / sizeof(small[0]));
	tcase_add_loop_test(tcase, wrong_outputs, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_test(tcase, the_largest_platform);
}

UNIT_MAIN("snfadm", add_tests)
