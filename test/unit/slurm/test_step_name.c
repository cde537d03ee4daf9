/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/slurm/step_name.h"
#include "test/unit/unit.h"

/* The numbers that Slurm gives steps without a number of their own, in all releases. */
static const struct {
	uint32_t step;
	const char *name;
} steps[] = {
	{0, "12.0"},
	{7, "12.7"},
	{4294967290U, "12.interactive"},
	{4294967291U, "12.batch"},
	{4294967292U, "12.extern"},
};

START_TEST(names)
{
	char text[STEP_NAME_MAX];

	ck_assert_str_eq(step_name(12, steps[_i].step, text, sizeof(text)), steps[_i].name);
}
END_TEST

START_TEST(longest_name_fits)
{
	char text[STEP_NAME_MAX];

	ck_assert_str_eq(step_name(UINT32_MAX, 4294967290U, text, sizeof(text)),
			 "4294967295.interactive");
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, names, 0, sizeof(steps) / sizeof(steps[0]));
	tcase_add_test(tcase, longest_name_fits);
}

UNIT_MAIN("step_name", add_tests)
