/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/util/run.h"
#include "test/unit/unit.h"

START_TEST(splits_words)
{
	static const struct {
		const char *command;
		const char *want; /* the words, each followed by |; NULL: rejected */
	} cases[] = {
		{"/a", "/a|"},
		{"/a b", "/a|b|"},
		{"  /a\t b  \tc ", "/a|b|c|"},
		{"/a 'b c' $x;y", "/a|'b|c'|$x;y|"}, /* no shell syntax */
		{"", NULL},
		{" \t ", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *argv[RUN_WORDS_MAX + 1];
		char command[64], got[128] = "";
		struct tessera_error err = {0};

		snprintf(command, sizeof(command), "%s", cases[i].command);
		if (cases[i].want == NULL) {
			ck_assert_int_lt(run_words(command, argv, &err), 0);
			ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
			continue;
		}
		ck_assert_int_eq(run_words(command, argv, &err), 0);
		for (const char **word = argv; *word != NULL; word++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s|", *word);
		ck_assert_str_eq(got, cases[i].want);
	}
}
END_TEST

START_TEST(rejects_too_many_words)
{
	const char *argv[RUN_WORDS_MAX + 1];
	struct tessera_error err = {0};
	char command[4 * RUN_WORDS_MAX];

	for (int more = 0; more < 2; more++) {
		command[0] = '\0';
		for (int i = 0; i < RUN_WORDS_MAX + more; i++)
			strcat(command, "w ");
		ck_assert_int_eq(run_words(command, argv, &err), more ? -1 : 0);
	}
	ck_assert_str_eq(err.text, "w and its options have more than 32 words");
	ck_assert_ptr_null(argv[RUN_WORDS_MAX]);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, splits_words);
	tcase_add_test(tcase, rejects_too_many_words);
}

UNIT_MAIN("run_words", add_tests)
