/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "command/view/table.h"
#include "test/unit/unit.h"

static const struct table_column columns[] = {
	{"user", "USER", TABLE_TEXT, true},
	{"jobs", "JOBS", TABLE_NUMBER, true},
	{"wait", "WAIT", TABLE_TEXT, false},
};

static char *printed;
static size_t printed_size;

/* Print two rows; the second one has only its user. */
static const char *print(const char *chosen, enum table_form form, bool rows)
{
	struct tessera_error err = {0};
	struct table *t = table_new(columns, 3, chosen, form, "people", &err);
	FILE *out;

	free(printed);
	out = open_memstream(&printed, &printed_size);
	ck_assert_ptr_nonnull(out);
	ck_assert_msg(t != NULL, "%s", err.text);
	if (rows) {
		ck_assert_int_eq(table_row(t, &err), 0);
		ck_assert_int_eq(table_set(t, 0, "ann \"x\", y", &err), 0);
		ck_assert_int_eq(table_set(t, 1, "12", &err), 0);
		ck_assert_int_eq(table_set(t, 2, "3 h", &err), 0);
		ck_assert_int_eq(table_set_colour(t, 2, "red"), 0);
		ck_assert_int_eq(table_row(t, &err), 0);
		ck_assert_int_eq(table_set(t, 0, "bob", &err), 0);
		ck_assert_int_eq(table_set(t, 1, NULL, &err), 0);
	}
	ck_assert_int_eq(table_print(t, out, &err), 0);
	table_free(t);
	fclose(out);
	return printed;
}

START_TEST(a_person_sees_the_usual_columns)
{
	ck_assert_str_eq(print(NULL, TABLE_PLAIN, true), "USER       JOBS\n"
							 "ann \"x\", y   12\n"
							 "bob           -\n");
}
END_TEST

START_TEST(columns_are_chosen_and_added)
{
	ck_assert_str_eq(print("jobs,user", TABLE_RAW, true),
			 "JOBS USER\n12 ann\\x20\"x\",\\x20y\n- bob\n");
	ck_assert_str_eq(print("+wait", TABLE_RAW, true), "USER JOBS WAIT\n"
							  "ann\\x20\"x\",\\x20y 12 3\\x20h\n"
							  "bob - -\n");
	ck_assert_str_eq(print("wait", TABLE_CSV, true), "wait\n3 h\n\n");
}
END_TEST

/* A cell can contain any text of a user, in every form. */
START_TEST(cells_control_no_terminal)
{
	static const enum table_form forms[] = {TABLE_PLAIN, TABLE_RAW, TABLE_CSV, TABLE_JSON};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct table *t = table_new(columns, 3, "wait", forms[i], "people", NULL);
		char text[512] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		ck_assert(t != NULL && out != NULL);
		ck_assert_int_eq(table_row(t, NULL), 0);
		ck_assert_int_eq(table_set(t, 2, "a\302\233b\233c\nd\033e", NULL), 0);
		ck_assert_int_eq(table_print(t, out, NULL), 0);
		fclose(out);
		table_free(t);
		ck_assert_msg(strstr(text, "a??b?c?d?e") != NULL, "%s", text);
	}
}
END_TEST

START_TEST(csv_has_all_and_quotes)
{
	ck_assert_str_eq(print(NULL, TABLE_CSV, true),
			 "user,jobs,wait\n\"ann \"\"x\"\", y\",12,3 h\nbob,,\n");
}
END_TEST

/* The text without white space, because the indentation does not matter. */
static const char *dense(const char *text)
{
	static char buf[512];
	size_t used = 0;

	for (; *text != '\0'; text++)
		if (*text != ' ' && *text != '\n')
			buf[used++] = *text;
	buf[used] = '\0';
	return buf;
}

START_TEST(json_is_a_list_with_numbers_and_null)
{
	const char *text = print(NULL, TABLE_JSON, true);

	ck_assert_str_eq(dense(text), "[{\"user\":\"ann\\\"x\\\",y\",\"jobs\":12,\"wait\":\"3h\"},"
				      "{\"user\":\"bob\",\"jobs\":null,\"wait\":null}]");
	ck_assert_int_eq(text[strlen(text) - 1], '\n');
}
END_TEST

START_TEST(an_empty_table_is_a_header_or_an_empty_list)
{
	ck_assert_str_eq(print(NULL, TABLE_PLAIN, false), "USER JOBS\n");
	ck_assert_str_eq(print(NULL, TABLE_RAW, false), "USER JOBS\n");
	ck_assert_str_eq(print(NULL, TABLE_CSV, false), "user,jobs,wait\n");
	ck_assert_str_eq(dense(print(NULL, TABLE_JSON, false)), "[]");
}
END_TEST

static void refuse(const char *chosen, const char *sentence)
{
	struct tessera_error err = {0};

	ck_assert_ptr_null(table_new(columns, 3, chosen, TABLE_PLAIN, "people", &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_USAGE);
	ck_assert_str_eq(err.text, sentence);
}

START_TEST(columns_that_are_not_there)
{
	refuse("user,nojobs", "unknown column 'nojobs': use some of: user jobs wait");
	refuse("use", "unknown column 'use': use some of: user jobs wait");
	refuse("", "unknown column '': use some of: user jobs wait");
	refuse("user,", "unknown column '': use some of: user jobs wait");
	refuse("+", "unknown column '': use some of: user jobs wait");
	refuse("wait,user,wait", "column 'wait' is chosen twice");
	refuse("+user", "column 'user' is chosen twice");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, a_person_sees_the_usual_columns);
	tcase_add_test(tcase, columns_are_chosen_and_added);
	tcase_add_test(tcase, cells_control_no_terminal);
	tcase_add_test(tcase, csv_has_all_and_quotes);
	tcase_add_test(tcase, json_is_a_list_with_numbers_and_null);
	tcase_add_test(tcase, an_empty_table_is_a_header_or_an_empty_list);
	tcase_add_test(tcase, columns_that_are_not_there);
}

UNIT_MAIN("table", add_tests)
