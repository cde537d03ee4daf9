/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of tessera report, and its charts in a terminal and as an SVG image. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "command/view/report.h"
#include "test/unit/unit.h"

#define U    TESSERA_UNKNOWN
#define HOUR 3600

static char *printed;
static size_t printed_size;

static struct tessera_conf *conf;

static void set_up(void)
{
	conf = tessera_conf_default();
	ck_assert_ptr_nonnull(conf);
}

static void tear_down(void)
{
	tessera_conf_free(conf);
	free(printed);
	printed = NULL;
}

/* A row of tiles of one user, in hours. The sum of use is unknown if nothing was sampled. */
static struct tessera_usage_row tiles(uint64_t held, uint64_t known, uint64_t used)
{
	return (struct tessera_usage_row){.user = "ann",
					  .jobs = 1,
					  .seconds = {.tiles = held * HOUR},
					  .used_tiles = known > 0 ? used * HOUR : U,
					  .known_tiles = known * HOUR,
					  .known_used_tiles = used * HOUR};
}

static struct report report_of(const struct tessera_usage_row **row)
{
	return (struct report){.conf = conf,
			       .by = TESSERA_USAGE_BY_USER,
			       .start = 0,
			       .end = HOUR,
			       .rows = row,
			       .count = 1,
			       .total = *row};
}

/* The bar of one row, 100 cells wide: one cell for each of 100 hours. */
static const char *bar(const struct tessera_usage_row *row)
{
	static char text[128];
	struct report report = report_of(&row);
	const char *start;
	FILE *out;

	free(printed);
	out = open_memstream(&printed, &printed_size);
	ck_assert_ptr_nonnull(out);
	report_chart(&report, out, 100 + (unsigned)strlen("ann   100.00"), false);
	fclose(out);
	start = strstr(printed, "ann  ");
	ck_assert_msg(start != NULL, "%s", printed);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(start + 5, " "), start + 5);
	return text;
}

static unsigned count(const char *text, char wanted)
{
	unsigned sum = 0;

	for (; *text != '\0'; text++)
		sum += *text == wanted;
	return sum;
}

/* The bar has USED, IDLE and UNKNOWN cells, in this order. */
static void check_bar(struct tessera_usage_row row, unsigned used, unsigned idle, unsigned unknown)
{
	const char *got = bar(&row);

	ck_assert_msg(count(got, '#') == used && count(got, '-') == idle &&
			      count(got, '?') == unknown,
		      "wanted %u used, %u idle, %u unknown: %s", used, idle, unknown, got);
	ck_assert_uint_eq(strspn(got, "#") + strspn(got + used, "-") +
				  strspn(got + used + idle, "?"),
			  strlen(got));
}

/* A job with 100 % efficiency of which samples saw 9 % is not 91 % idle. */
START_TEST(what_was_not_sampled_is_not_idle)
{
	check_bar(tiles(100, 9, 9), 9, 0, 91);
	check_bar(tiles(100, 40, 10), 10, 30, 60);
	check_bar(tiles(100, 100, 25), 25, 75, 0);
	check_bar(tiles(100, 100, 0), 0, 100, 0);
	check_bar(tiles(100, 0, 0), 0, 0, 100);
}
END_TEST

/* The use of one of two jobs is known: the sum is unknown, but the known part is drawn. */
START_TEST(a_part_is_known)
{
	struct tessera_usage_row row = tiles(100, 40, 10);

	row.used_tiles = U;
	check_bar(row, 10, 30, 60);
}
END_TEST

/* A small part has at least one cell, taken from the largest part. */
START_TEST(little_is_seen)
{
	struct tessera_usage_row row = tiles(100, 100, 99);

	row.known_used_tiles = row.seconds.tiles - 60;
	check_bar(row, 99, 1, 0);
	row.known_tiles = row.known_used_tiles;
	check_bar(row, 99, 0, 1);
	row.known_used_tiles = 60;
	row.known_tiles = row.seconds.tiles;
	check_bar(row, 1, 99, 0);
	row.known_tiles = 60;
	check_bar(row, 1, 0, 99);
}
END_TEST

/*
 * Because samples are rounded, more may be used than was sampled. After an overflow all is unknown.
 */
START_TEST(no_more_than_is_held)
{
	struct tessera_usage_row row = tiles(100, 50, 60);

	check_bar(row, 50, 0, 50);
	row.known_tiles = 2 * row.seconds.tiles;
	check_bar(row, 60, 40, 0);
	row.known_used_tiles = U;
	check_bar(row, 0, 0, 100);
	row.known_tiles = U;
	check_bar(row, 0, 0, 100);
}
END_TEST

START_TEST(the_legend_names_all_three)
{
	struct tessera_usage_row row = tiles(100, 9, 9);

	bar(&row);
	ck_assert_msg(strstr(printed, "held: # used, - not used, ? unknown (not sampled)\n") !=
			      NULL,
		      "%s", printed);
}
END_TEST

/*
 * The sum of the widths of the rectangles of one class, without those of the legend, which are 12.
 */
static double width_of(const char *svg, const char *class)
{
	char start[64];
	double sum = 0, x, width;
	unsigned y;

	snprintf(start, sizeof(start), "<rect class=\"%s\"", class);
	for (const char *at = svg; (at = strstr(at, start)) != NULL; at++)
		if (sscanf(at + strlen(start), " x=\"%lf\" y=\"%u\" width=\"%lf\"", &x, &y,
			   &width) == 3 &&
		    width != 12)
			sum += width;
	return sum;
}

START_TEST(the_image_has_the_same_parts)
{
	struct tessera_usage_row row = tiles(100, 40, 10);
	const struct tessera_usage_row *rows = &row;
	struct report report = report_of(&rows);
	char path[] = "/tmp/tessera_report.XXXXXX", svg[8192] = "";
	double all;
	FILE *in;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(report_svg(&report, path, NULL), 0);
	in = fdopen(fd, "r");
	ck_assert_uint_gt(fread(svg, 1, sizeof(svg) - 1, in), 0);
	fclose(in);
	unlink(path);
	all = width_of(svg, "used") + width_of(svg, "idle") + width_of(svg, "unknown");
	ck_assert_double_eq_tol(width_of(svg, "used") / all, 0.10, 0.001);
	ck_assert_double_eq_tol(width_of(svg, "idle") / all, 0.30, 0.001);
	ck_assert_double_eq_tol(width_of(svg, "unknown") / all, 0.60, 0.001);
}
END_TEST

/* A row with large values in all columns, including use outside of the allocation. */
static struct tessera_usage_row busy(void)
{
	struct tessera_usage_row row = tiles(123456, 123456, 120000);

	row.account = "physics";
	row.job = "4711_12";
	row.day = "2026-11-16";
	row.node = "sn30-r1-h1";
	row.user = "tess-ann";
	row.jobs = 12345;
	row.wait = row.jobs * 90000;
	row.seconds.rdus = row.seconds.tiles / 8;
	row.seconds.ipus = row.known_ipus = row.seconds.tiles;
	row.used_ipus = row.known_used_ipus = row.seconds.tiles / 2;
	row.outside = 4000;
	row.outside_known = 1;
	return row;
}

static const char *table_of(enum tessera_usage_by by, const char *chosen, enum table_form form)
{
	struct tessera_usage_row row = busy();
	const struct tessera_usage_row *rows[] = {&row, &row};
	struct report report = {
		.conf = conf, .by = by, .end = HOUR, .rows = rows, .count = 2, .total = &row};
	struct tessera_error err = {0};
	FILE *out;

	free(printed);
	out = open_memstream(&printed, &printed_size);
	ck_assert_ptr_nonnull(out);
	ck_assert_msg(report_table(&report, chosen, form, out, &err) == 0, "%s", err.text);
	fclose(out);
	return printed;
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	for (size_t len; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		widest = len > widest ? len : widest;
	}
	return widest;
}

/*
 * What identifies a row, how much it held and its efficiency stay; columns that can be computed or
 * are elsewhere are omitted first.
 */
START_TEST(a_table_fits_80_columns)
{
	static const char *const kept[] = {"TILE-H", "TILE-EFF%", "OF-TILE%",
					   "IPU-H",  "IPU-EFF%",  "OF-IPU%"};

	for (enum tessera_usage_by by = TESSERA_USAGE_BY_USER; by <= TESSERA_USAGE_BY_NODE; by++) {
		const char *text = table_of(by, NULL, TABLE_PLAIN);

		ck_assert_msg(widest_line(text) <= 80, "%zu columns:\n%s", widest_line(text), text);
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			ck_assert_msg(strstr(text, kept[i]) != NULL, "no %s:\n%s", kept[i], text);
	}
	ck_assert_ptr_nonnull(strstr(table_of(TESSERA_USAGE_BY_JOB, NULL, TABLE_PLAIN), "JOB "));
}
END_TEST

/* Columns that -o chose, and those for programs, are never omitted. */
START_TEST(chosen_columns_are_all_there)
{
	const char *all = "user,account,job,jobs,wait,rdu_hours,tile_hours,used_tile_hours,tile_"
			  "efficiency,ipu_hours";
	const char *raw = "USER JOBS WAIT RDU-H TILE-H USED-TILE-H TILE-EFF% OF-TILE% IPU-H "
			  "USED-IPU-H IPU-EFF% OF-IPU% "
			  "OUTSIDE-TILE-H\n";

	ck_assert_uint_gt(widest_line(table_of(TESSERA_USAGE_BY_JOB, all, TABLE_PLAIN)), 80);
	ck_assert_ptr_nonnull(strstr(printed, "USED-TILE-H"));
	ck_assert_ptr_nonnull(
		strstr(table_of(TESSERA_USAGE_BY_USER, "+day", TABLE_PLAIN), "USED-IPU-H"));
	ck_assert_msg(strncmp(table_of(TESSERA_USAGE_BY_USER, NULL, TABLE_RAW), raw, strlen(raw)) ==
			      0,
		      "%s", printed);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, what_was_not_sampled_is_not_idle);
	tcase_add_test(tcase, a_part_is_known);
	tcase_add_test(tcase, little_is_seen);
	tcase_add_test(tcase, no_more_than_is_held);
	tcase_add_test(tcase, the_legend_names_all_three);
	tcase_add_test(tcase, the_image_has_the_same_parts);
	tcase_add_test(tcase, a_table_fits_80_columns);
	tcase_add_test(tcase, chosen_columns_are_all_there);
}

UNIT_MAIN("report", add_tests)
