/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/util/utf8.h"
#include "test/unit/unit.h"

static const struct {
	const char *from, *to;
} texts[] = {
	{"", ""},
	{" ~", " ~"},
	{"\x01\t\n\r\x1b[2J\x1f\x7f", "?????[2J??"},
	/* C1, encoded as UTF-8 and as single bytes. */
	{"\302\200 \302\2332J \302\237", "?? ??2J ??"},
	{"\200 \2332J \237", "? ?2J ?"},
	{"\xc2\xa0 \xc3\xa9", "\xc2\xa0 \xc3\xa9"}, /* U+00A0 is the first after C1 */
	/* Line separators, and marks that change the text direction. */
	{"\xe2\x80\xa7 \xe2\x80\xa8 \xe2\x80\xae \xe2\x80\xac \xe2\x80\xaf",
	 "\xe2\x80\xa7 ??? ??? ??? \xe2\x80\xaf"},
	{"\xe2\x81\xa5 \xe2\x81\xa6 \xe2\x81\xa9 \xe2\x81\xaa",
	 "\xe2\x81\xa5 ??? ??? \xe2\x81\xaa"},
	/* Invalid UTF-8. */
	{"a\xff\xfe", "a??"},
	{"a\xc2", "a?"},
	{"\xe2\x82", "??"},
	{"\xf0\x9f\x94\xa5 \xf0\x9f\x94", "\xf0\x9f\x94\xa5 ???"},
	{"\xc0\x9b \xc1\xbf \xe0\x82\x9b", "?? ?? ???"}, /* overlong */
	{"\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????"},
};

START_TEST(cleans)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", texts[_i].from);
	ck_assert(utf8_is_clean(text) == (strcmp(texts[_i].from, texts[_i].to) == 0));
	utf8_clean(text);
	ck_assert_str_eq(text, texts[_i].to);
	ck_assert(utf8_is_clean(text));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, cleans, 0, sizeof(texts) / sizeof(texts[0]));
}

UNIT_MAIN("utf8", add_tests)
