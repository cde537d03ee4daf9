/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/util/error.h"
#include "test/unit/unit.h"

START_TEST(sets_code_and_text)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_error_set(&err, TESSERA_ERR_DENIED, "tile %d", 5), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_str_eq(err.text, "tile 5");
}
END_TEST

START_TEST(cuts_long_text)
{
	struct {
		struct tessera_error err;
		char fence[8];
	} s;
	char text[2 * sizeof(s.err.text)];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(s.fence, "intact!", sizeof(s.fence));

	tessera_error_set(&s.err, TESSERA_ERR_INPUT, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), sizeof(s.err.text) - 1);
	tessera_error_prefix(&s.err, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), sizeof(s.err.text) - 1);
	ck_assert_str_eq(s.fence, "intact!");
}
END_TEST

START_TEST(adds_prefix)
{
	struct tessera_error err = {0};

	tessera_error_set(&err, TESSERA_ERR_INPUT, "unknown key");
	ck_assert_int_eq(tessera_error_prefix(&err, "%s:%d", "tessera.conf", 7), -1);
	ck_assert_str_eq(err.text, "tessera.conf:7: unknown key");
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
}
END_TEST

START_TEST(replaces_control_characters)
{
	struct tessera_error err = {0};

	tessera_error_set(&err, TESSERA_ERR_INPUT, "%s", "rdu\033[2J\n\x7f\xc3\xa9");
	ck_assert_str_eq(err.text, "rdu?[2J??\xc3\xa9");
	tessera_error_prefix(&err, "%s", "a\tb");
	ck_assert_str_eq(err.text, "a?b: rdu?[2J??\xc3\xa9");
	/* C1, in UTF-8 and as a byte. */
	tessera_error_set(&err, TESSERA_ERR_INPUT, "%s", "\302\2332J\233");
	ck_assert_str_eq(err.text, "??2J?");
	tessera_error_prefix(&err, "%s", "\233a\302\205");
	ck_assert_str_eq(err.text, "?a??: ??2J?");
}
END_TEST

START_TEST(clears)
{
	struct tessera_error err = {0};

	tessera_error_set(&err, TESSERA_ERR_UNAVAILABLE, "gone");
	tessera_error_clear(&err);
	ck_assert_int_eq(err.code, TESSERA_OK);
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(accepts_null)
{
	ck_assert_int_eq(tessera_error_set(NULL, TESSERA_ERR_INPUT, "x"), -1);
	ck_assert_int_eq(tessera_error_prefix(NULL, "x"), -1);
	tessera_error_clear(NULL);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, sets_code_and_text);
	tcase_add_test(tcase, cuts_long_text);
	tcase_add_test(tcase, adds_prefix);
	tcase_add_test(tcase, replaces_control_characters);
	tcase_add_test(tcase, clears);
	tcase_add_test(tcase, accepts_null);
}

UNIT_MAIN("error", add_tests)
