/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/vendor/snconfig.h"
#include "test/unit/fixture.h"
#include "test/unit/unit.h"

static const struct tessera_platform *sn30(void)
{
	return tessera_platform_find_builtin("sn30-8");
}

static struct tessera_tileset tiles_of(const char *text)
{
	struct tessera_tileset set = {0};

	if (text[0] != '\0')
		ck_assert_int_eq(tessera_tileset_parse(sn30(), text, &set, NULL), 0);
	return set;
}

static void expect(const char *text, const char *bad_text, const char *good_text, const char *known,
		   const char *bad, const char *why)
{
	struct tessera_tileset k = tiles_of(known), b = tiles_of(bad);
	struct tessera_health_source source = {.name = "x", .time = 7, .text = "old"};
	struct tessera_error err = {0};

	tessera_tileset_all(sn30(), &source.bad);
	ck_assert_msg(snconfig_read(text, sn30(), bad_text, good_text, &source, &err) == 0,
		      "%s\n%.200s", err.text, text);
	ck_assert_msg(tessera_tileset_equal(&source.known, &k), "known: %.300s", text);
	ck_assert_msg(tessera_tileset_equal(&source.bad, &b), "bad: %.300s", text);
	ck_assert_str_eq(source.text, why);
	ck_assert_str_eq(source.name, "x");
	ck_assert_int_eq(source.time, 7);
}

/* With SnconfigBad, SnconfigGood or both; a PCIE that is not perfect makes no tile bad. */
START_TEST(recorded_outputs)
{
	char *text = fixture("snconfig/sn30-hung.txt");
	static const char why[] = "3.5: State: not perfect; 6.0: State: not perfect (hung)";

	expect(text, "not perfect", "", "rdu0-7", "3.5,6.0", why);
	expect(text, "not perfect", "perfect", "rdu0-7", "3.5,6.0", why);
	expect(text, "hung", "perfect", "rdu0-7", "6.0", "6.0: State: not perfect (hung)");
	expect(text, "hung", "", "rdu0-7", "6.0", "6.0: State: not perfect (hung)");
	expect(text, "", ": perfect", "rdu0-2,3.0-4,3.6-7,rdu4-5,6.1-7,rdu7", "", "");
	free(text);
	text = fixture("snconfig/sn30-good.txt");
	expect(text, "not perfect", "", "rdu0-7", "", "");
	expect(text, "not perfect", "perfect", "rdu0-7", "", "");
	free(text);
}
END_TEST

#define IN0 "XRDU Name: XRDU_0\nRDU name: RDU_0\n"
#define T0  "TILE Name: TILE_0\n"
#define T1  "TILE Name: TILE_1\n"

static const struct {
	const char *text, *bad, *good, *known, *bads, *why;
} small[] = {
	{IN0 T0, "BAD", "", "0.0", "", ""},
	{IN0 T0 T1 "x: BAD\n", "BAD", "", "0.0-1", "0.1", "0.1: x: BAD"},
	/*
	 * Keys in upper and lower case, indented, with spaces around, and with more text in the
	 * line of the heading.
	 */
	{"\t xrdu name : XRDU_1 \n  RDU NAME:RDU_1\n Tile name:  TILE_7  state BAD\r\n", "BAD", "",
	 "3.7", "3.7", "3.7: Tile name:  TILE_7  state BAD"},
	/* The text is matched literally. */
	{IN0 T0 "bad\nB.D\n", "BAD", "", "0.0", "", ""},
	{IN0 T0 "B.D\n", "B.D", "", "0.0", "0.0", "0.0: B.D"},
	/* Above its tiles, a line describes the whole RDU or XRDU. */
	{IN0 "State: BAD\n" T0, "BAD", "", "rdu0", "rdu0", "rdu0: State: BAD"},
	{"XRDU Name: XRDU_0\nState: BAD\nRDU name: RDU_0\n" T0, "BAD", "", "rdu0-1", "rdu0-1",
	 "rdu0,rdu1: State: BAD"},
	{IN0 T0 "RDU name: RDU_1\nState: BAD\n", "BAD", "", "0.0,rdu1", "rdu1", "rdu1: State: BAD"},
	/* Above all headings, or below a heading of something else, a line describes no tile. */
	{"State: BAD\nNode Name: NODE\nState: BAD\n" IN0 T0
	 "PCIE Name: PCIE_0\nLink: BAD\nDDR CH Name: x\nBAD\n",
	 "BAD", "", "0.0", "", ""},
	{IN0 T0 "PCIE Name: PCIE_0\nLink: good\n", "BAD", "State", "", "", NULL},
	/* The next XRDU resets the RDU. */
	{IN0 T0 "XRDU Name: XRDU_1\nRDU Name: RDU_0\n" T1 "BAD\n", "BAD", "", "0.0,2.1", "2.1",
	 "2.1: BAD"},
	/* A line with a path describes that path, whatever the heading. */
	{IN0 T0 "/NODE/XRDU_0/RDU_1/TILE_2: BAD\n", "BAD", "", "0.0,1.2", "1.2",
	 "1.2: /NODE/XRDU_0/RDU_1/TILE_2: BAD"},
	{IN0 T0 "at (/XRDU_0/RDU_1/TILE_2), BAD\nBAD\n", "BAD", "", "0.0,1.2", "0.0,1.2",
	 "1.2: at (/XRDU_0/RDU_1/TILE_2), BAD; 0.0: BAD"},
	{"/NODE/XRDU_0/RDU_1 BAD\n", "BAD", "", "rdu1", "rdu1", "rdu1: /NODE/XRDU_0/RDU_1 BAD"},
	{"/NODE/XRDU_0/RDU_1/TILE_2 fine\n", "BAD", "", "1.2", "", ""},
	{IN0 T0 "/NODE/XRDU_0/SW_1/PORT_2 BAD\n", "BAD", "", "0.0", "", ""},
	/* With SnconfigGood, a tile is known only if a line says so; bad wins. */
	{IN0 T0 T1 "ok\n", "BAD", "ok", "0.1", "", ""},
	{IN0 "ok\n" T0, "BAD", "ok", "rdu0", "", ""},
	{IN0 T0 "ok\nBAD\nok\n", "BAD", "ok", "0.0", "0.0", "0.0: BAD"},
	{IN0 T0 "not ok\n", "not ok", "ok", "0.0", "0.0", "0.0: not ok"},
	{IN0 T0 "BAD but ok\n", "BAD", "ok", "0.0", "0.0", "0.0: BAD but ok"},
	/* The same text for both: bad. */
	{IN0 T0 "ok\n", "ok", "ok", "0.0", "0.0", "0.0: ok"},
	{"Platform Name: DataScale SN30-8\n" IN0 T0, "BAD", "", "0.0", "", ""},
};

START_TEST(small_outputs)
{
	struct tessera_health_source source;

	if (small[_i].why != NULL)
		expect(small[_i].text, small[_i].bad, small[_i].good, small[_i].known,
		       small[_i].bads, small[_i].why);
	else
		ck_assert_int_eq(snconfig_read(small[_i].text, sn30(), small[_i].bad,
					       small[_i].good, &source, NULL),
				 -1);
}
END_TEST

static const struct {
	const char *text, *bad, *good, *word;
} wrong[] = {
	{"", "BAD", "", "line 1: the end, and no tile was found"},
	{"Segmentation fault\n", "BAD", "", "line 2: the end, and no tile was found"},
	{"BAD\n", "BAD", "", "no tile was found"},
	{IN0, "BAD", "", "no tile was found"},
	/* after valid lines */
	{IN0 T0 "x: BAD\nXRDU Name: XRDU_4\n", "BAD", "", "line 5: "},
	{IN0 T0 T1, "BAD", "ok", "or none that SnconfigBad or SnconfigGood matches"},
	{IN0 T0, "", "", "tessera.conf does not say which text"},
	{"Platform Name: DataScale SN10-8\n" IN0 T0, "BAD", "",
	 "line 1: the tool reports platform DataScale SN10-8"},
	{IN0 "TILE Name: TILE_8\n", "BAD", "", "line 3: "},
	{"XRDU Name: XRDU_4\n", "BAD", "", "line 1: "},
	{"XRDU Name: XRDU_0\nRDU Name: RDU_2\n", "BAD", "", "line 2: "},
	{"XRDU Name: XRDU_0\nRDU Name: TILE_0\n", "BAD", "", "line 2: "},
	{"XRDU Name: RDU_0\n", "BAD", "", "line 1: "},
	{"XRDU Name: XRDU_0,5\n", "BAD", "", "line 1: not a name of an XRDU, RDU or tile"},
	{"XRDU Name: XRDU_0/RDU_0\n", "BAD", "", "line 1: not a name of an XRDU"},
	{"XRDU Name:\n", "BAD", "", "line 1: "},
	{"RDU Name: RDU_0\n", "BAD", "", "line 1: an RDU without an XRDU"},
	{"XRDU Name: XRDU_0\n" T0, "BAD", "", "line 2: a tile without an RDU"},
	{IN0 T0 "XRDU Name: XRDU_1\n" T0, "BAD", "", "line 5: a tile without an RDU"},
	{IN0 T0 "/NODE/XRDU_0/RDU_0/TILE_9 BAD\n", "BAD", "",
	 "line 4: platform sn30-8 has no /NODE/XRDU_0/RDU_0/TILE_9"},
	{IN0 T0 "State: go", "BAD", "", "line 4: incomplete"},
};

START_TEST(wrong_outputs)
{
	struct tessera_health_source source = {.text = "old"};
	struct tessera_error err = {0};

	ck_assert_msg(snconfig_read(wrong[_i].text, sn30(), wrong[_i].bad, wrong[_i].good, &source,
				    &err) < 0,
		      "accepted: %s", wrong[_i].text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, wrong[_i].word) != NULL, "no '%s': %s", wrong[_i].word,
		      err.text);
	ck_assert(tessera_tileset_empty(&source.known) && tessera_tileset_empty(&source.bad));
	ck_assert_str_eq(source.text, "");
}
END_TEST

/* A long line is cut, but not within a character. */
START_TEST(a_line_that_is_cut)
{
	char text[512], why[256];

	for (int len = 96; len <= 102; len++) {
		int fits = len + 2 <= 100; /* the character, after so many bytes */

		snprintf(text, sizeof(text), IN0 T0 "hung%0*d\xc3\xa9%010d\n", len - 4, 0, 0);
		snprintf(why, sizeof(why), "0.0: hung%0*d%s%.*s", (len < 100 ? len : 100) - 4, 0,
			 fits ? "\xc3\xa9" : "", fits ? 98 - len : 0, "0000000000");
		expect(text, "hung", "", "0.0", "0.0", why);
	}
}
END_TEST

START_TEST(a_line_without_end)
{
	char *text = calloc(1, 8192);
	struct tessera_error err = {0};

	memset(text, 'x', 8000);
	text[8000] = '\n';
	ck_assert_int_eq(
		snconfig_read(text, sn30(), "BAD", "", &(struct tessera_health_source){0}, &err),
		-1);
	ck_assert_msg(strstr(err.text, "line 1: too long") != NULL, "%s", err.text);
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, recorded_outputs);
	tcase_add_loop_test(tcase, small_outputs, 0, sizeof(small) / sizeof(small[0]));
	tcase_add_loop_test(tcase, wrong_outputs, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, a_line_that_is_cut);
	tcase_add_test(tcase, a_line_without_end);
}

UNIT_MAIN("snconfig", add_tests)
