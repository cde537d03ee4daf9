/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of the administrator's marks. */
#include "config.h"

#include "lib/state/health_internal.h"
#include "test/unit/state_unit.h"

#define TITLE "tessera-marks 1 sn30-8\n"
#define BAD29 "bad 29 time 1731750000 uid 0 text hung since Tuesday\n"
#define BAD63 "bad 63 time 253402300799 uid 4294967295 text -\n"

static const struct tessera_platform *sn30(void)
{
	return tessera_platform_find_builtin("sn30-8");
}

static const char *const good[] = {
	TITLE "end 0\n",
	TITLE BAD29 "end 1\n",
	TITLE BAD29 BAD63 "end 2\n",
	TITLE "bad 0 time 0 uid 0 text end 1\nend 1\n",
};

START_TEST(good_texts)
{
	struct tessera_marks marks;
	struct tessera_error err = {0};
	char *again;

	ck_assert_msg(marks_parse(sn30(), "d/marks", good[_i], strlen(good[_i]), &marks, &err) == 0,
		      "%s", err.text);
	again = marks_format(sn30(), &marks);
	ck_assert_str_eq(again, good[_i]);
	free(again);
	tessera_marks_free(&marks);
	ck_assert_ptr_null(marks.list);
}
END_TEST

START_TEST(fields_are_read)
{
	struct tessera_marks marks;

	ck_assert_int_eq(marks_parse(sn30(), "d", good[2], strlen(good[2]), &marks, NULL), 0);
	ck_assert_uint_eq(marks.count, 2);
	ck_assert_uint_eq(marks.list[0].tile, 29);
	ck_assert_int_eq(marks.list[0].time, 1731750000);
	ck_assert_uint_eq(marks.list[0].uid, 0);
	ck_assert_str_eq(marks.list[0].text, "hung since Tuesday");
	ck_assert_uint_eq(marks.list[1].tile, 63);
	ck_assert_uint_eq(marks.list[1].uid, UINT32_MAX);
	ck_assert_str_eq(marks.list[1].text, "");
	tessera_marks_free(&marks);
}
END_TEST

#define ROW(what) TITLE what "\nend 1\n"

static const struct {
	const char *text;
	int line;
	const char *word;
} damages[] = {
	{"", 1, "not a marks file"},
	{"tessera-marks 2 sn30-8\nend 0\n", 1, "not a marks file of format 1"},
	{"tessera-health 1 sn30-8\nend 0\n", 1, "not a marks file"},
	{"tessera-marks 1 sn10-8\nend 0\n", 1, "another platform"},
	{"tessera-marks 1 sn30-8x\nend 0\n", 1, "another platform"},
	{TITLE, 2, "damaged"},
	{TITLE BAD29, 3, "damaged"},
	{TITLE BAD29 "end 0\n", 4, "damaged"},
	{TITLE BAD29 "end 2\n", 4, "damaged"},
	{TITLE BAD29 "end 1025\n", 3, "damaged"},
	{TITLE BAD29 "end 1\n\n", 4, "damaged"},
	{TITLE "\n" BAD29 "end 1\n", 2, "damaged"},
	{TITLE BAD29 BAD29 "end 2\n", 3, "damaged"},
	{TITLE BAD63 BAD29 "end 2\n", 3, "damaged"},
	{ROW("good 29 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 64 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 1024 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 029 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 3.5 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 28-29 time 1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 29 time -1 uid 0 text x"), 2, "damaged"},
	{ROW("bad 29 time 253402300800 uid 0 text x"), 2, "damaged"},
	{ROW("bad 29 time 1 uid 4294967296 text x"), 2, "damaged"},
	{ROW("bad 29 uid 0 time 1 text x"), 2, "damaged"},
	{ROW("bad 29 time 1 uid 0 text "), 2, "damaged"},
	{ROW("bad 29 time 1 uid 0"), 2, "damaged"},
	{ROW("bad 29 time 1 uid 0 text a\x7f"), 2, "damaged"},
};

static void expect_damaged(const char *text, size_t len, int line, const char *word)
{
	struct tessera_error err = {0};
	struct tessera_marks marks;
	char start[32];

	ck_assert_msg(marks_parse(sn30(), "d/marks", text, len, &marks, &err) < 0, "accepted: %s",
		      text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(marks.count, 0);
	ck_assert_ptr_null(marks.list);
	snprintf(start, sizeof(start), "d/marks:%d: ", line);
	if (line > 0)
		ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0, "not line %d: %s\n%s",
			      line, err.text, text);
	ck_assert_msg(strstr(err.text, word) != NULL, "no '%s': %s", word, err.text);
	ck_assert_msg(strstr(err.text, "mark the tiles again") != NULL, "%s", err.text);
}

START_TEST(damaged_texts)
{
	expect_damaged(damages[_i].text, strlen(damages[_i].text), damages[_i].line,
		       damages[_i].word);
}
END_TEST

START_TEST(truncated_texts)
{
	char text[512];

	for (size_t len = 0; len < strlen(good[2]); len++) {
		snprintf(text, sizeof(text), "%.*s", (int)len, good[2]);
		expect_damaged(text, len, 0, "");
		snprintf(text, sizeof(text), "%s", good[2]);
		text[len] = '\0';
		expect_damaged(text, strlen(good[2]), 0, "");
	}
}
END_TEST

START_TEST(written_and_read)
{
	struct tessera_mark list[] = {{.tile = 3, .time = 5, .uid = 7, .text = "a\nb"},
				      {.tile = 4}};
	struct tessera_marks marks = {.list = list, .count = 2}, got;
	struct tessera_error err = {0};
	char start[128];

	ck_assert_int_eq(tessera_marks_read(dir, sn30(), &got, &err), 0);
	ck_assert_uint_eq(got.count, 0);
	tessera_marks_free(&got);
	ck_assert_int_eq(tessera_marks_write(dir, sn30(), &marks, &err), 0);
	ck_assert_int_eq(tessera_marks_read(dir, sn30(), &got, &err), 0);
	ck_assert_uint_eq(got.count, 2);
	ck_assert_uint_eq(got.list[0].tile, 3);
	ck_assert_int_eq(got.list[0].time, 5);
	ck_assert_uint_eq(got.list[0].uid, 7);
	ck_assert_str_eq(got.list[0].text, "a?b");
	tessera_marks_free(&got);
	/* In the wrong order, twice, beyond the platform: the old file stays. */
	for (unsigned tile = 2; tile <= 64; tile += tile == 2 ? 1 : 61) {
		list[1].tile = tile;
		ck_assert_msg(tessera_marks_write(dir, sn30(), &marks, &err) < 0, "%u", tile);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	}
	ck_assert_int_eq(tessera_marks_read(dir, sn30(), &got, &err), 0);
	ck_assert_uint_eq(got.list[1].tile, 4);
	tessera_marks_free(&got);
	/* The message names the damaged file. */
	write_file("marks", "nonsense\n", 0644);
	ck_assert_int_eq(tessera_marks_read(dir, sn30(), &got, &err), -1);
	snprintf(start, sizeof(start), "%s/marks:1: ", dir);
	ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0, "%s", err.text);
	write_file("marks", good[1], 0666);
	ck_assert_int_eq(tessera_marks_read(dir, sn30(), &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_ptr_null(got.list);
}
END_TEST

/*
 * Every tile of the largest platform, with the longest text, fits the file; one more is too many.
 */
START_TEST(the_largest_platform)
{
	static const struct tessera_platform large = {.name = "large",
						      .kind = TESSERA_KIND_RDU,
						      .xrdus = 1,
						      .rdus_per_xrdu = 32,
						      .tiles_per_rdu = 32,
						      .mask_bits = TESSERA_TILES_MAX};
	static struct tessera_mark list[TESSERA_TILES_MAX + 1];
	struct tessera_marks marks = {.list = list, .count = TESSERA_TILES_MAX}, got;
	struct tessera_error err = {0};

	for (unsigned tile = 0; tile <= TESSERA_TILES_MAX; tile++) {
		list[tile].tile = tile;
		memset(list[tile].text, 'x', sizeof(list[tile].text) - 1);
	}
	ck_assert_int_eq(tessera_marks_write(dir, &large, &marks, &err), 0);
	ck_assert_msg(tessera_marks_read(dir, &large, &got, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(got.count, TESSERA_TILES_MAX);
	ck_assert_uint_eq(got.list[TESSERA_TILES_MAX - 1].tile, TESSERA_TILES_MAX - 1);
	ck_assert_uint_eq(strlen(got.list[7].text), sizeof(got.list[7].text) - 1);
	tessera_marks_free(&got);
	marks.count++;
	ck_assert_int_eq(tessera_marks_write(dir, &large, &marks, &err), -1);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, good_texts, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_test(tcase, fields_are_read);
	tcase_add_loop_test(tcase, damaged_texts, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, truncated_texts);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, the_largest_platform);
}

UNIT_MAIN("marks", add_tests)
