/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of every unit test program: one suite of test cases, which check runs and ./check
 * counts.
 */
#ifndef TESSERA_UNIT_H
#define TESSERA_UNIT_H

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* How many files this process has open; two calls can be compared. */
static inline unsigned open_files(void)
{
	DIR *stream = opendir("/proc/self/fd");
	unsigned count = 0;

	ck_assert_ptr_nonnull(stream);
	while (readdir(stream) != NULL)
		count++;
	closedir(stream);
	return count;
}

/*
 * A test program ends with: UNIT_MAIN("name", add_tests) where add_tests(TCase *) adds its tests.
 */
#define UNIT_MAIN(name, add_tests)                                \
	int main(void)                                            \
	{                                                         \
		Suite *suite = suite_create(name);                \
		TCase *tcase = tcase_create(name);                \
		SRunner *runner = srunner_create(suite);          \
		int failed;                                       \
                                                                  \
		tcase_set_timeout(tcase, 120);                    \
		add_tests(tcase);                                 \
		suite_add_tcase(suite, tcase);                    \
		srunner_run_all(runner, CK_NORMAL);               \
		failed = srunner_ntests_failed(runner);           \
		srunner_free(runner);                             \
		return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE; \
	}

#endif /* TESSERA_UNIT_H */
