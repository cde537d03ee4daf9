/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy of a partition: from its block, else the file, else the defaults. */
#include "config.h"

#include "lib/conf/conf.h"
#include "lib/conf/conf_pack.h"
#include "test/unit/unit.h"

static const char two[] =
	"RduScope = task\n"
	"partition a { Platform = sn30-8 }\n"
	"partition b { Platform = sn30-8 RduScope = auto TilesPerTask = 4 Unasked = default\n"
	"Default = \"rdu:2\" }\n"
	"partition c { Platform = sn10-8 }\n"
	"Unasked = none\n";

static struct tessera_conf *parse_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

static const struct tessera_policy *find_policy(const struct tessera_conf *conf,
						const char *partitions)
{
	const struct tessera_policy *policy = NULL;
	struct tessera_error err = {0};

	ck_assert_msg(tessera_conf_partition_policy(conf, partitions, &policy, &err) == 0, "%s",
		      err.text);
	return policy;
}

START_TEST(has_defaults)
{
	struct tessera_conf *conf = parse_conf("partition a { Platform = sn30-8 }\n");
	const struct tessera_policy *policy = find_policy(conf, "a");

	ck_assert_int_eq(policy->rdu_scope, TESSERA_SCOPE_NODE);
	ck_assert_uint_eq(policy->tiles_per_task, 0);
	ck_assert_int_eq(policy->unasked, TESSERA_UNASKED_LEAVE);
	ck_assert_str_eq(policy->default_gres, "rdu:1");
	tessera_conf_free(conf);
}
END_TEST

static void check_two(const struct tessera_conf *conf)
{
	const struct tessera_policy *a = find_policy(conf, "a"), *b = find_policy(conf, "b");

	ck_assert_int_eq(a->rdu_scope, TESSERA_SCOPE_TASK);
	ck_assert_int_eq(a->unasked, TESSERA_UNASKED_NONE);
	ck_assert_int_eq(b->rdu_scope, TESSERA_SCOPE_AUTO);
	ck_assert_uint_eq(b->tiles_per_task, 4);
	ck_assert_int_eq(b->unasked, TESSERA_UNASKED_DEFAULT);
	ck_assert_str_eq(b->default_gres, "rdu:2");
	ck_assert_ptr_eq(tessera_conf_policy_at(conf, 1), b);
	ck_assert_ptr_null(tessera_conf_policy_at(conf, 3));
	/* A partition that is not in the file. */
	ck_assert_int_eq(find_policy(conf, "x")->unasked, TESSERA_UNASKED_NONE);
	ck_assert_int_eq(find_policy(conf, "a,c")->rdu_scope, TESSERA_SCOPE_TASK);
}

START_TEST(inherits_from_file)
{
	struct tessera_conf *conf = parse_conf(two);

	check_two(conf);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(survives_packing)
{
	struct tessera_conf *conf = parse_conf(two), *again;
	size_t len = 0;
	char *bytes = conf_pack(conf, &len);

	again = conf_unpack(bytes, len);
	ck_assert_ptr_nonnull(again);
	check_two(again);
	free(bytes);
	tessera_conf_free(conf);
	tessera_conf_free(again);
}
END_TEST

START_TEST(compares_partitions)
{
	struct tessera_conf *conf = parse_conf(two);
	const struct tessera_policy *policy;
	struct tessera_error err = {0};

	ck_assert_int_lt(tessera_conf_partition_policy(conf, "a,b", &policy, &err), 0);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, "partitions a and b differ in RduScope or TilesPerTask") !=
			      NULL,
		      "%s", err.text);
	ck_assert_ptr_null(find_policy(conf, NULL));
	tessera_conf_free(conf);
	/* A different Unasked does not prevent requests for both. */
	conf = parse_conf(
		"partition a { Platform = sn30-8 Unasked = none }\npartition b { Platform = "
		"sn30-8 }\n");
	ck_assert_int_eq(find_policy(conf, "b,a")->rdu_scope, TESSERA_SCOPE_NODE);
	ck_assert_ptr_nonnull(find_policy(conf, NULL));
	tessera_conf_free(conf);
	conf = parse_conf("partition a { Platform = sn30-8 }\npartition b { Platform = sn10-8 "
			  "}\nUnasked = refuse\n");
	ck_assert_int_eq(find_policy(conf, NULL)->unasked, TESSERA_UNASKED_REFUSE);
	tessera_conf_free(conf);
}
END_TEST

static const struct {
	const char *text;
	const char *message;
} wrong[] = {
	{"Unasked = maybe",
	 "t.conf:1: Unasked = maybe is unknown: write leave, default, none or refuse"},
	{"\nDefault = \"gpu:1\"",
	 "t.conf:2: Default = \"gpu:1\" asks for no tiles: write \"rdu:1\""},
	{"partition a { Platform = sn30-8 Default = \"rdu:0\" }", "asks for no tiles"},
	{"partition a { Platform = sn30-8 RduScope = all }", "write node, task or auto"},
	{"node a { Platform = sn30-8 Unasked = none }", "no such option"},
	{"TilesPerTask = 1025", "write a number from 0 to 1024"},
};

START_TEST(rejects_wrong_files)
{
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_parse("t.conf", wrong[_i].text, &err));
	ck_assert_msg(strstr(err.text, wrong[_i].message) != NULL, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_defaults);
	tcase_add_test(tcase, inherits_from_file);
	tcase_add_test(tcase, survives_packing);
	tcase_add_test(tcase, compares_partitions);
	tcase_add_loop_test(tcase, rejects_wrong_files, 0, sizeof(wrong) / sizeof(wrong[0]));
}

UNIT_MAIN("conf_policy", add_tests)
