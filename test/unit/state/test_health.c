/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of vendor tools: the file, and the verdict from all results and marks. */
#include "config.h"

#include <time.h>

#include "lib/state/health_internal.h"
#include "lib/util/utf8.h"
#include "test/unit/state_unit.h"

#define TITLE  "tessera-health 1 sn30-8\n"
#define SNFADM "source snfadm time 1731750000 known 0-63 bad 29 text 3.5 is Present, Offline\n"
#define NONE   "source snconfig time 0 known - bad - text it did not answer within 60 seconds\n"
#define PODS   "tessera-health 1 pod64\n"
#define IPUS   "ipus gcipuinfo time 1731750000 seen 64 bad 1 text 10.1.5.10: device 2\n"

static const struct tessera_platform large = {.name = "large",
					      .kind = TESSERA_KIND_RDU,
					      .xrdus = 4,
					      .rdus_per_xrdu = 8,
					      .tiles_per_rdu = 32,
					      .mask_bits = TESSERA_TILES_MAX};

static const struct tessera_platform *platform(const char *name)
{
	return strcmp(name, "large") == 0 ? &large : tessera_platform_find_builtin(name);
}

static struct tessera_tileset tiles_of(const char *text)
{
	struct tessera_tileset set = {0};

	if (text[0] != '\0')
		ck_assert_int_eq(tessera_tileset_parse(platform("sn30-8"), text, &set, NULL), 0);
	return set;
}

/* The text */

static const struct {
	const char *platform, *text;
} good[] = {
	{"sn30-8", TITLE "end 0\n"},
	{"sn30-8", TITLE SNFADM "end 1\n"},
	{"sn30-8", TITLE SNFADM NONE "end 2\n"},
	{"sn30-8", TITLE "source x time 253402300799 known 0,2,4-63 bad 0,2 text  a  -\nend 1\n"},
	{"pod64", PODS "end 0\n"},
	{"pod64", PODS IPUS "end 1\n"},
	{"pod64", PODS "ipus x time 0 seen 0 bad 0 text -\nend 1\n"},
};

START_TEST(good_texts)
{
	const struct tessera_platform *p = platform(good[_i].platform);
	struct tessera_error err = {0};
	struct tessera_health health;
	char *again;

	ck_assert_msg(health_parse(p, "d/health", good[_i].text, strlen(good[_i].text), &health,
				   &err) == 0,
		      "%s\n%s", err.text, good[_i].text);
	again = health_format(p, &health);
	ck_assert_str_eq(again, good[_i].text);
	free(again);
}
END_TEST

START_TEST(fields_are_read)
{
	struct tessera_tileset all = tiles_of("0-63"), bad = tiles_of("3.5");
	struct tessera_health health;

	ck_assert_int_eq(health_parse(platform("sn30-8"), "d", good[2].text, strlen(good[2].text),
				      &health, NULL),
			 0);
	ck_assert_uint_eq(health.count, 2);
	ck_assert_str_eq(health.sources[0].name, "snfadm");
	ck_assert_int_eq(health.sources[0].time, 1731750000);
	ck_assert(tessera_tileset_equal(&health.sources[0].known, &all));
	ck_assert(tessera_tileset_equal(&health.sources[0].bad, &bad));
	ck_assert_str_eq(health.sources[0].text, "3.5 is Present, Offline");
	ck_assert_str_eq(health.sources[1].name, "snconfig");
	ck_assert_int_eq(health.sources[1].time, 0);
	ck_assert(tessera_tileset_empty(&health.sources[1].known));
	ck_assert_str_eq(health.ipus.name, "");
	ck_assert_int_eq(health_parse(platform("pod64"), "d", good[5].text, strlen(good[5].text),
				      &health, NULL),
			 0);
	ck_assert_uint_eq(health.count, 0);
	ck_assert_str_eq(health.ipus.name, "gcipuinfo");
	ck_assert_int_eq(health.ipus.time, 1731750000);
	ck_assert_uint_eq(health.ipus.seen, 64);
	ck_assert_uint_eq(health.ipus.bad, 1);
	ck_assert_str_eq(health.ipus.text, "10.1.5.10: device 2");
	/* "-" stands for an empty text. */
	ck_assert_int_eq(health_parse(platform("pod64"), "d", good[6].text, strlen(good[6].text),
				      &health, NULL),
			 0);
	ck_assert_str_eq(health.ipus.text, "");
}
END_TEST

#define ROW(what) TITLE what "\nend 1\n"
#define REST      " known 0-63 bad 29 text x"

/* A damaged text, the line that the message must name, and part of the message. */
static const struct {
	const char *platform, *text;
	int line;
	const char *word;
} damages[] = {
	{"sn30-8", "", 1, "not a health file"},
	{"sn30-8", "tessera-health 2 sn30-8\nend 0\n", 1, "not a health file of format 1"},
	{"sn30-8", "tessera-marks 1 sn30-8\nend 0\n", 1, "not a health file"},
	{"sn30-8", "tessera-health 1 sn10-8\nend 0\n", 1, "another platform"},
	{"sn30-8", "tessera-health 1 sn30-80\nend 0\n", 1, "another platform"},
	{"sn30-8", "tessera-health 1 sn30-8 \nend 0\n", 1, "another platform"},
	{"sn30-8", TITLE, 2, "damaged"},
	{"sn30-8", TITLE SNFADM, 3, "damaged"},
	{"sn30-8", TITLE SNFADM "end 1", 3, "damaged"},
	{"sn30-8", TITLE SNFADM "end 0\n", 4, "damaged"},
	{"sn30-8", TITLE SNFADM "end 2\n", 4, "damaged"},
	{"sn30-8", TITLE SNFADM "end 01\n", 3, "damaged"},
	{"sn30-8", TITLE SNFADM "end 1\n\n", 4, "damaged"},
	{"sn30-8", TITLE SNFADM "end 1\nend 1\n", 4, "damaged"},
	{"sn30-8", TITLE "\n" SNFADM "end 1\n", 2, "damaged"},
	{"sn30-8", TITLE SNFADM SNFADM "end 2\n", 3, "damaged"},
	{"sn30-8", TITLE IPUS "end 1\n", 2, "damaged"},
	{"sn30-8", TITLE SNFADM "sauce x time 1" REST "\nend 2\n", 3, "damaged"},
	{"sn30-8", ROW("source  time 1" REST), 2, "damaged"},
	{"sn30-8", ROW("source x time -1" REST), 2, "damaged"},
	{"sn30-8", ROW("source x time 01" REST), 2, "damaged"},
	{"sn30-8", ROW("source x time 253402300800" REST), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 bad 29 known 0-63 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known  bad 29 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-64 bad 29 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 64 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-62,63 bad 29 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known rdu0-7 bad 29 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 3.5 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-31 bad 32 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known - bad 32 text x"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 29 text "), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 29"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 29 text a\tb"), 2, "damaged"},
	{"sn30-8", ROW("source x time 1 known 0-63 bad 29 text a\r"), 2, "damaged"},
	{"pod64", PODS SNFADM "end 1\n", 2, "damaged"},
	{"pod64", PODS IPUS IPUS "end 2\n", 3, "damaged"},
	{"pod64", PODS IPUS "end 0\n", 4, "damaged"},
	{"pod64", PODS "ipus x time 1 seen 4294967296 bad 1 text -\nend 1\n", 2, "damaged"},
	{"pod64", PODS "ipus x time 1 seen 1 bad - text -\nend 1\n", 2, "damaged"},
	{"pod64", PODS "ipus x time 1 bad 1 seen 1 text -\nend 1\n", 2, "damaged"},
};

static void expect_damaged(const char *name, const char *text, size_t len, int line,
			   const char *word)
{
	struct tessera_error err = {0};
	struct tessera_health health;
	char start[32];

	ck_assert_msg(health_parse(platform(name), "d/health", text, len, &health, &err) < 0,
		      "accepted: %s", text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_uint_eq(health.count, 0);
	snprintf(start, sizeof(start), "d/health:%d: ", line);
	if (line > 0)
		ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0, "not line %d: %s\n%s",
			      line, err.text, text);
	ck_assert_msg(strstr(err.text, word) != NULL, "no '%s': %s", word, err.text);
	ck_assert_msg(strstr(err.text, "run tessera health") != NULL, "%s", err.text);
}

START_TEST(damaged_texts)
{
	expect_damaged(damages[_i].platform, damages[_i].text, strlen(damages[_i].text),
		       damages[_i].line, damages[_i].word);
}
END_TEST

/* A truncated file is never accepted, nor one with a NUL in it. */
START_TEST(truncated_texts)
{
	char text[512];

	for (size_t len = 0; len < strlen(good[2].text); len++) {
		snprintf(text, sizeof(text), "%.*s", (int)len, good[2].text);
		expect_damaged("sn30-8", text, len, 0, "");
		snprintf(text, sizeof(text), "%s", good[2].text);
		text[len] = '\0';
		expect_damaged("sn30-8", text, strlen(good[2].text), 0, "");
	}
}
END_TEST

/* The maximum number of sources, and one more; the longest text, and one byte more. */
START_TEST(too_much)
{
	char text[2048];
	size_t used = (size_t)snprintf(text, sizeof(text), TITLE);

	for (int i = 0; i < TESSERA_SOURCES_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "source s%d time 1" REST "\n", i);
	snprintf(text + used, sizeof(text) - used, "end 8\n");
	ck_assert_int_eq(health_parse(platform("sn30-8"), "d", text, strlen(text),
				      &(struct tessera_health){0}, NULL),
			 0);
	snprintf(text + used, sizeof(text) - used, "source s8 time 1" REST "\nend 9\n");
	expect_damaged("sn30-8", text, strlen(text), TESSERA_SOURCES_MAX + 2, "damaged");
	snprintf(text, sizeof(text), TITLE "source x time 1 known - bad - text %0511d\nend 1\n", 0);
	ck_assert_int_eq(health_parse(platform("sn30-8"), "d", text, strlen(text),
				      &(struct tessera_health){0}, NULL),
			 0);
	snprintf(text, sizeof(text), TITLE "source x time 1 known - bad - text %0512d\nend 1\n", 0);
	expect_damaged("sn30-8", text, strlen(text), 2, "damaged");
}
END_TEST

/* The file */

static struct tessera_health one_source(const char *known, const char *bad, int64_t when)
{
	struct tessera_health health = {.count = 1};

	snprintf(health.sources[0].name, sizeof(health.sources[0].name), "snfadm");
	health.sources[0].time = when;
	health.sources[0].known = tiles_of(known);
	health.sources[0].bad = tiles_of(bad);
	return health;
}

START_TEST(written_and_read)
{
	struct tessera_health health = one_source("0-63", "29", 1731750000), got;
	struct tessera_error err = {0};
	struct stat st;
	char path[128];

	/* A missing file has no results. */
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, &err), 0);
	ck_assert_uint_eq(got.count, 0);
	snprintf(health.sources[0].text, sizeof(health.sources[0].text), "a\nb\x1b[31m");
	umask(0077);
	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, &err), 0);
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, &err), 0);
	ck_assert_uint_eq(got.count, 1);
	ck_assert_str_eq(got.sources[0].text, "a?b?[31m");
	/* Every user may read it, whatever the writer's umask is. */
	snprintf(path, sizeof(path), "%s/health", dir);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0644);
	/* A file of another platform is an error. */
	ck_assert_int_eq(tessera_health_read(dir, platform("sn10-8"), &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "%s", err.text);
	ck_assert_uint_eq(got.count, 0);
}
END_TEST

/* Bytes that are not UTF-8 would make invalid JSON. */
static const struct {
	const char *said, *saved;
} bytes[] = {
	{"caf\xc3\xa9", "caf\xc3\xa9"},
	{"caf\xe9", "caf?"},
	{"\xe9t\xe9 1", "?t? 1"},
	{"\x80", "?"},
	{"\302\2332J\233", "??2J?"}, /* a terminal's control character */
	{"a\xc3", "a?"},
	{"a\xe2\x82", "a??"},
	{"a\xf0\x9f\x94", "a???"},
	{"\xe2\x82\xac \xf0\x9f\x94\xa5", "\xe2\x82\xac \xf0\x9f\x94\xa5"},
	{"\xe2\x82\xc3\xa9", "??\xc3\xa9"}, /* broken off within: the next is one again */
	{"\xc0\xaf \xc1\xbf", "?? ??"},     /* longer than needed */
	{"\xe0\x9f\xbf", "???"},
	{"\xf0\x8f\xbf\xbf", "????"},
	{"\xe0\xa0\x80 \xf0\x90\x80\x80", "\xe0\xa0\x80 \xf0\x90\x80\x80"},
	{"\xed\xa0\x80", "???"}, /* half of a pair */
	{"\xed\x9f\xbf \xee\x80\x80", "\xed\x9f\xbf \xee\x80\x80"},
	/* the last one, and beyond */
	{"\xf4\x8f\xbf\xbf \xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf ????"},
	{"\xf5\x80\x80\x80 \xff", "???? ?"},
};

START_TEST(invalid_utf8)
{
	struct tessera_health health = one_source("0-63", "29", 1731750000), got;
	char raw[256];

	snprintf(health.sources[0].text, sizeof(health.sources[0].text), "%s", bytes[_i].said);
	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, NULL), 0);
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, NULL), 0);
	ck_assert_str_eq(got.sources[0].text, bytes[_i].saved);
	/* Nor does the parser accept it. */
	snprintf(raw, sizeof(raw), TITLE "source x time 1" REST "%s\nend 1\n", bytes[_i].said);
	if (strcmp(bytes[_i].said, bytes[_i].saved) != 0)
		expect_damaged("sn30-8", raw, strlen(raw), 2, "damaged");
}
END_TEST

static const struct {
	const char *text;
	size_t max, want;
} cuts[] = {
	{"", 3, 0},
	{"abc", 3, 3},
	{"abcd", 3, 3},
	{"abcd", 0, 0},
	{"ab\xc3\xa9", 4, 4},
	{"ab\xc3\xa9", 3, 2},
	{"ab\xc3\xa9", 2, 2},
	{"a\xe2\x82\xac", 3, 1},
	{"a\xe2\x82\xac", 2, 1},
	{"\xe2\x82\xac", 2, 0},
	{"a\xf0\x9f\x94\xa5", 4, 1},
	{"a\xf0\x9f\x94\xa5", 2, 1},
	{"a\xf0\x9f\x94\xa5z", 5, 5},
	{"a\x80\x80\x80\x80\x80", 5, 5}, /* no character at all */
	{"\x80\x80", 1, 1},
};

START_TEST(cut_between_characters)
{
	ck_assert_uint_eq(utf8_cut(cuts[_i].text, strlen(cuts[_i].text), cuts[_i].max),
			  cuts[_i].want);
}
END_TEST

START_TEST(unsafe_owner_or_mode)
{
	struct tessera_health health = one_source("0-63", "29", 1731750000), got;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, &err), 0);
	write_file("health", TITLE SNFADM "end 1\n", 0666);
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_uint_eq(got.count, 0);
	write_file("health", TITLE SNFADM "end 1\n", 0644);
	ck_assert_int_eq(chmod(dir, 0777), 0);
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
}
END_TEST

/* What could not be parsed is not written, and the old file stays. */
START_TEST(invalid_is_not_written)
{
	struct tessera_health health = one_source("0-63", "29", 7), wrong[4], got;
	struct tessera_error err = {0};

	for (int i = 0; i < 4; i++)
		wrong[i] = health;
	wrong[0].sources[0].time = -1;
	wrong[1].sources[0].known = tiles_of("0");
	wrong[2].sources[0].name[0] = '\0';
	snprintf(wrong[3].ipus.name, sizeof(wrong[3].ipus.name), "gcipuinfo");
	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, &err), 0);
	for (int i = 0; i < 4; i++) {
		ck_assert_msg(tessera_health_write(dir, platform("sn30-8"), &wrong[i], &err) < 0,
			      "%d", i);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	}
	ck_assert_int_eq(tessera_health_read(dir, platform("sn30-8"), &got, &err), 0);
	ck_assert_int_eq(got.sources[0].time, 7);
}
END_TEST

/* The verdict */

#define NOW 1000000

static const struct tessera_health_conf usual = {.snfadm = "/x", .max = 900};

static void expect(const struct tessera_health_conf *conf, const struct tessera_health *health,
		   const struct tessera_marks *marks, const char *bad, const char *unknown,
		   const char *unusable)
{
	struct tessera_tileset b = tiles_of(bad), n = tiles_of(unknown), u = tiles_of(unusable);
	struct tessera_health_verdict v;

	tessera_health_judge(platform("sn30-8"), conf, health, marks, NOW, &v);
	ck_assert(tessera_tileset_equal(&v.bad, &b));
	ck_assert(tessera_tileset_equal(&v.unknown, &n));
	ck_assert(tessera_tileset_equal(&v.unusable, &u));
}

static const struct {
	int64_t when;
	unsigned max;
	bool counts;
} times[] = {
	{NOW, 900, true},      {NOW - 900, 900, true}, {NOW - 901, 900, false},
	{0, 900, false},       {0, 0, false},          {1, 0, true},
	{NOW + 60, 900, true}, {NOW + 61, 900, false}, {NOW + 61, 0, false},
	{NOW - 1, 1, true},    {NOW - 2, 1, false},    {1, 30 * 86400, true},
};

START_TEST(current_results)
{
	struct tessera_health_conf use = usual, avoid = usual;
	struct tessera_health health = one_source("0-31", "3,5", times[_i].when);

	use.max = avoid.max = times[_i].max;
	avoid.avoid_unknown = 1;
	ck_assert_int_eq(tessera_health_counts(&use, times[_i].when, NOW), times[_i].counts);
	ck_assert_int_eq(tessera_health_is_ahead(times[_i].when, NOW), times[_i].when > NOW + 60);
	if (times[_i].counts) {
		expect(&use, &health, NULL, "3,5", "32-63", "3,5");
		expect(&avoid, &health, NULL, "3,5", "32-63", "3,5,32-63");
	} else if (times[_i].when > NOW) {
		/*
		 * The clock was set back: bad tiles stay bad, good tiles become unknown.
		 */
		expect(&use, &health, NULL, "3,5", "0-2,4,6-63", "3,5");
		expect(&avoid, &health, NULL, "3,5", "0-2,4,6-63", "0-63");
	} else {
		expect(&use, &health, NULL, "", "0-63", "");
		expect(&avoid, &health, NULL, "", "0-63", "0-63");
	}
}
END_TEST

START_TEST(several_results)
{
	struct tessera_health_conf avoid = usual, none = {.max = 900, .avoid_unknown = 1};
	struct tessera_mark list[] = {{.tile = 40}, {.tile = 63}};
	struct tessera_marks marks = {.list = list, .count = 2};
	struct tessera_health health = one_source("0-31", "3", NOW), nothing = {0};

	avoid.avoid_unknown = 1;
	/* One result suffices to make a tile bad, or known. */
	health.count = 2;
	snprintf(health.sources[1].name, sizeof(health.sources[1].name), "snconfig");
	health.sources[1].time = NOW - 1;
	health.sources[1].known = tiles_of("16-47");
	health.sources[1].bad = tiles_of("31");
	expect(&avoid, &health, NULL, "3,31", "48-63", "3,31,48-63");
	/* A mark makes a tile bad without any source. */
	expect(&avoid, &health, &marks, "3,31,40,63", "48-62", "3,31,40,48-63");
	expect(&usual, &nothing, &marks, "40,63", "0-39,41-62", "40,63");
	/* An outdated result does not override a current one. */
	health.sources[1].time = 1;
	expect(&usual, &health, NULL, "3", "32-63", "3");
	/* Without configured sources no tile is unknown, but bad tiles stay bad. */
	expect(&none, &nothing, NULL, "", "", "");
	expect(&none, &nothing, &marks, "40,63", "", "40,63");
	none.ipus[0] = '/';
	expect(&none, &nothing, NULL, "", "", "");
	snprintf(none.snconfig, sizeof(none.snconfig), "/x");
	expect(&none, &nothing, NULL, "", "0-63", "0-63");
}
END_TEST

START_TEST(the_largest_platform)
{
	struct tessera_health health = {.count = 1}, got;
	struct tessera_health_verdict v;
	char *text;

	snprintf(health.sources[0].name, sizeof(health.sources[0].name), "snfadm");
	health.sources[0].time = NOW;
	tessera_tileset_all(&large, &health.sources[0].known);
	for (unsigned tile = 0; tile < TESSERA_TILES_MAX; tile++)
		if (tile % 3 != 2)
			tessera_tileset_add(&health.sources[0].bad, tile);
	text = health_format(&large, &health);
	ck_assert_int_eq(health_parse(&large, "d", text, strlen(text), &got, NULL), 0);
	ck_assert(tessera_tileset_equal(&got.sources[0].bad, &health.sources[0].bad));
	ck_assert(tessera_tileset_equal(&got.sources[0].known, &health.sources[0].known));
	free(text);
	tessera_health_judge(&large, &usual, &got, NULL, NOW, &v);
	ck_assert_uint_eq(tessera_tileset_count(&v.unusable), 683);
	ck_assert(tessera_tileset_empty(&v.unknown));
}
END_TEST

/* The verdict for a node, from its files */

static struct tessera_conf *conf_with(const char *more)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf;
	char text[512];

	snprintf(text, sizeof(text), "StateDir = \"%s\"\nMarksDir = \"%s\"\n%s", dir, dir, more);
	conf = tessera_conf_parse("conf", text, &err);
	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

static void expect_node(const char *more, int rc, const char *bad, unsigned unknown,
			unsigned unusable)
{
	struct tessera_conf *conf = conf_with(more);
	struct tessera_tileset b = tiles_of(bad);
	struct tessera_health_verdict v;
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_health_of_node(conf, "n", platform("sn30-8"), &v, &err), rc);
	ck_assert_int_eq(err.code != TESSERA_OK, rc < 0);
	ck_assert(tessera_tileset_equal(&v.bad, &b));
	ck_assert_uint_eq(tessera_tileset_count(&v.unknown), unknown);
	ck_assert_uint_eq(tessera_tileset_count(&v.unusable), unusable);
	tessera_conf_free(conf);
}

START_TEST(of_a_node)
{
	static const char marks[] = "tessera-marks 1 sn30-8\nbad 7 time 1 uid 0 text -\nend 1\n";
	static const char *const avoid = "UnknownTiles = avoid";
	struct tessera_health health = one_source("0-31", "29", time(NULL));

	expect_node("", 0, "", 64, 0);
	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, NULL), 0);
	expect_node("", 0, "29", 32, 1);
	expect_node(avoid, 0, "29", 32, 33);
	write_file("marks", marks, 0644);
	expect_node("", 0, "7,29", 32, 2);
	/*
	 * A damaged file: the other one still applies, and with UnknownTiles = avoid all other
	 * tiles are unusable.
	 */
	write_file("health", TITLE, 0644);
	expect_node("", -1, "7", 63, 1);
	expect_node(avoid, -1, "7", 63, 64);
	ck_assert_int_eq(tessera_health_write(dir, platform("sn30-8"), &health, NULL), 0);
	write_file("marks", "?", 0644);
	expect_node("", -1, "29", 63, 1);
	expect_node(avoid, -1, "29", 63, 64);
	expect_node("UnknownTiles = avoid\nSnfadmCommand = \"\"", -1, "29", 63, 64);
	write_file("health", TITLE, 0644);
	expect_node("", -1, "", 64, 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, good_texts, 0, sizeof(good) / sizeof(good[0]));
	tcase_add_test(tcase, fields_are_read);
	tcase_add_loop_test(tcase, damaged_texts, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, truncated_texts);
	tcase_add_test(tcase, too_much);
	tcase_add_test(tcase, written_and_read);
	tcase_add_loop_test(tcase, invalid_utf8, 0, sizeof(bytes) / sizeof(bytes[0]));
	tcase_add_loop_test(tcase, cut_between_characters, 0, sizeof(cuts) / sizeof(cuts[0]));
	tcase_add_test(tcase, unsafe_owner_or_mode);
	tcase_add_test(tcase, invalid_is_not_written);
	tcase_add_loop_test(tcase, current_results, 0, sizeof(times) / sizeof(times[0]));
	tcase_add_test(tcase, several_results);
	tcase_add_test(tcase, the_largest_platform);
	tcase_add_test(tcase, of_a_node);
}

UNIT_MAIN("health", add_tests)
