/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of tessera.conf for leftover processes. */
#include "config.h"

#include <stdio.h>

#include "lib/conf/conf.h"
#include "test/unit/unit.h"

static struct tessera_conf *parse_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

START_TEST(has_defaults)
{
	struct tessera_conf *conf = tessera_conf_default();

	ck_assert_str_eq(tessera_conf_leftover(conf)->devices, "/dev/rdu*");
	ck_assert_int_eq(tessera_conf_leftover(conf)->policy, TESSERA_LEFTOVER_WAIT);
	ck_assert_uint_eq(tessera_conf_leftover(conf)->wait, 10);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(reads_every_key)
{
	static const struct {
		const char *word;
		enum tessera_leftover_policy policy;
	} words[] = {{"wait", TESSERA_LEFTOVER_WAIT},
		     {"kill", TESSERA_LEFTOVER_KILL},
		     {"quarantine", TESSERA_LEFTOVER_QUARANTINE}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char text[128], path[64];
		struct tessera_conf *conf;

		snprintf(text, sizeof(text),
			 "DeviceFiles = \"/x/%%n/rdu[0-7]\"\nLeftoverProcesses = %s\nLeftoverWait "
			 "= %zu\n",
			 words[i].word, i * 1800);
		conf = parse_conf(text);
		ck_assert_int_eq(tessera_conf_leftover(conf)->policy, words[i].policy);
		ck_assert_uint_eq(tessera_conf_leftover(conf)->wait, i * 1800);
		ck_assert_int_eq(tessera_conf_for_node("DeviceFiles",
						       tessera_conf_leftover(conf)->devices, "n1",
						       path, sizeof(path), NULL),
				 0);
		ck_assert_str_eq(path, "/x/n1/rdu[0-7]");
		tessera_conf_free(conf);
	}
}
END_TEST

START_TEST(accepts_no_device)
{
	struct tessera_conf *conf = parse_conf("DeviceFiles = \"\"");

	ck_assert_str_eq(tessera_conf_leftover(conf)->devices, "");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(rejects_wrong_lines)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"StaleHolders = kill",
		 "t.conf:1: StaleHolders is no longer supported: write LeftoverProcesses"},
		{"StaleWait = 5", "t.conf:1: StaleWait is no longer supported: write LeftoverWait"},
		{"LeftoverProcesses = keep",
		 "t.conf:1: LeftoverProcesses = keep is unknown: write wait, kill or quarantine"},
		{"\nLeftoverWait = 3601", "t.conf:2: LeftoverWait = 3601 is too large"},
		{"LeftoverWait = -1", "t.conf:1: LeftoverWait = -1 is not a number"},
		{"DeviceFiles = rdu", "t.conf:1: DeviceFiles = rdu is not an absolute path"},
		{"DeviceFiles = \"/dev/%x\"",
		 "t.conf:1: DeviceFiles = /dev/%x has a % in it other than %n"},
		{"DeviceFiles = \"/dev/%n/rdu%\"",
		 "t.conf:1: DeviceFiles = /dev/%n/rdu% has a % in it other than %n"},
		{"node a { LeftoverWait = 1 }", "t.conf:1: "},
	};
	struct tessera_error err = {0};
	char text[TESSERA_PATH_MAX + 32];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(tessera_conf_parse("t.conf", wrong[i].text, &err) == NULL, "%s",
			      wrong[i].text);
		ck_assert_msg(strstr(err.text, wrong[i].message) != NULL, "no '%s' in '%s'",
			      wrong[i].message, err.text);
	}
	snprintf(text, sizeof(text), "DeviceFiles = /%0*d", TESSERA_PATH_MAX - 2, 0);
	tessera_conf_free(parse_conf(text));
	snprintf(text, sizeof(text), "DeviceFiles = /%0*d", TESSERA_PATH_MAX - 1, 0);
	ck_assert_ptr_null(tessera_conf_parse("t.conf", text, &err));
	ck_assert_msg(strstr(err.text, "DeviceFiles has 256 characters, but at most 255") != NULL,
		      "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_defaults);
	tcase_add_test(tcase, reads_every_key);
	tcase_add_test(tcase, accepts_no_device);
	tcase_add_test(tcase, rejects_wrong_lines);
}

UNIT_MAIN("conf_leftover", add_tests)
