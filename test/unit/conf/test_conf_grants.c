/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/conf/conf.h"
#include "test/unit/unit.h"

static const struct valid {
	const char *text;
	unsigned enabled;
	const char *socket;
} valid[] = {
	{"", 1, ""},
	{"Grants = yes", 1, ""},
	{"Grants = no", 0, ""},
	{"grants = no\nmungesocket = /run/munge/other", 0, "/run/munge/other"},
	{"MungeSocket = \"/run/a b\"", 1, "/run/a b"},
};

START_TEST(accepts)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", valid[_i].text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	ck_assert_uint_eq(tessera_conf_grants(conf)->enabled, valid[_i].enabled);
	ck_assert_str_eq(tessera_conf_grants(conf)->socket, valid[_i].socket);
	tessera_conf_free(conf);
}
END_TEST

static const struct wrong {
	const char *text;
	const char *message;
} wrong[] = {
	{"Grants = maybe", "t.conf:1: Grants = maybe is unknown: write yes or no"},
	{"Grants = 1", "write yes or no"},
	{"Grants = yes\nGrants = yes", "t.conf:2: "},
	{"MungeSocket = munge.socket.2", "not an absolute path"},
	{"MungeSocket = \"\"", "not an absolute path"},
	{"MungeSocket = \"/run/%n/socket\"", "has a %"},
	{"node a { Grants = no }", "t.conf:1: "},
};

START_TEST(rejects)
{
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_parse("t.conf", wrong[_i].text, &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, wrong[_i].message) != NULL, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, accepts, 0, sizeof(valid) / sizeof(valid[0]));
	tcase_add_loop_test(tcase, rejects, 0, sizeof(wrong) / sizeof(wrong[0]));
}

UNIT_MAIN("conf_grants", add_tests)
