/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of tessera.conf for health checks. */
#include "config.h"

#include <stdio.h>

#include "lib/conf/conf.h"
#include "test/unit/unit.h"

static struct tessera_conf *parse_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s\n%s", err.text, text);
	return conf;
}

static void expect_marks_dir(const struct tessera_conf *conf, const char *node, const char *want)
{
	char dir[512];

	ck_assert_int_eq(tessera_conf_marks_dir(conf, node, dir, sizeof(dir), NULL), 0);
	ck_assert_str_eq(dir, want);
}

START_TEST(has_defaults)
{
	struct tessera_conf *conf = parse_conf("");
	const struct tessera_health_conf *health = tessera_conf_health(conf);

	ck_assert_str_eq(health->snfadm, "/opt/sambaflow/bin/snfadm -l inventory");
	ck_assert_str_eq(health->snconfig, "");
	ck_assert_str_eq(health->snconfig_bad, "");
	ck_assert_str_eq(health->snconfig_good, "");
	ck_assert_str_eq(health->ipus, "");
	ck_assert_uint_eq(health->wait, 60);
	ck_assert_uint_eq(health->max, 900);
	ck_assert_uint_eq(health->avoid_unknown, 0);
	expect_marks_dir(conf, "sm-01", "/var/lib/tessera");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(reads_every_key)
{
	struct tessera_conf *conf = parse_conf(
		"SnfadmCommand = \"/a -l inventory --csv\"\nSnconfigCommand = \"/b %n\"\n"
		"SnconfigBad = \"not perfect\"\nSnconfigGood = perfect\nIpuHealthCommand = /c\n"
		"HealthWait = 3600\nHealthMax = 2592000\nUnknownTiles = avoid\nMarksDir = "
		"\"/d/%n/e\"\n");
	const struct tessera_health_conf *health = tessera_conf_health(conf);

	ck_assert_str_eq(health->snfadm, "/a -l inventory --csv");
	ck_assert_str_eq(health->snconfig, "/b %n");
	ck_assert_str_eq(health->snconfig_bad, "not perfect");
	ck_assert_str_eq(health->snconfig_good, "perfect");
	ck_assert_str_eq(health->ipus, "/c");
	ck_assert_uint_eq(health->wait, 3600);
	ck_assert_uint_eq(health->max, 2592000);
	ck_assert_uint_eq(health->avoid_unknown, 1);
	expect_marks_dir(conf, "sm-01", "/d/sm-01/e");
	tessera_conf_free(conf);
	tessera_conf_free(parse_conf("SnconfigCommand = /b\nSnconfigBad = x"));
	tessera_conf_free(parse_conf("SnconfigGood = x\nSnconfigCommand = /b"));
	tessera_conf_free(parse_conf("SnconfigCommand = \"\""));
	conf = parse_conf(
		"SnfadmCommand = \"\"\nHealthWait = 1\nHealthMax = 0\nUnknownTiles = use\n");
	health = tessera_conf_health(conf);
	ck_assert_str_eq(health->snfadm, "");
	ck_assert_uint_eq(health->wait, 1);
	ck_assert_uint_eq(health->max, 0);
	ck_assert_uint_eq(health->avoid_unknown, 0);
	tessera_conf_free(conf);
}
END_TEST

/* A wrong line, and what its message must contain. */
static const struct {
	const char *text, *message;
} wrong[] = {
	{"SnfadmCommand = snfadm", "SnfadmCommand"},
	{"SnconfigCommand = \"bin/snconfig\"", "SnconfigCommand"},
	{"IpuHealthCommand = \"check %j\"", "IpuHealthCommand"},
	{"HealthWait = 0", "HealthWait = 0 is too small: write a number from 1 to 3600"},
	{"HealthWait = 3601", "from 1 to 3600"},
	{"HealthWait = x", "from 1 to 3600"},
	{"SampleWait = 0", "SampleWait = 0 is too small: write a number from 1 to 3600"},
	{"HealthMax = x", "from 0 to 2592000"},
	{"HealthWait = -1", "HealthWait"},
	{"HealthMax = 2592001", "2592000"},
	{"HealthMax = never", "HealthMax"},
	{"UnknownTiles = maybe", "use"},
	{"MarksDir = marks", "MarksDir"},
	{"MarksDir = \"/d/%j\"", "MarksDir"},
	{"MarksDir = \"\"", "MarksDir"},
	{"SnconfigBad = \"0123456789012345678901234567890123456789012345678901234567890123\"",
	 "SnconfigBad"},
	{"SnfadmBad = x", "SnfadmBad"},
	{"SnconfigCommand = /b", "SnconfigCommand needs a text"},
	{"SnconfigCommand = /b\nSnconfigBad = \"\"\nSnconfigGood = \"\"",
	 "write SnconfigBad or SnconfigGood"},
};

START_TEST(rejects_wrong_lines)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", wrong[_i].text, &err);

	ck_assert_msg(conf == NULL, "accepted: %s", wrong[_i].text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strncmp(err.text, "t.conf:1: ", 10) == 0, "%s", err.text);
	ck_assert_msg(strstr(err.text, wrong[_i].message) != NULL, "no '%s': %s", wrong[_i].message,
		      err.text);
}
END_TEST

START_TEST(rejects_bad_node_names)
{
	static const char *const names[] = {"", ".", "..", "a/b"};
	struct tessera_conf *conf = parse_conf("MarksDir = \"/d/%n\"");
	char dir[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(tessera_conf_marks_dir(conf, names[i], dir, sizeof(dir), NULL),
				 -1);
	ck_assert_int_eq(tessera_conf_marks_dir(conf, "abc", dir, 6, NULL), -1);
	ck_assert_int_eq(tessera_conf_marks_dir(conf, "abc", dir, 7, NULL), 0);
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_defaults);
	tcase_add_test(tcase, reads_every_key);
	tcase_add_loop_test(tcase, rejects_wrong_lines, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(tcase, rejects_bad_node_names);
}

UNIT_MAIN("conf_health", add_tests)
