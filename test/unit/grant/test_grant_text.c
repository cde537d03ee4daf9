/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "test/unit/grant/grant_unit.h"

static void expect_same(const struct tessera_grant *a, const struct tessera_grant *b)
{
	ck_assert_str_eq(a->cluster, b->cluster);
	ck_assert_str_eq(a->node, b->node);
	ck_assert_uint_eq(a->job, b->job);
	ck_assert_uint_eq(a->restarts, b->restarts);
	ck_assert_uint_eq(a->step, b->step);
	ck_assert_uint_eq(a->uid, b->uid);
	ck_assert_int_eq(a->time, b->time);
	ck_assert_str_eq(a->platform, b->platform);
	ck_assert(tessera_tileset_equal(&a->tiles, &b->tiles));
	ck_assert_str_eq(a->partition, b->partition);
}

static void expect_round(const struct tessera_grant *g)
{
	char text[TESSERA_GRANT_TEXT_MAX];
	struct tessera_error err = {0};
	struct tessera_grant again;

	ck_assert_uint_lt(tessera_grant_format(g, text, sizeof(text)), sizeof(text));
	ck_assert_msg(tessera_grant_parse(text, &again, &err) == 0, "%s", err.text);
	expect_same(g, &again);
}

static void fill(char *buf, size_t len)
{
	memset(buf, 'x', len - 1);
	buf[len - 1] = '\0';
}

START_TEST(written_as_documented)
{
	struct tessera_grant g = two_rdus(), got;
	char text[TESSERA_GRANT_TEXT_MAX];

	ck_assert_uint_eq(tessera_grant_format(&g, text, sizeof(text)), strlen(two_rdus_text));
	ck_assert_str_eq(text, two_rdus_text);
	ck_assert_int_eq(tessera_grant_parse(two_rdus_text, &got, NULL), 0);
	expect_same(&g, &got);
}
END_TEST

START_TEST(a_partition)
{
	struct tessera_grant g = two_rdus();
	char text[TESSERA_GRANT_TEXT_MAX];

	snprintf(g.partition, sizeof(g.partition), "slurm_4711");
	expect_round(&g);
	tessera_tileset_clear(&g.tiles);
	g.platform[0] = '\0';
	expect_round(&g);
	tessera_grant_format(&g, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, " platform - tiles - partition slurm_4711"));
}
END_TEST

/* The maximum of every field, and the longest set of tiles: pairs. */
START_TEST(the_longest)
{
	struct tessera_grant g = two_rdus();

	fill(g.cluster, sizeof(g.cluster));
	fill(g.node, sizeof(g.node));
	fill(g.platform, sizeof(g.platform));
	fill(g.partition, sizeof(g.partition));
	g.job = g.restarts = g.step = g.uid = UINT32_MAX;
	g.time = INT64_MAX;
	for (unsigned step = 1; step <= 4; step++) {
		tessera_tileset_clear(&g.tiles);
		for (unsigned tile = 0; tile < TESSERA_TILES_MAX; tile += step)
			tessera_tileset_add_range(&g.tiles, tile, step > 2 ? 2 : 1);
		expect_round(&g);
	}
}
END_TEST

START_TEST(cut_to_fit)
{
	struct tessera_grant g = two_rdus();
	char text[sizeof(two_rdus_text)];

	for (size_t len = 0; len <= sizeof(two_rdus_text); len++) {
		memset(text, '#', sizeof(text));
		ck_assert_uint_eq(
			tessera_grant_format(&g, text, len < sizeof(text) ? len : sizeof(text)),
			sizeof(two_rdus_text) - 1);
		if (len > 0 && len < sizeof(text)) {
			ck_assert_uint_eq(strlen(text), len - 1);
			ck_assert_int_eq(text[len], '#');
		}
	}
}
END_TEST

/* A name is always one word in one line. */
START_TEST(names_are_words)
{
	struct tessera_grant g = two_rdus(), again;
	char text[TESSERA_GRANT_TEXT_MAX];

	snprintf(g.cluster, sizeof(g.cluster), "a b\tc\n\x1b\x7f\xc2\x9b\x9b\xc3\xa9");
	tessera_grant_format(&g, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, " cluster a?b?c??????\xc3\xa9 node "));
	ck_assert_int_eq(tessera_grant_parse(text, &again, NULL), 0);
	ck_assert_str_eq(again.cluster, "a?b?c??????\xc3\xa9");
}
END_TEST

START_TEST(cut_at_every_byte)
{
	char text[sizeof(two_rdus_text) + 1];
	struct tessera_grant got;

	for (size_t len = 0; len < sizeof(two_rdus_text) - 1; len++) {
		memcpy(text, two_rdus_text, len);
		text[len] = '\0';
		ck_assert_int_eq(tessera_grant_parse(text, &got, NULL), -1);
		ck_assert_uint_eq(got.job, 0);
	}
	snprintf(text, sizeof(text), "%s ", two_rdus_text);
	ck_assert_int_eq(tessera_grant_parse(text, &got, NULL), -1);
}
END_TEST

/* REPLACE a part of the valid text WITH an invalid one. */
static const struct {
	const char *replace;
	const char *with;
} damages[] = {
	{"tessera-grant 1", "tessera-grant 2"},
	{"tessera-grant 1", "tessera-grant 1 "},
	{"tessera-grant", "Tessera-grant"},
	{"cluster lab", "cluster "},
	{"cluster lab", "cluster l b"},
	{"cluster lab", "cluster l\tb"},
	{"cluster lab", "cluster l\nb"},
	{"cluster lab", "cluster l\x7f"},
	{" cluster", "  cluster"},
	{" cluster lab", ""},
	{"cluster lab node sn30-r1-h1", "node sn30-r1-h1 cluster lab"},
	{"job 4711", "job 0"},
	{"job 4711", "job 04711"},
	{"job 4711", "job +4711"},
	{"job 4711", "job -1"},
	{"job 4711", "job 4294967296"},
	{"job 4711", "job 0x1267"},
	{"job 4711", "job"},
	{"restarts 2", "restarts -"},
	{"restarts 2", "restarts 4294967296"},
	{" restarts 2", ""},
	{"step 0", "step 00"},
	{"step 0", "step batch"},
	{"uid 1001", "uid 18446744073709551616"},
	{"uid 1001", "uid 1001 uid 0"},
	{"time 1731750000", "time -1"},
	{"time 1731750000", "time 9223372036854775808"},
	{"time 1731750000", "time 1731750000.5"},
	{"platform sn30-8", "platform -"},
	{"tiles 0-15", "tiles -"},
	{"tiles 0-15", "tiles 0-1024"},
	{"tiles 0-15", "tiles 15-0"},
	{"tiles 0-15", "tiles 0-7,8-15"},
	{"tiles 0-15", "tiles 0-15,"},
	{"tiles 0-15", "tiles 8-15,0-7"},
	{"tiles 0-15", "tiles 0-15,3"},
	{"tiles 0-15", "tiles 0xffff"},
	{"tiles 0-15", "tiles rdu0"},
	{"tiles 0-15", "tiles 0.0-15"},
	{"tiles 0-15", "tiles 0-15-20"},
	{"platform sn30-8 tiles 0-15", "platform - tiles -"},
	{"partition -", "partition"},
	{"partition -", "partition - "},
	{"partition -", "partition -\n"},
	{"partition -", "partition a b"},
	{" partition -", ""},
};

START_TEST(damaged)
{
	const char *replace = damages[_i].replace, *with = damages[_i].with;
	const char *at = strstr(two_rdus_text, replace);
	struct tessera_error err = {0};
	struct tessera_grant got;
	char text[512];

	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - two_rdus_text), two_rdus_text, with,
		 at + strlen(replace));
	ck_assert_msg(tessera_grant_parse(text, &got, &err) == -1, "%s", text);
	ck_assert_int_eq(err.code, TESSERA_ERR_FORGED);
	ck_assert_uint_eq(got.job, 0);
	ck_assert_uint_eq(got.uid, 0);
	ck_assert(tessera_tileset_empty(&got.tiles));
}
END_TEST

/* The longest names, and names one byte longer. */
START_TEST(names_that_are_too_long)
{
	static const struct {
		const char *key;
		size_t room;
	} names[] = {
		{" cluster lab", sizeof(((struct tessera_grant *)0)->cluster)},
		{" node sn30-r1-h1", sizeof(((struct tessera_grant *)0)->node)},
		{" platform sn30-8", sizeof(((struct tessera_grant *)0)->platform)},
		{" partition -", sizeof(((struct tessera_grant *)0)->partition)},
		{" tiles 0-15", TESSERA_GRANT_TEXT_MAX},
	};
	static char text[2 * TESSERA_GRANT_TEXT_MAX], word[TESSERA_GRANT_TEXT_MAX + 1];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = strstr(two_rdus_text, names[i].key);
		int key = (int)(strchr(names[i].key + 1, ' ') + 1 - names[i].key);
		struct tessera_grant got;

		ck_assert_ptr_nonnull(at);
		fill(word, names[i].room);
		snprintf(text, sizeof(text), "%.*s%.*s%s%s", (int)(at - two_rdus_text),
			 two_rdus_text, key, names[i].key, word, at + strlen(names[i].key));
		ck_assert_int_eq(tessera_grant_parse(text, &got, NULL), i < 4 ? 0 : -1);
		fill(word, names[i].room + 1);
		snprintf(text, sizeof(text), "%.*s%.*s%s%s", (int)(at - two_rdus_text),
			 two_rdus_text, key, names[i].key, word, at + strlen(names[i].key));
		ck_assert_int_eq(tessera_grant_parse(text, &got, NULL), -1);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, written_as_documented);
	tcase_add_test(tcase, a_partition);
	tcase_add_test(tcase, the_longest);
	tcase_add_test(tcase, cut_to_fit);
	tcase_add_test(tcase, names_are_words);
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_loop_test(tcase, damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, names_that_are_too_long);
}

UNIT_MAIN("grant_text", add_tests)
