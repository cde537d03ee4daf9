/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meaning of rdu:N under the policy of a partition: the recipes of ALCF's user guides, and edge
 * cases.
 */
#include "config.h"

#include "test/unit/request/request_unit.h"

#define AUTO "RduScope = auto\n"
#define FOUR AUTO "TilesPerTask = 4\n"
#define HALF FOUR "platform sn30-half { Like = sn30-8 TilesPerGres = 4 }\n"

static const struct row {
	const char *conf;
	const char *platform;
	struct tessera_options opt;
	unsigned rdus, tiles, tasks;
	const char *advice; /* a part of it; NULL: there is none */
} rows[] = {
	/* The recipes, under one configuration. */
	{FOUR, "sn10-8", {.gres = "rdu:1", .ntasks_per_node = 8, .nodes = 2}, 8, 32, 8, NULL},
	{FOUR, "sn10-8", {.gres = "rdu:2"}, 2, 8, 1, NULL},
	{HALF, "sn30-half", {.gres = "rdu:1", .ntasks_per_node = 8, .nodes = 1}, 8, 32, 8, NULL},
	{HALF,
	 "sn30-half",
	 {.gres = "rdu:1", .ntasks = 32, .ntasks_per_node = 16, .nodes = 2},
	 16,
	 64,
	 16,
	 NULL},
	{HALF, "sn30-half", {.gres = "rdu:16"}, 16, 64, 1, NULL},
	{HALF, "sn30-half", {.gres = "rdu:1", .ntasks = 4, .ntasks_per_node = 4}, 4, 16, 4, NULL},
	{HALF, "sn30-half", {.gres = "rdu:8", .ntasks = 1, .ntasks_per_node = 16}, 8, 32, 1, NULL},
	{HALF,
	 "sn30-half",
	 {.gres = "rdu:8", .ntasks = 16, .ntasks_per_node = 16},
	 16,
	 64,
	 16,
	 NULL},
	{HALF, "sn30-half", {.gres = "rdu:2"}, 2, 8, 1, NULL},
	/* Where whole RDUs are counted. */
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 32, .ntasks_per_node = 16, .nodes = 2},
	 8,
	 64,
	 16,
	 NULL},
	{FOUR, "sn30-8", {.gres = "rdu:1", .ntasks = 3}, 3, 24, 3, NULL},
	{FOUR, "sn30-8", {.gres = "rdu:1", .ntasks = 9}, 5, 40, 9, NULL}, /* 36 tiles are 5 RDUs */
	/* Without TilesPerTask, too many tasks share what was requested. */
	{AUTO, "sn30-8", {.gres = "rdu:1", .ntasks = 8}, 8, 64, 8, NULL},
	{AUTO, "sn30-8", {.gres = "rdu:1", .ntasks = 9}, 1, 8, 9, NULL},
	{AUTO, "sn30-8", {.gres = "rdu:2", .ntasks = 4}, 8, 64, 4, NULL},
	{AUTO, "sn30-8", {.gres = "rdu:2", .ntasks = 5}, 2, 16, 5, NULL},
	/* --tiles-per-task takes precedence over TilesPerTask, and raises rdu:N instead. */
	{AUTO, "sn30-8", {.gres = "rdu:1", .ntasks = 16, .tiles_per_task = "4"}, 8, 64, 16, NULL},
	{FOUR, "sn30-8", {.gres = "rdu:1", .ntasks = 16, .tiles_per_task = "2"}, 4, 32, 16, NULL},
	{"RduScope = task\nTilesPerTask = 8\nplatform half { Like = sn30-8 TilesPerGres = 4 }\n",
	 "half",
	 {.gres = "rdu:1", .ntasks = 2},
	 4,
	 16,
	 2,
	 NULL},
	/*
	 * Named tiles are for the node, and so are RDUs that were already multiplied; a step has
	 * its job's tiles.
	 */
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu:2", .ntasks = 4, .tile_affinity = "rdu6,rdu7"},
	 2,
	 16,
	 4,
	 NULL},
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu:2", .ntasks = 2, .tile_bind = "map:rdu6,rdu7"},
	 2,
	 16,
	 2,
	 NULL},
	{FOUR, "sn30-8", {.gres = "rdu:2,rdu_tile:16", .ntasks = 4}, 2, 16, 4, NULL},
	{FOUR, "sn30-8", {.gres = "rdu:1", .ntasks = 16, .step = true}, 1, 8, 16, NULL},
	/* Advice: the request has fewer tiles than TilesPerTask. */
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu_tile:8", .ntasks = 16},
	 0,
	 8,
	 16,
	 "16 tasks on a node need 4 tiles each, 64 in"},
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu_tile:8", .ntasks = 16},
	 0,
	 8,
	 16,
	 "replace --gres by --tiles-per-task=4"},
	{FOUR, "sn30-8", {.gres = "rdu_tile:2"}, 0, 2, 1, "1 task on a node needs 4 tiles"},
	{FOUR,
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 17},
	 1,
	 8,
	 17,
	 "start 16 tasks or fewer on a node"},
	{"TilesPerTask = 4\n",
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 3},
	 1,
	 8,
	 3,
	 "12 in all, but 8 are requested"},
	{"TilesPerTask = 4\n", "sn30-8", {.gres = "rdu:1", .ntasks = 2}, 1, 8, 2, NULL},
	{"TilesPerTask = 4\n",
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 3, .tile_bind = "none"},
	 1,
	 8,
	 3,
	 NULL},
	{"TilesPerTask = 4\n",
	 "sn30-8",
	 {.gres = "rdu:1", .ntasks = 3, .step = true},
	 1,
	 8,
	 3,
	 NULL},
	/* With --ntasks, --ntasks-per-node is only an upper limit. */
	{"",
	 "sn30-8",
	 {.tiles_per_task = "4", .ntasks = 1, .ntasks_per_node = 16, .nodes = 1},
	 0,
	 4,
	 1,
	 NULL},
	{"",
	 "sn30-8",
	 {.tiles_per_task = "4", .ntasks = 9, .ntasks_per_node = 16, .nodes = 2},
	 0,
	 20,
	 5,
	 NULL},
	{"", "sn30-8", {.tiles_per_task = "4", .ntasks = 32, .ntasks_per_node = 8}, 0, 32, 8, NULL},
};

START_TEST(reads)
{
	const struct row *t = &rows[_i];
	struct tessera_error err = {0};
	static struct tessera_request req;

	ck_assert_msg(read_request(t->conf, t->platform, &t->opt, &req, &err) == 0, "row %d: %s",
		      _i, err.text);
	ck_assert_msg(req.rdus == t->rdus && req.tiles == t->tiles && req.tasks == t->tasks,
		      "row %d: rdu:%u, %u tiles, %u tasks", _i, req.rdus, req.tiles, req.tasks);
	if (t->advice == NULL)
		ck_assert_msg(req.advice[0] == '\0', "row %d: %s", _i, req.advice);
	else
		ck_assert_msg(strstr(req.advice, t->advice) != NULL, "row %d: %s", _i, req.advice);
}
END_TEST

/* A count that is not a multiple of N; and reading the result again does not change it. */
START_TEST(writes_once)
{
	struct tessera_conf *conf = read_conf(FOUR);
	const struct tessera_platform *p = tessera_conf_platform(conf, "sn30-8", NULL);
	struct tessera_options opt = {.gres = "gres:gpu:1,gres:rdu:3", .ntasks = 16};
	static struct tessera_request req;
	char gres[128], again[128], licenses[128];

	ck_assert_int_eq(tessera_request_read(conf, p, &opt, &req, NULL), 0);
	ck_assert_int_eq(tessera_request_scheduler(conf, &opt, &req, gres, sizeof(gres), licenses,
						   sizeof(licenses), NULL),
			 0);
	ck_assert_str_eq(gres, "gres:gpu:1,gres:rdu:8,gres:rdu_tile:64");
	opt.gres = gres;
	ck_assert_int_eq(tessera_request_read(conf, p, &opt, &req, NULL), 0);
	ck_assert_int_eq(tessera_request_scheduler(conf, &opt, &req, again, sizeof(again), licenses,
						   sizeof(licenses), NULL),
			 0);
	ck_assert_str_eq(again, gres);
	tessera_conf_free(conf);
}
END_TEST

/* The partition's policy, not that of the whole tessera.conf. */
START_TEST(policy_of_the_partition)
{
	struct tessera_conf *conf =
		read_conf("partition a { Platform = sn30-8 RduScope = task }\n");
	const struct tessera_platform *p = tessera_conf_platform(conf, "sn30-8", NULL);
	struct tessera_options opt = {.gres = "rdu:2", .ntasks = 3};
	static struct tessera_request req;

	ck_assert_int_eq(tessera_request_read(conf, p, &opt, &req, NULL), 0);
	ck_assert_uint_eq(req.rdus, 2);
	ck_assert_int_eq(tessera_conf_partition_policy(conf, "a", &opt.policy, NULL), 0);
	ck_assert_int_eq(tessera_request_read(conf, p, &opt, &req, NULL), 0);
	ck_assert_uint_eq(req.rdus, 6);
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, reads, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, writes_once);
	tcase_add_test(tcase, policy_of_the_partition);
}

UNIT_MAIN("request_scope", add_tests)
