/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of pools, found by scanning and by parsing. */
#include "config.h"

#include <stdio.h>

#include "lib/conf/conf_scan.h"
#include "test/unit/unit.h"

#define UNSURE (-1)

static const struct {
	const char *text;
	int count; /* UNSURE: the file must be parsed */
	const char *options;
} cases[] = {
	{"", 0, ""},
	{"# pool csx { Max = 2 }\n", 0, ""},
	{"StateDir = /a\nPlaceWait=3\n", 0, ""},
	{"pool csx { Max = 2 }", 1, "csx"},
	{"POOL csx{Max=2}", 1, "csx"},
	{"pool \"csx\" {\n\tMax = 2 # two\n\tVariables = \"A=%c\"\n}\n", 1, "csx"},
	{"pool 'csx' { Max = 2 }", 1, "csx"},
	{"pool csx { Max = 2 Option = wafer }", 1, "wafer"},
	{"pool csx { Option = \"wafer\" Max = 2 }", 1, "wafer"},
	{"pool a { Max = 1 }\nnode \"n[1-8],m[1-8]\" { Platform = sn30-8 }\npool b { Max = 1 }", 2,
	 "a b"},
	{"partition pool { Platform = sn30-8 }", 0, ""},
	{"StateDir = \"/a # pool x { Max = 1 }\"\n", 0, ""},
	{"SnfadmCommand = \"/x pool\"\npool b { Max = 1 }", 1, "b"},
	{"node \"n[1-8],m[1-8],o[1-8],p[1-8],q[1-8],r[1-8],s[1-8],t[1-8],u[1-8],v[1-8]\" { "
	 "Platform = sn30-8 }\n"
	 "pool b { Max = 1 }",
	 1, "b"},
	/* Unusual or wrong syntax: left to libconfuse. */
	{"pool csx { Max = 2", UNSURE, ""},
	{"pool csx Max = 2 }", UNSURE, ""},
	{"pool { Max = 2 }", UNSURE, ""},
	{"pool csx { Option = a Option = b Max = 2 }", UNSURE, ""},
	{"pool csx { Option = ipus Max = 2 }", UNSURE, ""},
	{"pool CSX { Max = 2 }", UNSURE, ""},
	{"pool a { Max = 1 }\npool b { Max = 1 Option = a }", UNSURE, ""},
	{"pool \"a { Max = 1 }\n", UNSURE, ""},
	{"pool \"a\\\"b\" { Max = 1 }\n", UNSURE, ""},
	{"pool ${HOME} { Max = 1 }", UNSURE, ""},
	{"// pool a { Max = 1 }\n", UNSURE, ""},
	{"pool a { Max = 1, }", UNSURE, ""},
	{"}", UNSURE, ""},
};

static int scan_text(const char *text, char *buf, size_t len)
{
	char options[TESSERA_POOLS_MAX][TESSERA_NAME_MAX];
	int count = conf_scan_pools(text, options);
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < count; i++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s", i > 0 ? " " : "",
					 options[i]);
	return count;
}

START_TEST(finds_options)
{
	char found[2048];

	ck_assert_msg(scan_text(cases[_i].text, found, sizeof(found)) == cases[_i].count, "%s",
		      cases[_i].text);
	ck_assert_str_eq(found, cases[_i].options);
}
END_TEST

START_TEST(agrees_with_parser)
{
	struct tessera_conf *conf = tessera_conf_parse("t.conf", cases[_i].text, NULL);
	char found[2048], parsed[2048] = "";
	const struct tessera_pool *pool;
	size_t used = 0;

	if (conf == NULL || scan_text(cases[_i].text, found, sizeof(found)) == UNSURE) {
		tessera_conf_free(conf);
		return;
	}
	for (size_t i = 0; (pool = tessera_conf_pool_at(conf, i)) != NULL; i++)
		used += (size_t)snprintf(parsed + used, sizeof(parsed) - used, "%s%s",
					 i > 0 ? " " : "", pool->option);
	ck_assert_str_eq(found, parsed);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(limits_number_of_pools)
{
	char text[TESSERA_POOLS_MAX * 40 + 80] = "", found[2048];
	size_t used = 0;

	for (int i = 0; i < TESSERA_POOLS_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "pool a%d { Max = 1 }\n",
					 i);
	ck_assert_int_eq(scan_text(text, found, sizeof(found)), TESSERA_POOLS_MAX);
	snprintf(text + used, sizeof(text) - used, "pool z { Max = 1 }\n");
	ck_assert_int_eq(scan_text(text, found, sizeof(found)), UNSURE);
}
END_TEST

START_TEST(scans_installed_sample)
{
	const char *dir = getenv("srcdir");
	char path[512], text[65536], found[2048];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/etc/tessera.conf", dir != NULL ? dir : ".");
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	ck_assert_uint_gt(len, 0);
	text[len] = '\0';
	ck_assert_int_ge(scan_text(text, found, sizeof(found)), 0);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, finds_options, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(tcase, agrees_with_parser, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, limits_number_of_pools);
	tcase_add_test(tcase, scans_installed_sample);
}

UNIT_MAIN("conf_scan", add_tests)
