/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of jobs' V-IPU partitions. */
#include "config.h"

#include "lib/conf/conf_vipu.h"
#include "test/unit/unit.h"

static const struct tessera_vipu_site site = {.prefix = "slurm_"};

START_TEST(formats_and_parses_names)
{
	static const uint32_t jobs[] = {1, 42, 4711, 67108863, UINT32_MAX};
	char name[TESSERA_PARTITION_MAX];

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		tessera_vipu_partition_name(&site, jobs[i], name, sizeof(name));
		ck_assert_uint_eq(tessera_vipu_partition_job(&site, name), jobs[i]);
	}
	tessera_vipu_partition_name(&site, 4711, name, sizeof(name));
	ck_assert_str_eq(name, "slurm_4711");
}
END_TEST

/* The longest prefix and the largest job ID. */
START_TEST(fits_longest_name)
{
	struct tessera_vipu_site other = {.prefix = ""};
	char name[TESSERA_PARTITION_MAX];

	memset(other.prefix, 'p', sizeof(other.prefix) - 1);
	tessera_vipu_partition_name(&other, UINT32_MAX, name, sizeof(name));
	ck_assert_uint_eq(tessera_vipu_partition_job(&other, name), UINT32_MAX);
}
END_TEST

static const char *const others[] = {
	"",         "slurm_",     "slurm_0",          "slurm_07", "slurm_-7",  "slurm_7x",
	"slurm_ 7", "slurm_7 ",   "slurm_4294967296", "Slurm_7",  "xslurm_7",  "slurm7",
	"slurm_+7", "slurm_0x10", "slurm_7_0",        "p64",      "slurm__77", "slurm_99999999999",
};

START_TEST(rejects_other_names)
{
	ck_assert_msg(tessera_vipu_partition_job(&site, others[_i]) == 0, "%s", others[_i]);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, formats_and_parses_names);
	tcase_add_test(tcase, fits_longest_name);
	tcase_add_loop_test(tcase, rejects_other_names, 0, sizeof(others) / sizeof(others[0]));
}

UNIT_MAIN("conf_vipu", add_tests)
