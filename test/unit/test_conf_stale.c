/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tessera.conf's word on processes that jobs leave behind. */
#include "config.h"

#include <stdio.h>

#include "lib/conf.h"
#include "test/unit/unit.h"

static struct tessera_conf *parsed(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

START_TEST(defaults)
{
	struct tessera_conf *conf = tessera_conf_default();

	ck_assert_str_eq(tessera_conf_stale(conf)->devices, "/dev/rdu*");
	ck_assert_int_eq(tessera_conf_stale(conf)->policy, TESSERA_STALE_WAIT);
	ck_assert_uint_eq(tessera_conf_stale(conf)->wait, 10);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(every_key)
{
	static const struct {
		const char *word;
		enum tessera_stale_policy policy;
	} words[] = {{"wait", TESSERA_STALE_WAIT},
		     {"kill", TESSERA_STALE_KILL},
		     {"quarantine", TESSERA_STALE_QUARANTINE}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char text[128], path[64];
		struct tessera_conf *conf;

		snprintf(text, sizeof(text),
			 "DeviceFiles = \"/x/%%n/rdu[0-7]\"\nStaleHolders = %s\nStaleWait = %zu\n", words[i].word,
			 i * 1800);
		conf = parsed(text);
		ck_assert_int_eq(tessera_conf_stale(conf)->policy, words[i].policy);
		ck_assert_uint_eq(tessera_conf_stale(conf)->wait, i * 1800);
		ck_assert_int_eq(tessera_conf_for_node("DeviceFiles", tessera_conf_stale(conf)->devices, "n1", path,
						       sizeof(path), NULL),
				 0);
		ck_assert_str_eq(path, "/x/n1/rdu[0-7]");
		tessera_conf_free(conf);
	}
}
END_TEST

/* Then nobody looks. */
START_TEST(no_device)
{
	struct tessera_conf *conf = parsed("DeviceFiles = \"\"");

	ck_assert_str_eq(tessera_conf_stale(conf)->devices, "");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(what_is_wrong)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"StaleHolders = keep", "t.conf:1: StaleHolders = keep is unknown: write wait, kill or quarantine"},
		{"\nStaleWait = 3601", "t.conf:2: StaleWait = 3601 is too large"},
		{"StaleWait = -1", "t.conf:1: StaleWait = -1 is not a number"},
		{"DeviceFiles = rdu", "t.conf:1: DeviceFiles = rdu is no absolute path"},
		{"DeviceFiles = \"/dev/%x\"", "t.conf:1: DeviceFiles = /dev/%x has a % in it that is no %n"},
		{"DeviceFiles = \"/dev/%n/rdu%\"",
		 "t.conf:1: DeviceFiles = /dev/%n/rdu% has a % in it that is no %n"},
		{"node a { StaleWait = 1 }", "t.conf:1: "},
	};
	struct tessera_error err = {0};
	char text[TESSERA_PATH_MAX + 32];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_msg(tessera_conf_parse("t.conf", wrong[i].text, &err) == NULL, "%s", wrong[i].text);
		ck_assert_msg(strstr(err.text, wrong[i].says) != NULL, "'%s' lacks '%s'", err.text, wrong[i].says);
	}
	snprintf(text, sizeof(text), "DeviceFiles = /%0*d", TESSERA_PATH_MAX - 2, 0);
	tessera_conf_free(parsed(text));
	snprintf(text, sizeof(text), "DeviceFiles = /%0*d", TESSERA_PATH_MAX - 1, 0);
	ck_assert_ptr_null(tessera_conf_parse("t.conf", text, &err));
	ck_assert_msg(strstr(err.text, "DeviceFiles has 256 characters, but at most 255") != NULL, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, defaults);
	tcase_add_test(tcase, every_key);
	tcase_add_test(tcase, no_device);
	tcase_add_test(tcase, what_is_wrong);
}

UNIT_MAIN("conf_stale", add_tests)
