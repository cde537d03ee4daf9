/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/conf/pool.h"
#include "test/unit/unit.h"

static struct tessera_pool make_pool(unsigned max, const char *sizes)
{
	struct tessera_pool pool = {.name = "p", .option = "opt", .license = "lic", .max = max};

	snprintf(pool.sizes, sizeof(pool.sizes), "%s", sizes);
	return pool;
}

static void expect_valid(const struct tessera_pool *pool)
{
	struct tessera_error err = {0};

	ck_assert_msg(tessera_pool_check(pool, &err) == 0, "%s", err.text);
}

static void expect_rejected(const struct tessera_pool *pool, const char *message)
{
	struct tessera_error err = {0};

	ck_assert_msg(tessera_pool_check(pool, &err) == -1, "'%s' is accepted", message);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, message) != NULL, "no '%s' in '%s'", message, err.text);
	ck_assert_int_eq(tessera_pool_check(pool, NULL), -1);
}

/* Sizes, and whether they allow each count from 0 to 9: one character each. */
static const struct sizes {
	unsigned max;
	const char *sizes;
	const char *allowed;
} sizes[] = {
	{9, "any", "0111111111"},
	{3, "any", "0111000000"},
	{9, "powers", "0110100010"},
	{7, "powers", "0110100000"},
	{9, "3", "0001000000"},
	{9, "1,2,4-6", "0110111000"},
	{5, "1,2,4-6", "0110110000"},
	{9, " 1, 2 ,8", "0110000010"},
	{9, "4-4", "0000100000"},
	{9, "2-4294967295", "0011111111"},
	{9, "2,4294967297", "0010000000"},
	{1, "1,99999999999999999999999", "0100000000"},
	{9, "2,2,1-2", "0110000000"},
	{9, "9,1", "0100000001"},
};

START_TEST(allows_sizes)
{
	struct tessera_pool pool = make_pool(sizes[_i].max, sizes[_i].sizes);

	expect_valid(&pool);
	for (unsigned count = 0; count < 10; count++) {
		struct tessera_error err = {0};
		bool want = sizes[_i].allowed[count] == '1';

		ck_assert_msg((tessera_pool_allows(&pool, count, &err) == 0) == want, "%s: %u: %s",
			      sizes[_i].sizes, count, err.text);
		ck_assert_int_eq(err.code, want ? TESSERA_OK : TESSERA_ERR_INPUT);
	}
	ck_assert_int_eq(tessera_pool_allows(&pool, 4294967295U, NULL), -1);
}
END_TEST

START_TEST(lists_allowed_sizes)
{
	static const struct {
		const char *sizes;
		unsigned count;
		const char *messages[3];
	} rows[] = {
		{"any", 10, {"--opt=10", "exceeds the 9", "--opt=9 or fewer"}},
		{"powers", 3, {"--opt=3", "valid size for p", "powers of two"}},
		{"1,2,4-6", 3, {"--opt=3", "valid size for p", "1,2,4-6"}},
		{"any", 0, {"--opt=0", "valid size for p", "1 or more"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tessera_pool pool = make_pool(9, rows[i].sizes);
		struct tessera_error err = {0};

		ck_assert_int_eq(tessera_pool_allows(&pool, rows[i].count, &err), -1);
		for (size_t n = 0; n < 3; n++)
			ck_assert_msg(strstr(err.text, rows[i].messages[n]) != NULL,
				      "no '%s' in '%s'", rows[i].messages[n], err.text);
	}
}
END_TEST

START_TEST(rejects_wrong_sizes)
{
	static const char *const unreadable[] = {"",     ",",   "1,,2",  "0",    "0-3", "3-1",
						 "x",    "1x",  "1-",    "-1",   "1-x", "1 2",
						 "anyx", "1;2", "1,2-x", "any,1"};
	struct tessera_pool pool;

	for (size_t i = 0; i < sizeof(unreadable) / sizeof(unreadable[0]); i++) {
		pool = make_pool(9, unreadable[i]);
		expect_rejected(&pool, "cannot be read");
	}
	pool = make_pool(9, "10,20-30");
	expect_rejected(&pool, "Sizes = 10,20-30 allows nothing up to Max = 9");
	pool = make_pool(0, "any");
	expect_rejected(&pool, "pool p has no Max");
}
END_TEST

START_TEST(checks_options)
{
	static const char *const good[] = {"a", "csx", "a-b2", "x9-"};
	static const char *const wrong[] = {"", "-a", "9a", "A", "aB", "a_b", "a b", "a.b", "a@b"};
	static const char *const taken[] = {"ipus",          "ipu-gcds",  "tiles-per-task",
					    "tile-affinity", "tile-bind", "gres",
					    "licenses",      "mask",      "partition"};
	struct tessera_pool pool = make_pool(1, "any");

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(pool.option, sizeof(pool.option), "%s", good[i]);
		expect_valid(&pool);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(pool.option, sizeof(pool.option), "%s", wrong[i]);
		expect_rejected(&pool, "lower-case letters");
	}
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		snprintf(pool.option, sizeof(pool.option), "%s", taken[i]);
		expect_rejected(&pool, "that option already exists");
	}
}
END_TEST

START_TEST(rejects_wrong_variables)
{
	static const struct {
		const char *text;
		const char *message;
	} rows[] = {
		{"A", "'A'"},
		{"=1", "'=1'"},
		{"A=1 B", "'B'"},
		{"1A=1", "'1A=1'"},
		{"A-B=1", "'A-B=1'"},
		{"A=1,=2", "'=2'"},
		{"A=%", "a % in 'A=%'"},
		{"A=%x", "a % in 'A=%x'"},
		{"A=%c% B=1", "a % in 'A=%c%'"},
		{"A=%%c", "a % in"},
	};
	struct tessera_pool pool = make_pool(1, "any");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(pool.variables, sizeof(pool.variables), "%s", rows[i].text);
		expect_rejected(&pool, rows[i].message);
	}
}
END_TEST

static void expect_variable(const struct tessera_pool *pool, size_t n, const char *name,
			    const char *value)
{
	char got[64], text[64];

	ck_assert_msg(tessera_pool_variable(pool, n, 12, 4294967295U, got, sizeof(got), text,
					    sizeof(text)),
		      "there is no variable %zu", n);
	ck_assert_str_eq(got, name);
	ck_assert_str_eq(text, value);
}

START_TEST(expands_variables)
{
	struct tessera_pool pool = make_pool(16, "any");
	char name[8], value[8];

	expect_valid(&pool);
	ck_assert(!tessera_pool_variable(&pool, 0, 1, 1, name, sizeof(name), value, sizeof(value)));
	snprintf(pool.variables, sizeof(pool.variables), "%s",
		 " _A=%c, B2=x%cy%jz%p  EMPTY= ,URL=http://h:1/?a=%p");
	expect_valid(&pool);
	expect_variable(&pool, 0, "_A", "12");
	expect_variable(&pool, 1, "B2", "x12y4294967295zp");
	expect_variable(&pool, 2, "EMPTY", "");
	expect_variable(&pool, 3, "URL", "http://h:1/?a=p");
	ck_assert(!tessera_pool_variable(&pool, 4, 1, 1, name, sizeof(name), value, sizeof(value)));
}
END_TEST

START_TEST(cuts_variables)
{
	struct tessera_pool pool = make_pool(16, "any");
	char name[5], value[9];

	snprintf(pool.variables, sizeof(pool.variables), "LONGNAME=abc%%jdef");
	for (size_t len = 1; len < sizeof(value) - 1; len++) {
		memset(value, '#', sizeof(value));
		memset(name, '#', sizeof(name));
		ck_assert(tessera_pool_variable(&pool, 0, 1, 12345, name, 4, value, len));
		ck_assert_str_eq(name, "LON");
		ck_assert_int_eq(name[4], '#');
		ck_assert_uint_eq(strlen(value), len - 1);
		ck_assert(strncmp(value, "abc12345def", len - 1) == 0);
		ck_assert_int_eq(value[len], '#');
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, allows_sizes, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(tcase, lists_allowed_sizes);
	tcase_add_test(tcase, rejects_wrong_sizes);
	tcase_add_test(tcase, checks_options);
	tcase_add_test(tcase, rejects_wrong_variables);
	tcase_add_test(tcase, expands_variables);
	tcase_add_test(tcase, cuts_variables);
}

UNIT_MAIN("pool", add_tests)
