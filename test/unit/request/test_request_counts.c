/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for the whole job: IPUs, their GCDs, pools. */
#include "config.h"

#include "test/unit/request/request_unit.h"

#define POOLS                                                                                     \
	"pool csx {\n Max = 2\n}\npool big {\n Option = big-one\n License = b@flex\n Max = 64\n " \
	"Sizes = "                                                                                \
	"powers\n}\n"

/* With the configuration known. */
static const struct known {
	const char *conf;
	struct tessera_options opt;
	bool any;
	bool platform;
} known[] = {
	{POOLS, {0}, false, false},
	{POOLS, {.licenses = "csx:1"}, true, false},
	{POOLS, {.licenses = "csx@flex:1"}, true, false},
	{POOLS, {.licenses = "csx:0,b:1,b@other:1,csxx:1"}, false, false},
	{POOLS, {.licenses = "a:1|b@flex:2"}, true, false},
	{POOLS, {.gres = "csx:1"}, false, false},
	{POOLS, {.pools = {"1"}}, true, false},
	{POOLS, {.pools = {"1"}, .licenses = "csx:1", .gres = "rdu_mem:1"}, true, false},
	{POOLS, {.pools = {"1"}, .gres = "rdu:1"}, true, true},
	{POOLS, {.licenses = "ipu:4"}, true, true},
	{POOLS, {.ipu_gcds = "2"}, true, true},
	{"IpuName = bow\n", {.licenses = "ipu:4", .gres = "ipu:4"}, false, false},
	{"IpuName = bow\n", {.licenses = "bow:4"}, true, true},
	{"IpuName = bow\n", {.gres = "bow:4"}, true, true},
};

START_TEST(knows_names_of_the_site)
{
	const struct known *t = &known[_i];
	struct tessera_conf *conf = read_conf(t->conf);

	ck_assert_msg(tessera_options_any(conf, &t->opt) == t->any, "row %d: any", _i);
	ck_assert_msg(tessera_options_need_platform(conf, &t->opt) == t->platform,
		      "row %d: platform", _i);
	tessera_conf_free(conf);
}
END_TEST

/* Consecutive tasks share a GCD, each GCD has a task, and task 0 has GCD 0. */
START_TEST(each_task_has_a_gcd)
{
	for (unsigned gcds = 0; gcds <= 8; gcds++) {
		for (unsigned tasks = 1; tasks <= 20; tasks++) {
			unsigned of[8] = {0}, before = 0;

			for (unsigned task = 0; task < tasks; task++) {
				unsigned gcd = tessera_request_gcd(gcds, tasks, task);

				if (gcds <= 1 || tasks < gcds) {
					ck_assert_uint_eq(gcd, 0);
					continue;
				}
				ck_assert_uint_lt(gcd, gcds);
				ck_assert_msg(gcd == before || gcd == before + 1, "%u of %u", task,
					      tasks);
				ck_assert(task > 0 || gcd == 0);
				of[gcd]++;
				before = gcd;
			}
			for (unsigned gcd = 0; gcd < gcds && gcds > 1 && tasks >= gcds; gcd++) {
				ck_assert_uint_ge(of[gcd], tasks / gcds);
				ck_assert_uint_le(of[gcd], tasks / gcds + (tasks % gcds != 0));
			}
		}
	}
	ck_assert_uint_eq(tessera_request_gcd(4, 8, 8), 0);
	ck_assert_uint_eq(tessera_request_gcd(4, 0, 0), 0);
	ck_assert_uint_eq(tessera_request_gcd(1U << 31, 1U << 31, (1U << 31) - 1), (1U << 31) - 1);
}
END_TEST

static const struct counted {
	const char *platform;
	struct tessera_options opt;
	unsigned ipus, domains, gcds, tasks;
	unsigned pools[2];
} counted[] = {
	{"pod64", {0}, 0, 0, 0, 0, {0, 0}},
	{"pod64", {.ipus = "1"}, 1, 1, 1, 0, {0, 0}},
	{"pod64", {.ipus = "64", .ntasks = 3}, 64, 1, 1, 3, {0, 0}},
	{"pod64", {.ipus = "8", .ipu_gcds = "8"}, 8, 1, 8, 0, {0, 0}},
	{"pod64", {.ipus = "8", .ipu_gcds = "1", .ntasks = 1}, 8, 1, 1, 1, {0, 0}},
	{"pod64", {.gres = "ipu:8", .ipu_gcds = "4", .ntasks = 4}, 8, 1, 4, 4, {0, 0}},
	{"pod64",
	 {.licenses = "ipu:8", .ipu_gcds = "4", .nodes = 2, .ntasks_per_node = 2},
	 8,
	 1,
	 4,
	 4,
	 {0, 0}},
	{"pod128", {.ipus = "128", .ntasks = 2}, 128, 2, 2, 2, {0, 0}},
	{"pod256", {.ipus = "256", .ntasks = 9, .ipu_gcds = "8"}, 256, 4, 8, 9, {0, 0}},
	/* A step uses its job's partition. */
	{"pod256", {.step = true, .ipus = "256"}, 256, 4, 4, 0, {0, 0}},
	{"pod64", {.step = true, .ipus = "8", .ntasks = 1, .ipu_gcds = "8"}, 8, 1, 8, 1, {0, 0}},
	{"pod64", {.step = true, .ipu_gcds = "8"}, 0, 0, 8, 0, {0, 0}},
	/* Pools, on any platform. */
	{"pod64", {.pools = {"1"}}, 0, 0, 0, 0, {1, 0}},
	{NULL, {.pools = {"2", "64"}}, 0, 0, 0, 0, {2, 64}},
	{NULL, {.licenses = "csx,b@flex:16"}, 0, 0, 0, 0, {1, 16}},
	{NULL, {.licenses = "csx:1,csx:1"}, 0, 0, 0, 0, {2, 0}},
	{NULL, {.licenses = "csx:2", .pools = {"2"}}, 0, 0, 0, 0, {2, 0}},
	{NULL, {.licenses = "csx:0,b:3"}, 0, 0, 0, 0, {0, 0}},
	{"pod64", {.ipus = "4", .pools = {"1", "2"}}, 4, 1, 1, 0, {1, 2}},
};

START_TEST(counts_for_the_job)
{
	const struct counted *t = &counted[_i];
	struct tessera_error err = {0};
	struct tessera_request req;

	memset(&req, 0xa5, sizeof(req));
	ck_assert_msg(read_request(POOLS, t->platform, &t->opt, &req, &err) == 0, "row %d: %s", _i,
		      err.text);
	ck_assert_msg(req.ipus == t->ipus && req.domains == t->domains && req.gcds == t->gcds &&
			      req.job_tasks == t->tasks,
		      "row %d: %u IPUs, %u domains, %u GCDs, %u tasks", _i, req.ipus, req.domains,
		      req.gcds, req.job_tasks);
	ck_assert_msg(req.pools[0] == t->pools[0] && req.pools[1] == t->pools[1],
		      "row %d: pools %u %u", _i, req.pools[0], req.pools[1]);
	for (size_t n = 2; n < TESSERA_POOLS_MAX; n++)
		ck_assert_uint_eq(req.pools[n], 0);
}
END_TEST

/* Each with parts of its message. */
static const struct refused {
	const char *conf;
	const char *platform;
	struct tessera_options opt;
	const char *says[4];
} refused[] = {
	/* GCDs. */
	{NULL, "pod64", {.ipu_gcds = "2"}, {"--ipu-gcds=2", "--ipus=N"}},
	{NULL, "pod64", {.ipu_gcds = "2", .gres = "ipu:0"}, {"--ipu-gcds=2", "--ipus=N"}},
	{NULL, "sn30-8", {.ipu_gcds = "2"}, {"sn30-8", "no IPUs"}},
	{NULL, "pod64", {.ipus = "4", .ipu_gcds = "3"}, {"--ipu-gcds=3", "power of two"}},
	{NULL, "pod64", {.ipus = "4", .ipu_gcds = "0"}, {"--ipu-gcds=0", "none"}},
	{NULL, "pod64", {.ipus = "4", .ipu_gcds = "x"}, {"--ipu-gcds=x", "not a number"}},
	{NULL, "pod64", {.ipus = "4", .ipu_gcds = "8"}, {"--ipu-gcds=8", "4 IPUs", "from 1 to 4"}},
	{NULL,
	 "pod256",
	 {.ipus = "256", .ntasks = 8, .ipu_gcds = "2"},
	 {"--ipu-gcds=2", "4 IPU-Link", "from 4 to 256"}},
	{NULL,
	 "pod64",
	 {.ipus = "4", .ntasks = 2, .ipu_gcds = "4"},
	 {"--ipu-gcds=4", "--ntasks=2", "--ntasks=4"}},
	{NULL,
	 "pod64",
	 {.ipus = "4", .ntasks = 3, .ipu_gcds = "4"},
	 {"--ipu-gcds=4", "--ntasks=3"}},
	{NULL, "pod64", {.step = true, .ipu_gcds = "3"}, {"--ipu-gcds=3", "power of two"}},
	{NULL, "pod64", {.step = true, .ipus = "2", .ipu_gcds = "4"}, {"--ipu-gcds=4", "2 IPUs"}},
	/* Pools. */
	{POOLS, NULL, {.pools = {"3"}}, {"--csx=3", "2", "--csx=2 or fewer"}},
	{POOLS, NULL, {.pools = {"0"}}, {"--csx=0", "none"}},
	{POOLS, NULL, {.pools = {"-1"}}, {"--csx=-1", "negative"}},
	{POOLS, NULL, {.pools = {"one"}}, {"--csx=one", "not a number"}},
	{POOLS, NULL, {.pools = {NULL, "3"}}, {"--big-one=3", "powers of two"}},
	{POOLS, NULL, {.licenses = "csx:3"}, {"--csx=3", "2"}},
	{POOLS, NULL, {.licenses = "csx:x"}, {"--licenses=csx:x", "not a number"}},
	{POOLS,
	 NULL,
	 {.pools = {"1"}, .licenses = "csx:2"},
	 {"--csx=1", "--licenses=csx:2", "once"}},
	{POOLS, NULL, {.pools = {"1"}, .licenses = "csx:0"}, {"--csx=1", "--licenses=csx:0"}},
	{POOLS,
	 NULL,
	 {.pools = {"1"}, .licenses = "a:1|b:1"},
	 {"1 csx", "a:1|b:1", "alternatives"}},
	{POOLS, "sn30-8", {.pools = {"1"}, .gres = "rdu:9"}, {"rdu:9"}},
};

START_TEST(invalid_requests)
{
	const struct refused *t = &refused[_i];
	struct tessera_error err = {0};
	struct tessera_request req;

	ck_assert_msg(read_request(t->conf, t->platform, &t->opt, &req, &err) == -1,
		      "row %d is accepted", _i);
	ck_assert_msg(err.code == TESSERA_ERR_INPUT, "row %d: code %d", _i, err.code);
	for (size_t n = 0; n < 4 && t->says[n] != NULL; n++)
		ck_assert_msg(strstr(err.text, t->says[n]) != NULL, "row %d: '%s' lacks '%s'", _i,
			      err.text, t->says[n]);
	ck_assert_msg(strlen(err.text) < sizeof(err.text) - 1, "row %d: cut: %s", _i, err.text);
	ck_assert_msg(err.text[strlen(err.text) - 1] != '.', "row %d: full stop: %s", _i, err.text);
	ck_assert_int_eq(read_request(t->conf, t->platform, &t->opt, &req, NULL), -1);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, knows_names_of_the_site, 0, sizeof(known) / sizeof(known[0]));
	tcase_add_loop_test(tcase, counts_for_the_job, 0, sizeof(counted) / sizeof(counted[0]));
	tcase_add_loop_test(tcase, invalid_requests, 0, sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tcase, each_task_has_a_gcd);
}

UNIT_MAIN("request_counts", add_tests)
