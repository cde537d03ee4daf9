/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Licenses of hierarchical resources, which slurmctld reports with the nodes of their layer. */
#include "config.h"

#include "lib/conf/gres_list.h"
#include "test/unit/unit.h"

static unsigned count(const char *text, const char *name)
{
	struct tessera_error err = {0};
	struct gres_sum sum;

	ck_assert_msg(gres_sum(text, GRES_LIST_LICENSES, name, "Licenses", &sum, &err) == 0,
		      "%s: %s", text, err.text);
	return sum.count;
}

START_TEST(layers)
{
	ck_assert_uint_eq(count("ipu(gc-poplar-[02-04]):16", "ipu"), 16);
	ck_assert_uint_eq(count("ipu(gc-poplar-[02,04]):16,csx:2", "ipu"), 16);
	ck_assert_uint_eq(count("ipu(gc-poplar-[02,04]):16,csx:2", "csx"), 2);
	/* Not closed: the items after it are still there. */
	ck_assert_uint_eq(count("matlab(,csx:2", "csx"), 2);
	ck_assert_uint_eq(count("ipu(a,b):16;matlab(|csx:2", "csx"), 2);
	ck_assert_uint_eq(count("csx:2;ipu(a,b=c:7):16", "ipu"), 16);
	ck_assert_uint_eq(count("ipu(a):8,ipu(b[1-2]):4", "ipu"), 12);
	ck_assert_uint_eq(count("ipu(a)", "ipu"), 1);
	ck_assert_uint_eq(count("ipus(a):4,ip(b):2", "ipu"), 0);
}
END_TEST

/* Whatever is in the text, the walk ends and stays inside. */
START_TEST(broken)
{
	struct gres_sum sum;

	static const char *const texts[] = {"ipu(",  "ipu(a:4", "ipu(a,b", "(",     "()",
					    "ipu)(", "ipu((a)", "(null)",  "ipu()", "ipu(a)b:3"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		gres_sum(texts[i], GRES_LIST_LICENSES, "ipu", "Licenses", &sum, NULL);
	ck_assert_uint_eq(count("(null)", "ipu"), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, layers);
	tcase_add_test(tcase, broken);
}

UNIT_MAIN("gres_list", add_tests)
