/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/error.h"
#include "test/unit/unit.h"

START_TEST(set_keeps_code_and_text)
{
	struct tessera_error err = {0};

	ck_assert_int_eq(tessera_error_set(&err, TESSERA_ERR_DENIED, "tile %d", 5), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_DENIED);
	ck_assert_str_eq(err.text, "tile 5");
}
END_TEST

START_TEST(long_text_is_cut_not_overrun)
{
	struct {
		struct tessera_error err;
		char fence[8];
	} s;
	char text[2 * sizeof(s.err.text)];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(s.fence, "unhurt!", sizeof(s.fence));

	tessera_error_set(&s.err, TESSERA_ERR_INPUT, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), sizeof(s.err.text) - 1);
	tessera_error_prefix(&s.err, "%s", text);
	ck_assert_uint_eq(strlen(s.err.text), sizeof(s.err.text) - 1);
	ck_assert_str_eq(s.fence, "unhurt!");
}
END_TEST

START_TEST(prefix_says_where)
{
	struct tessera_error err = {0};

	tessera_error_set(&err, TESSERA_ERR_INPUT, "unknown key");
	ck_assert_int_eq(tessera_error_prefix(&err, "%s:%d", "tessera.conf", 7), -1);
	ck_assert_str_eq(err.text, "tessera.conf:7: unknown key");
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
}
END_TEST

START_TEST(control_characters_do_not_get_through)
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

START_TEST(clear_forgets)
{
	struct tessera_error err = {0};

	tessera_error_set(&err, TESSERA_ERR_MISSING, "gone");
	tessera_error_clear(&err);
	ck_assert_int_eq(err.code, TESSERA_OK);
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(nobody_listens)
{
	ck_assert_int_eq(tessera_error_set(NULL, TESSERA_ERR_INPUT, "x"), -1);
	ck_assert_int_eq(tessera_error_prefix(NULL, "x"), -1);
	tessera_error_clear(NULL);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, set_keeps_code_and_text);
	tcase_add_test(tcase, long_text_is_cut_not_overrun);
	tcase_add_test(tcase, prefix_says_where);
	tcase_add_test(tcase, control_characters_do_not_get_through);
	tcase_add_test(tcase, clear_forgets);
	tcase_add_test(tcase, nobody_listens);
}

UNIT_MAIN("error", add_tests)
