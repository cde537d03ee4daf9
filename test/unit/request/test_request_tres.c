/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdio.h>

#include "lib/request/request_tres.h"
#include "test/unit/unit.h"

#define TASK_SCOPE "RduScope = task\n"
#define IPU_GRES   "IpuModel = gres\n"
#define POOLS      "pool csx {\n Max = 2\n}\npool big {\n License = b@flex\n Max = 64\n}\n"
#define HALVES     "platform halves {\n Like = sn30-8\n TilesPerGres = 4\n}\n"

#define TEXT_MAX 4096

static struct tessera_conf *read_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("test", text != NULL ? text : "", &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

static int translate(const struct tessera_conf *conf, const struct tessera_platform *p,
		     const struct tessera_options *opt, struct tessera_request *req, char *gres,
		     char *licenses, struct tessera_error *err)
{
	if (tessera_request_read(conf, p, opt, req, err) < 0)
		return -1;
	return tessera_request_scheduler(conf, opt, req, gres, TEXT_MAX, licenses, TEXT_MAX, err);
}

static const struct row {
	const char *conf;
	const char *platform;
	struct tessera_options opt;
	const char *gres;
	const char *licenses;
} rows[] = {
	/* A request without tiles and IPUs stays unchanged, byte for byte. */
	{NULL, NULL, {0}, "", ""},
	{NULL, NULL, {.gres = "(null)", .licenses = "(null)"}, "", ""},
	{NULL, NULL, {.gres = "none", .licenses = "a@b:2;c"}, "none", "a@b:2;c"},
	{NULL, NULL, {.gres = "gpu:a100:2,,rdu_mem:5,"}, "gpu:a100:2,,rdu_mem:5,", ""},
	{NULL, "sn30-8", {.gres = "rdu:0"}, "rdu:0", ""},
	{NULL, "sn30-8", {.gres = "rdu_tile:0,gpu"}, "rdu_tile:0,gpu", ""},
	/* The tiles of RDUs are added. */
	{NULL, "sn30-8", {.gres = "rdu:2"}, "rdu:2,rdu_tile:16", ""},
	{NULL, "sn10-8", {.gres = "rdu:2"}, "rdu:2,rdu_tile:8", ""},
	{NULL, "sn10-8", {.gres = "rdu"}, "rdu,rdu_tile:4", ""},
	{NULL, "sn30-8", {.gres = "gres:rdu:2"}, "gres:rdu:2,gres:rdu_tile:16", ""},
	{NULL,
	 "sn30-8",
	 {.gres = "gres/gpu:1,gres/rdu:2,gres/cnt:3"},
	 "gres/gpu:1,gres/rdu:2,gres/rdu_tile:16,gres/cnt:3",
	 ""},
	{NULL, "sn30-8", {.gres = "rdu:sn30:2"}, "rdu:sn30:2,rdu_tile:16", ""},
	{NULL,
	 "sn30-8",
	 {.gres = "gpu:1,gres:rdu:b:2,nic"},
	 "gpu:1,gres:rdu:b:2,gres:rdu_tile:16,nic",
	 ""},
	{NULL, "sn30-8", {.gres = "rdu_tile:16,gpu:1,rdu:2"}, "rdu_tile:16,gpu:1,rdu:2", ""},
	{NULL, "sn30-8", {.gres = "rdu:2,rdu_tile:16"}, "rdu:2,rdu_tile:16", ""},
	{NULL, "sn30-8", {.gres = "rdu_tile:4"}, "rdu_tile:4", ""},
	{NULL,
	 "sn30-8",
	 {.gres = "rdu:2,rdu_mem:7", .licenses = "matlab"},
	 "rdu:2,rdu_tile:16,rdu_mem:7",
	 "matlab"},
	{HALVES, "halves", {.gres = "rdu:16"}, "rdu:16,rdu_tile:64", ""},
	{HALVES, "halves", {.tile_affinity = "rdu0"}, "rdu_tile:8", ""},
	/* For each task. */
	{TASK_SCOPE, "sn30-8", {.gres = "rdu:1", .ntasks = 4}, "rdu:4,rdu_tile:32", ""},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu", .ntasks = 4}, "rdu:4,rdu_tile:32", ""},
	{TASK_SCOPE,
	 "sn30-8",
	 {.gres = "gres:rdu:sn30:2,gpu:1", .ntasks = 3},
	 "gres:rdu:sn30:6,gres:rdu_tile:48,gpu:1",
	 ""},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu:sn30", .ntasks = 2}, "rdu:sn30:2,rdu_tile:16", ""},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu:a:3", .ntasks = 2}, "rdu:a:6,rdu_tile:48", ""},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu=1", .ntasks = 2}, "rdu=2,rdu_tile:16", ""},
	{TASK_SCOPE, "sn30-8", {.gres = "rdu_tile:4", .ntasks = 2}, "rdu_tile:4", ""},
	/* Requested by options only. */
	{NULL, "sn30-8", {.tiles_per_task = "4", .ntasks = 2}, "rdu_tile:8", ""},
	{NULL,
	 "sn30-8",
	 {.gres = "gres/gpu:1", .tiles_per_task = "4"},
	 "gres/gpu:1,gres/rdu_tile:4",
	 ""},
	{NULL, "sn10-8", {.tile_affinity = "0xff000000"}, "rdu:2,rdu_tile:8", ""},
	{NULL,
	 "sn10-8",
	 {.gres = "gres:gpu:1", .tile_affinity = "rdu7"},
	 "gres:gpu:1,gres:rdu:1,gres:rdu_tile:4",
	 ""},
	{NULL, "sn10-8", {.tile_affinity = "0-2"}, "rdu_tile:3", ""},
	{NULL, "sn10-8", {.tile_bind = "map:0,1"}, "rdu_tile:2", ""},
	{NULL, "sn10-8", {.gres = "gpu,,", .tile_affinity = "0"}, "gpu,rdu_tile:1", ""},
	{NULL, "sn10-8", {.gres = "(null)", .tile_affinity = "0"}, "rdu_tile:1", ""},
	{NULL, "pod64", {.gres = "(null),ipu:4"}, "", "ipu:4"},
	/* Nothing is added for a step. */
	{NULL, "sn30-8", {.step = true, .tiles_per_task = "4"}, "", ""},
	{NULL, "sn30-8", {.step = true, .tile_affinity = "rdu0", .gres = "gpu:1"}, "gpu:1", ""},
	{NULL, "sn30-8", {.step = true, .gres = "rdu:1"}, "rdu:1,rdu_tile:8", ""},
	{NULL, "pod64", {.step = true, .ipus = "4"}, "", ""},
	{IPU_GRES, "pod64", {.step = true, .ipus = "4"}, "", ""},
	/* IPUs: licenses, */
	{NULL, "pod64", {.ipus = "4"}, "", "ipu:4"},
	{NULL, "pod64", {.ipus = "4", .licenses = "matlab@flex:2"}, "", "matlab@flex:2,ipu:4"},
	{NULL, "pod64", {.ipus = "4", .licenses = "ipu:4,a"}, "", "ipu:4,a"},
	{NULL, "pod64", {.gres = "gpu:1,gres:ipu:4,nic"}, "gpu:1,nic", "ipu:4"},
	{NULL, "pod64", {.gres = "ipu:x:4", .licenses = "(null)"}, "", "ipu:4"},
	{NULL, "pod64", {.licenses = "ipu@db:8"}, "", "ipu@db:8"},
	{"IpuName = bow\n", "pod64", {.ipus = "8", .gres = "ipu:4"}, "ipu:4", "bow:8"},
	/* or GRES, a part on each node. */
	{IPU_GRES, "pod64", {.ipus = "4"}, "ipu:4", ""},
	{IPU_GRES, "pod64", {.ipus = "4", .gres = "gres/gpu:1"}, "gres/gpu:1,gres/ipu:4", ""},
	{IPU_GRES, "pod64", {.ipus = "4", .gres = "ipu:4,gpu", .licenses = "a"}, "ipu:4,gpu", "a"},
	{IPU_GRES, "pod64", {.ipus = "8", .nodes = 2}, "ipu:4", ""},
	{IPU_GRES, "pod64", {.gres = "ipu:4", .nodes = 2}, "ipu:4", ""},
	/* Pools: licenses, in addition to anything else. */
	{POOLS, NULL, {.pools = {"1"}}, "", "csx:1"},
	{POOLS, NULL, {.pools = {"1", "5"}, .licenses = "a:1"}, "", "a:1,csx:1,b@flex:5"},
	{POOLS, NULL, {.pools = {"2"}, .licenses = "csx:1,a,csx:1"}, "", "csx:1,a,csx:1"},
	{POOLS, NULL, {.pools = {NULL, "5"}, .licenses = "b@other:5"}, "", "b@other:5,b@flex:5"},
	{POOLS, NULL, {.licenses = "csx"}, "", "csx"},
	{POOLS, NULL, {.pools = {"1"}, .gres = "csx:1"}, "csx:1", "csx:1"},
	{POOLS, "sn30-8", {.pools = {"1"}, .gres = "rdu:1"}, "rdu:1,rdu_tile:8", "csx:1"},
	{POOLS, "pod64", {.pools = {"1"}, .ipus = "4"}, "", "ipu:4,csx:1"},
	{POOLS IPU_GRES, "pod64", {.pools = {"1"}, .ipus = "4"}, "ipu:4", "csx:1"},
	{POOLS, NULL, {.step = true, .pools = {"1"}}, "", ""},
};

START_TEST(scheduler_terms)
{
	const struct row *t = &rows[_i];
	struct tessera_conf *conf = read_conf(t->conf);
	const struct tessera_platform *p =
		t->platform ? tessera_conf_platform(conf, t->platform, NULL) : NULL;
	char gres[TEXT_MAX], licenses[TEXT_MAX], gres2[TEXT_MAX], licenses2[TEXT_MAX];
	struct tessera_options again = t->opt;
	struct tessera_request req, req2;
	struct tessera_error err = {0};

	ck_assert_msg(translate(conf, p, &t->opt, &req, gres, licenses, &err) == 0, "row %d: %s",
		      _i, err.text);
	ck_assert_msg(strcmp(gres, t->gres) == 0, "row %d: gres '%s'", _i, gres);
	ck_assert_msg(strcmp(licenses, t->licenses) == 0, "row %d: licenses '%s'", _i, licenses);

	/* The controller reads what the client has written. */
	again.gres = gres;
	again.licenses = licenses;
	ck_assert_msg(translate(conf, p, &again, &req2, gres2, licenses2, &err) == 0, "row %d: %s",
		      _i, err.text);
	ck_assert_msg(strcmp(gres2, gres) == 0, "row %d: gres '%s' again '%s'", _i, gres, gres2);
	ck_assert_msg(strcmp(licenses2, licenses) == 0, "row %d: licenses '%s' again '%s'", _i,
		      licenses, licenses2);
	ck_assert_msg(req2.rdus == req.rdus && req2.tiles == req.tiles && req2.ipus == req.ipus,
		      "row %d: meaning changed", _i);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(text_that_does_not_fit)
{
	struct tessera_conf *conf = read_conf(NULL);
	const struct tessera_platform *p = tessera_conf_platform(conf, "sn30-8", NULL);
	const struct tessera_options opt = {.gres = "gpu:1,rdu:2", .licenses = "matlab"};
	const size_t gres_need = sizeof("gpu:1,rdu:2,rdu_tile:16"), license_need = sizeof("matlab");
	char gres[64], licenses[64];
	struct tessera_request req;

	ck_assert_int_eq(tessera_request_read(conf, p, &opt, &req, NULL), 0);
	for (size_t len = 0; len < sizeof(gres); len++) {
		struct tessera_error err = {0};
		bool fits = len >= gres_need;

		memset(gres, '#', sizeof(gres));
		ck_assert_int_eq(
			tessera_request_scheduler(conf, &opt, &req, gres, len, licenses, 64, &err),
			fits ? 0 : -1);
		ck_assert_int_eq(err.code, fits ? TESSERA_OK : TESSERA_ERR_INPUT);
		ck_assert_int_eq(gres[len], '#');
		if (len > 0)
			ck_assert_str_eq(gres, fits ? "gpu:1,rdu:2,rdu_tile:16" : "");
	}
	for (size_t len = 0; len < sizeof(licenses); len++)
		ck_assert_int_eq(
			tessera_request_scheduler(conf, &opt, &req, gres, 64, licenses, len, NULL),
			len >= license_need ? 0 : -1);
	tessera_conf_free(conf);
}
END_TEST

/* xorshift: the same cases on each run and machine */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned)((*state >> 33) % below);
}

/*
 * For each accepted request: translating it again changes nothing, and the items of other GRES are
 * all still there, in order.
 */
START_TEST(random_lists_stay_stable)
{
	static const char *const pieces[] = {"rdu:1",      "rdu:2",      "gres:rdu:1", "rdu:x:1",
					     "rdu_tile:8", "rdu_tile:4", "rdu:0",      "ipu:4",
					     "gpu:1",      "gres/a:b:2", "rdu_mem:9",  "rdu",
					     "ipu:0",      "gpu:rdu",    "rdu_tile",   "none"};
	static const char *const confs[] = {NULL, TASK_SCOPE, IPU_GRES};
	static const char *const platforms[] = {"sn10-8", "sn30-8", "pod64"};
	uint64_t state = 0x7e55e7a000000001ULL;
	unsigned accepted = 0;

	for (unsigned round = 0; round < 6000; round++) {
		struct tessera_conf *conf = read_conf(confs[draw(&state, 3)]);
		const struct tessera_platform *p =
			tessera_conf_platform(conf, platforms[draw(&state, 3)], NULL);
		char text[256] = "", gres[TEXT_MAX], licenses[TEXT_MAX], gres2[TEXT_MAX],
		     licenses2[TEXT_MAX];
		struct tessera_options opt = {
			.gres = text, .ntasks = draw(&state, 4), .nodes = draw(&state, 3)};
		struct tessera_error err = {0};
		struct tessera_request req;
		unsigned count = draw(&state, 5);
		const char *found = gres;

		for (unsigned n = 0; n < count; n++) {
			strcat(text, n > 0 ? "," : "");
			strcat(text, pieces[draw(&state, sizeof(pieces) / sizeof(pieces[0]))]);
		}
		if (draw(&state, 4) == 0)
			opt.tiles_per_task = "2";
		if (translate(conf, p, &opt, &req, gres, licenses, &err) == 0) {
			accepted++;
			for (const char *other = strstr(text, "gpu"); other != NULL;
			     other = strstr(other + 1, "gpu")) {
				found = strstr(found, "gpu");
				ck_assert_msg(found != NULL, "round %u: '%s' became '%s'", round,
					      text, gres);
				found++;
			}
			opt.gres = gres;
			opt.licenses = licenses;
			ck_assert_msg(translate(conf, p, &opt, &req, gres2, licenses2, &err) == 0,
				      "round %u: '%s' became '%s': %s", round, text, gres,
				      err.text);
			ck_assert_msg(strcmp(gres, gres2) == 0, "round %u: '%s', '%s', '%s'", round,
				      text, gres, gres2);
			ck_assert_msg(strcmp(licenses, licenses2) == 0, "round %u: '%s'", round,
				      text);
		}
		tessera_conf_free(conf);
	}
	ck_assert_uint_gt(accepted, 1000);
}
END_TEST

/* --tres-per-task: the tiles of one task, which must be a size that a task can have. */
static const struct {
	const char *text;
	const char *given; /* --tiles-per-task */
	const char *gres;
	unsigned tiles;
	const char *error;
} per_task[] = {
	{"gres/rdu_tile:4", NULL, "gres/rdu_tile:4", 4, NULL},
	{"gres/rdu_tile:4", "4", "gres/rdu_tile:4", 4, NULL},
	{"cpu:2,gres/rdu:1", NULL, "cpu:2,gres/rdu:1,gres/rdu_tile:8", 8, NULL},
	{"gres/rdu_tile:4", "2", NULL, 0, "--tiles-per-task=2 for 2; omit one of them"},
	{"gres/rdu_tile:4", "x", NULL, 0, "--tiles-per-task"},
	{"gres/rdu_tile:12", NULL, NULL, 0, "12 tiles for each task is not a valid size"},
	{"gres/rdu_tile:65", NULL, NULL, 0, "--tres-per-task: "},
};

START_TEST(tiles_per_task)
{
	struct tessera_conf *conf = read_conf(NULL);
	const struct tessera_platform *p = tessera_platform_find_builtin("sn30-8");
	struct tessera_error err = {0};
	struct request_tres *tres =
		request_tres_per_task(conf, p, per_task[_i].text, per_task[_i].given, &err);

	if (per_task[_i].error != NULL) {
		ck_assert_ptr_null(tres);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		ck_assert_msg(strstr(err.text, per_task[_i].error) != NULL, "%s", err.text);
	} else {
		ck_assert_msg(tres != NULL, "%s", err.text);
		ck_assert_str_eq(tres->gres, per_task[_i].gres);
		ck_assert_uint_eq(tres->req.tiles, per_task[_i].tiles);
	}
	request_tres_free(tres);
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, scheduler_terms, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, text_that_does_not_fit);
	tcase_add_loop_test(tcase, tiles_per_task, 0, sizeof(per_task) / sizeof(per_task[0]));
	tcase_add_test(tcase, random_lists_stay_stable);
}

UNIT_MAIN("request_tres", add_tests)
