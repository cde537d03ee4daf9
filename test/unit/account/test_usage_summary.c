/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/account/usage_summary.h"
#include "test/unit/unit.h"

#define ONE                                                                                   \
	"{\"tessera\":1,\"nodes\":{\"sn30-r1-h1\":{\"tile\":1234,\"ipu\":null,\"outside\":0," \
	"\"seen\":3600}}}"
#define TWO                                                                                   \
	"{\"tessera\":1,\"nodes\":{\"sn30-r1-h1\":{\"tile\":1234,\"ipu\":null,\"outside\":0," \
	"\"seen\":3600},"                                                                     \
	"\"sn30-r1-h2\":{\"tile\":6,\"ipu\":null,\"outside\":5,\"seen\":40}}}"

static const struct tessera_sample_record first = {
	.has_tiles = true, .tile_seconds = 1234, .seen = 3600};
static const struct tessera_sample_record second = {
	.has_tiles = true, .tile_seconds = 6, .outside_seconds = 5, .seen = 40};

static void expect_unknown(const struct tessera_usage_summary *s)
{
	ck_assert_uint_eq(s->nodes, 0);
	ck_assert_uint_eq(s->tile_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s->ipu_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s->outside_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s->seen_seconds, TESSERA_UNKNOWN);
}

/* Expect that merging USED of NODE into COMMENT gives MERGED. */
static void expect_merged(const char *merged, const char *comment, const char *node,
			  const struct tessera_sample_record *used)
{
	struct tessera_error err = {0};
	char *got = tessera_usage_summary_merge(comment, node, used, &err);

	ck_assert_ptr_nonnull(got);
	ck_assert_str_eq(got, merged);
	free(got);
}

/* The example of lib/account/usage_summary.h. */
START_TEST(as_documented)
{
	struct tessera_usage_summary s;
	struct tessera_error err = {0};

	expect_merged(ONE, NULL, "sn30-r1-h1", &first);
	expect_merged(ONE, "", "sn30-r1-h1", &first);
	ck_assert_int_eq(tessera_usage_summary_read(ONE, &s, &err), 0);
	ck_assert_uint_eq(s.nodes, 1);
	ck_assert_uint_eq(s.tile_seconds, 1234);
	ck_assert_uint_eq(s.ipu_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s.outside_seconds, 0);
	ck_assert_uint_eq(s.seen_seconds, 3600);
}
END_TEST

START_TEST(several_nodes)
{
	struct tessera_usage_summary s;
	struct tessera_error err = {0};

	expect_merged(TWO, ONE, "sn30-r1-h2", &second);
	ck_assert_int_eq(tessera_usage_summary_read(TWO, &s, &err), 0);
	ck_assert_uint_eq(s.nodes, 2);
	ck_assert_uint_eq(s.tile_seconds, 1240);
	ck_assert_uint_eq(s.outside_seconds, 5);
	ck_assert_uint_eq(s.seen_seconds, 3640);
	/* Merging again changes nothing, for the first and the last node. */
	expect_merged(TWO, TWO, "sn30-r1-h1", &first);
	expect_merged(TWO, TWO, "sn30-r1-h2", &second);
	/* A prefix of a node's name is another node. */
	expect_merged("{\"tessera\":1,\"nodes\":{\"sn30-r1-h1\":{\"tile\":1234,\"ipu\":null,"
		      "\"outside\":0,"
		      "\"seen\":3600},\"sn30-r1-h\":{\"tile\":6,\"ipu\":null,\"outside\":5,"
		      "\"seen\":40}}}",
		      ONE, "sn30-r1-h", &second);
	expect_merged("{\"tessera\":1,\"nodes\":{\"sn30-r1-h1\":{\"tile\":1234,\"ipu\":null,"
		      "\"outside\":0,"
		      "\"seen\":3600},\"sn30-r1-h12\":{\"tile\":6,\"ipu\":null,\"outside\":5,"
		      "\"seen\":40}}}",
		      ONE, "sn30-r1-h12", &second);
}
END_TEST

START_TEST(has_node)
{
	ck_assert(tessera_usage_summary_has(TWO, "sn30-r1-h1"));
	ck_assert(tessera_usage_summary_has("by joe " TWO, "sn30-r1-h2"));
	ck_assert(!tessera_usage_summary_has(ONE, "sn30-r1-h2"));
	ck_assert(!tessera_usage_summary_has(TWO, "sn30-r1-h"));
	ck_assert(!tessera_usage_summary_has("\"sn30-r1-h1\":{", "sn30-r1-h1"));
	ck_assert(!tessera_usage_summary_has(NULL, "sn30-r1-h1"));
}
END_TEST

/* One node with unknown use makes the sum unknown, not 0. */
START_TEST(unknown_is_not_zero)
{
	const struct tessera_sample_record nothing = {
		.seen = 7, .tile_seconds = 5, .ipu_seconds = 5, .outside_seconds = 5};
	const struct tessera_sample_record mark = {.has_tiles = true, .has_ipus = true};
	const struct tessera_sample_record ipus = {.has_ipus = true, .ipu_seconds = 9, .seen = 8};
	struct tessera_usage_summary s;
	struct tessera_error err = {0};
	char *text = tessera_usage_summary_merge(ONE, "b", &nothing, &err);

	ck_assert_ptr_nonnull(
		strstr(text, "\"b\":{\"tile\":null,\"ipu\":null,\"outside\":null,\"seen\":7}"));
	ck_assert_int_eq(tessera_usage_summary_read(text, &s, &err), 0);
	ck_assert_uint_eq(s.nodes, 2);
	ck_assert_uint_eq(s.tile_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s.outside_seconds, TESSERA_UNKNOWN);
	ck_assert_uint_eq(s.seen_seconds, 3607);
	free(text);
	text = tessera_usage_summary_merge(NULL, "b", &ipus, &err);
	ck_assert_str_eq(text, "{\"tessera\":1,\"nodes\":{\"b\":{\"tile\":null,\"ipu\":9,"
			       "\"outside\":null,\"seen\":8}}}");
	ck_assert_int_eq(tessera_usage_summary_read(text, &s, &err), 0);
	ck_assert_uint_eq(s.ipu_seconds, 9);
	free(text);
	text = tessera_usage_summary_merge(NULL, "b", &mark, &err);
	ck_assert_str_eq(text, "{\"tessera\":1,\"nodes\":{\"b\":{\"tile\":null,\"ipu\":null,"
			       "\"outside\":null,\"seen\":0}}}");
	free(text);
}
END_TEST

/* Other text before and after ours, with braces and quotes, is preserved. */
static const struct {
	const char *before, *behind;
} others[] = {
	{"drained by joe: disk", ""},
	{"", " seen by joe"},
	{"{\"ticket\":12} ", " {\"x\":{\"y\":\"}}\"}}"},
	{"it's \"100 %\" \\n %s ", "\xc3\xa9"},
	{"{\"tessera\" ", ""},
};

START_TEST(others_text)
{
	struct tessera_usage_summary s;
	struct tessera_error err = {0};
	char before[512], wanted[1024];

	snprintf(before, sizeof(before), "%s%s", others[_i].before, others[_i].behind);
	ck_assert_int_eq(tessera_usage_summary_read(before, &s, &err), 1);
	expect_unknown(&s);
	snprintf(wanted, sizeof(wanted), "%s %s", before, ONE);
	expect_merged(wanted, before, "sn30-r1-h1", &first);
	/* Our object in the middle. */
	snprintf(before, sizeof(before), "%s%s%s", others[_i].before, ONE, others[_i].behind);
	snprintf(wanted, sizeof(wanted), "%s%s%s", others[_i].before, TWO, others[_i].behind);
	ck_assert_int_eq(tessera_usage_summary_read(before, &s, &err), 0);
	ck_assert_uint_eq(s.tile_seconds, 1234);
	expect_merged(wanted, before, "sn30-r1-h2", &second);
}
END_TEST

static const struct {
	const char *from, *to;
} damages[] = {
	{"\":1,", "\":2,"},
	{"\":1,", "\":null,"},
	{"1234", "-1"},
	{"1234", "01"},
	{"1234", "1.5"},
	{"1234", "1000000000000001"},
	{"1234", "18446744073709551615"},
	{"1234", ""},
	{"null", "nul"},
	{"\"ipu\"", "\"upi\""},
	{"sn30-r1-h1", ""},
	{"sn30-r1-h1", "a\\\"b"},
	{"sn30-r1-h1", "a b"},
	{"3600", "3600,\"more\":1"},
	{"3600}", "3600},"},
	{"}}}", "}}"},
	{"\"sn30-r1-h1\":{\"tile\":1234,\"ipu\":null,\"outside\":0,\"seen\":3600}", ""},
};

/* A damaged object is unknown and preserved; a new one is appended, and read from then on. */
START_TEST(damaged)
{
	const char *at = strstr(ONE, damages[_i].from);
	struct tessera_usage_summary s;
	struct tessera_error err = {0};
	char text[512], wanted[1024];

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - ONE), ONE, damages[_i].to,
		 at + strlen(damages[_i].from));
	ck_assert_msg(tessera_usage_summary_read(text, &s, &err) == -1, "%s", text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	expect_unknown(&s);
	snprintf(wanted, sizeof(wanted), "%s %s", text, ONE);
	expect_merged(wanted, text, "sn30-r1-h1", &first);
	ck_assert_int_eq(tessera_usage_summary_read(wanted, &s, &err), 0);
	ck_assert_uint_eq(s.tile_seconds, 1234);
}
END_TEST

START_TEST(cut_at_every_byte)
{
	struct tessera_usage_summary s;
	char text[512] = TWO;

	for (size_t len = strlen(TWO) - 1; len > 0; len--) {
		text[len] = '\0';
		ck_assert_int_ne(tessera_usage_summary_read(text, &s, NULL), 0);
		expect_unknown(&s);
	}
	ck_assert_int_eq(tessera_usage_summary_read(NULL, &s, NULL), 1);
	expect_unknown(&s);
}
END_TEST

START_TEST(refused)
{
	static const char *const names[] = {"", "a\"b", "a\\", "a b", "a{", "h\xc3\xb6st"};
	struct tessera_sample_record large = first;
	struct tessera_error err = {0};
	char name[300], comment[65600], *text;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert_ptr_null(tessera_usage_summary_merge(ONE, names[i], &first, &err));
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	}
	memset(name, 'a', sizeof(name));
	name[256] = '\0';
	ck_assert_ptr_null(tessera_usage_summary_merge(ONE, name, &first, &err));
	large.tile_seconds = TESSERA_SECONDS_MAX + 1;
	ck_assert_ptr_null(tessera_usage_summary_merge(ONE, "a", &large, &err));
	/* A comment of exactly slurmdbd's limit is accepted, a longer one is not. */
	memset(comment, 'x', sizeof(comment));
	comment[65535 - 1 - strlen(ONE)] = '\0';
	text = tessera_usage_summary_merge(comment, "sn30-r1-h1", &first, &err);
	ck_assert_ptr_nonnull(text);
	free(text);
	comment[65535 - 1 - strlen(ONE)] = 'x';
	comment[65535 - strlen(ONE)] = '\0';
	ck_assert_ptr_null(tessera_usage_summary_merge(comment, "sn30-r1-h1", &first, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "65536"));
}
END_TEST

/* The longest name and the largest numbers fit, and are read back. */
START_TEST(the_longest)
{
	const struct tessera_sample_record most = {.has_tiles = true,
						   .has_ipus = true,
						   .tile_seconds = TESSERA_SECONDS_MAX,
						   .ipu_seconds = TESSERA_SECONDS_MAX,
						   .outside_seconds = TESSERA_SECONDS_MAX,
						   .seen = TESSERA_SECONDS_MAX};
	struct tessera_usage_summary s;
	struct tessera_error err = {0};
	char name[256], *text;

	memset(name, 'a', 255);
	name[255] = '\0';
	text = tessera_usage_summary_merge(TWO, name, &most, &err);
	ck_assert_int_eq(tessera_usage_summary_read(text, &s, &err), 0);
	ck_assert_uint_eq(s.nodes, 3);
	ck_assert_uint_eq(s.tile_seconds, TESSERA_SECONDS_MAX + 1240);
	ck_assert_uint_eq(s.seen_seconds, TESSERA_SECONDS_MAX + 3640);
	free(text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, as_documented);
	tcase_add_test(tcase, several_nodes);
	tcase_add_test(tcase, has_node);
	tcase_add_test(tcase, unknown_is_not_zero);
	tcase_add_loop_test(tcase, others_text, 0, sizeof(others) / sizeof(others[0]));
	tcase_add_loop_test(tcase, damaged, 0, sizeof(damages) / sizeof(damages[0]));
	tcase_add_test(tcase, cut_at_every_byte);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, the_longest);
}

UNIT_MAIN("summary", add_tests)
