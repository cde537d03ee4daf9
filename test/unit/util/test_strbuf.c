/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "lib/util/array.h"
#include "lib/util/strbuf.h"
#include "test/unit/unit.h"

START_TEST(appends)
{
	char buf[8] = "old";
	struct strbuf s = strbuf_start(buf, sizeof(buf));

	ck_assert_str_eq(buf, "");
	strbuf_put(&s, "%d", 12);
	strbuf_put(&s, ",%s", "abc");
	ck_assert_str_eq(buf, "12,abc");
	ck_assert(!strbuf_is_cut(&s));
	strbuf_put(&s, "d");
	ck_assert_str_eq(buf, "12,abcd");
	ck_assert(!strbuf_is_cut(&s));
}
END_TEST

/* The text stays terminated, and everything is counted. */
START_TEST(cuts_text)
{
	char buf[4 + 1] = {0, 0, 0, 0, 'x'};
	struct strbuf s = strbuf_start(buf, 4);

	strbuf_put(&s, "abcd");
	ck_assert_str_eq(buf, "abc");
	ck_assert(strbuf_is_cut(&s));
	strbuf_put(&s, "efg");
	ck_assert_str_eq(buf, "abc");
	ck_assert_uint_eq(s.used, 7);
	ck_assert_int_eq(buf[4], 'x');
}
END_TEST

START_TEST(counts_without_a_buffer)
{
	struct strbuf s = strbuf_start(NULL, 0);

	strbuf_put(&s, "%s", "abc");
	ck_assert_uint_eq(s.used, 3);
	ck_assert(strbuf_is_cut(&s));
}
END_TEST

START_TEST(grows_array)
{
	unsigned *list = NULL;

	for (size_t n = 0; n < 1000; n++) {
		unsigned *more = array_grow(list, n, sizeof(*list));

		ck_assert_ptr_nonnull(more);
		list = more;
		list[n] = (unsigned)n;
	}
	for (size_t n = 0; n < 1000; n++)
		ck_assert_uint_eq(list[n], n);
	free(list);
}
END_TEST

/* A size that overflows fails; it must not become a small array. */
START_TEST(rejects_overflow)
{
	ck_assert_ptr_null(array_grow(NULL, (SIZE_MAX >> 2) + 1, 8));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, appends);
	tcase_add_test(tcase, cuts_text);
	tcase_add_test(tcase, counts_without_a_buffer);
	tcase_add_test(tcase, grows_array);
	tcase_add_test(tcase, rejects_overflow);
}

UNIT_MAIN("strbuf", add_tests)
