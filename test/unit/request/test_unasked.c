/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that request no tiles, for each value of Unasked. */
#include "config.h"

#include "lib/conf/gres_list.h"
#include "lib/request/unasked.h"
#include "test/unit/unit.h"

static const char site[] =
	"partition left    { Platform = sn30-8 Unasked = leave }\n"
	"partition given   { Platform = sn30-8 Unasked = default }\n"
	"partition half    { Platform = sn30-8 Unasked = default Default = \"rdu_tile:4\" }\n"
	"partition small   { Platform = sn10-8 Unasked = default }\n"
	"partition empty   { Platform = sn30-8 Unasked = none }\n"
	"partition empty10 { Platform = sn10-8 Unasked = none }\n"
	"partition closed  { Platform = sn30-8 Unasked = refuse Default = \"rdu:2\" }\n"
	"partition pod     { Platform = pod64 Unasked = refuse }\n";

/* What a job requests. */
enum said { NOTHING, TILES, NONE };

static struct unasked asked(enum said said)
{
	return (struct unasked){.tiles = said == TILES, .none = said == NONE};
}

static struct tessera_conf *parsed(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s", err.text);
	return conf;
}

static const struct {
	const char *partitions;
	enum said said;
	enum unasked_act act;
	const char *gres; /* NULL: none */
	const char *says; /* why it is refused; NULL: it is not */
} cases[] = {
	/* A request for tiles is never changed. */
	{"left", TILES, UNASKED_PASS, NULL, NULL},
	{"given", TILES, UNASKED_PASS, NULL, NULL},
	{"empty", TILES, UNASKED_PASS, NULL, NULL},
	{"closed", TILES, UNASKED_PASS, NULL, NULL},
	{"given,half", TILES, UNASKED_PASS, NULL, NULL},
	/* No request. */
	{"left", NOTHING, UNASKED_PASS, NULL, NULL},
	{"given", NOTHING, UNASKED_ADD, "rdu:1", NULL},
	{"half", NOTHING, UNASKED_ADD, "rdu_tile:4", NULL},
	{"empty", NOTHING, UNASKED_TELL, "rdu:1", NULL},
	{"closed", NOTHING, UNASKED_PASS, NULL,
	 "jobs in partition closed must ask for RDUs: add --gres=rdu:2"},
	/*
	 * An explicit request for none needs no advice, but is refused where Unasked = refuse.
	 */
	{"left", NONE, UNASKED_PASS, NULL, NULL},
	{"given", NONE, UNASKED_PASS, NULL, NULL},
	{"given,half", NONE, UNASKED_PASS, NULL, NULL},
	{"empty", NONE, UNASKED_PASS, NULL, NULL},
	{"closed", NONE, UNASKED_PASS, NULL,
	 "jobs in partition closed must ask for RDUs: add --gres=rdu:2"},
	/* Partitions without tiles, or not in tessera.conf. */
	{"pod", NOTHING, UNASKED_PASS, NULL, NULL},
	{"other", NOTHING, UNASKED_PASS, NULL, NULL},
	/* Several partitions. */
	{"left,pod", NOTHING, UNASKED_PASS, NULL, NULL},
	{"given,given", NOTHING, UNASKED_ADD, "rdu:1", NULL},
	{"other,given", NOTHING, UNASKED_ADD, "rdu:1", NULL},
	{"given,half", NOTHING, UNASKED_PASS, NULL, "partitions given and half differ"},
	{"left,given", NOTHING, UNASKED_PASS, NULL, "partitions left and given differ"},
	{"given,empty", NOTHING, UNASKED_PASS, NULL, "partitions given and empty differ"},
	{"given,small", NOTHING, UNASKED_PASS, NULL, "name partitions of one platform only"},
	{"left,empty", NOTHING, UNASKED_TELL, "rdu:1", NULL},
	{"left,empty,empty10", NOTHING, UNASKED_TELL, "rdu:1", NULL},
	{"pod,closed", NOTHING, UNASKED_PASS, NULL, "jobs in partition closed must ask for RDUs"},
	/* The partition is unknown, and the partitions differ: decided on the node. */
	{NULL, NOTHING, UNASKED_PASS, NULL, NULL},
	{"", NOTHING, UNASKED_PASS, NULL, NULL},
};

START_TEST(decides)
{
	struct tessera_conf *conf = parsed(site);
	struct unasked what = asked(cases[_i].said);
	struct unasked_decision decision;
	struct tessera_error err = {0};
	int rc = unasked_decide(conf, cases[_i].partitions, &what, &decision, &err);

	if (cases[_i].says != NULL) {
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		ck_assert_msg(strstr(err.text, cases[_i].says) != NULL, "%s", err.text);
	} else {
		ck_assert_msg(rc == 0, "%s", err.text);
	}
	ck_assert_int_eq(decision.act, cases[_i].act);
	if (cases[_i].gres != NULL)
		ck_assert_str_eq(decision.gres, cases[_i].gres);
	else
		ck_assert_ptr_null(decision.gres);
	tessera_conf_free(conf);
}
END_TEST

/* The partition is unknown, but all partitions agree. */
START_TEST(agrees)
{
	struct tessera_conf *conf = parsed("Unasked = default\npartition a { Platform = sn30-8 "
					   "}\npartition b { Platform = sn30-8 }\n");
	const struct unasked nothing = {0};
	struct unasked_decision decision;
	struct tessera_error err = {0};

	ck_assert_int_eq(unasked_decide(conf, NULL, &nothing, &decision, &err), 0);
	ck_assert_int_eq(decision.act, UNASKED_ADD);
	ck_assert_str_eq(decision.gres, "rdu:1");
	tessera_conf_free(conf);
}
END_TEST

static const struct {
	const char *partitions;
	const char *platform; /* of the node; NULL: it has no tiles */
	bool masks;
} nodes[] = {
	{"left", "sn30-8", false},
	{"given", "sn30-8", true}, /* a job with --gres=none */
	{"empty", "sn30-8", true},
	{"closed", "sn30-8", true}, /* a job from before the key was set */
	{"empty", NULL, false},
	{"pod", "pod64", false},
	{"other", "sn30-8", false},
	{"left,pod", "sn30-8", false},
	{"pod,empty", "sn30-8", true},
	{"pod,empty", "pod64", false},
	/* srun has all partitions of a job; the platform of the node distinguishes them. */
	{"left,empty10", "sn30-8", false},
	{"left,empty10", "sn10-8", true},
	{"left,empty", "sn30-8", true},
	{NULL, "sn30-8", true},
	{"empt", "sn30-8", false},
};

START_TEST(masks)
{
	struct tessera_conf *conf = parsed(site);
	const struct tessera_platform *platform =
		nodes[_i].platform != NULL ? tessera_conf_platform(conf, nodes[_i].platform, NULL)
					   : NULL;

	ck_assert_int_eq(unasked_masks(conf, nodes[_i].partitions, platform), nodes[_i].masks);
	tessera_conf_free(conf);
}
END_TEST

static const struct {
	const char *gres;
	bool refuses;
} texts[] = {
	{NULL, false},         {"", false},           {"none", true},
	{"NONE", true},        {"gres:none", true},   {"gres/none", true},
	{"none,rdu:1", false}, {"nonesuch:1", false}, {"rdu:0", true},
	{"gres:rdu:0", true},  {"rdu_tile:0", true},  {"rdu_mem:5,rdu:0", true},
	{"rdu_mem:5", false},  {"rdu:1", false},      {"rdu:1,rdu_tile:0", false},
	{"rdu:x", false},      {"gres:", false},
};

START_TEST(requests_none)
{
	ck_assert_int_eq(gres_refuses_tiles(texts[_i].gres), texts[_i].refuses);
}
END_TEST

static const struct {
	const char *gres;
	const char *more;
	const char *prefix;
	const char *both;
} sums[] = {
	{NULL, "rdu:1", "", "rdu:1"},
	{"", "rdu:1", "gres:", "gres:rdu:1"},
	{"(null)", "rdu:1", "gres/", "gres/rdu:1"},
	{"foo:1", "rdu:1", "", "foo:1,rdu:1"},
	{"gres:foo:1,gres:bar", "gres:rdu:1", "gres:", "gres:foo:1,gres:bar,gres:rdu:1"},
	{NULL, "rdu:1,rdu_mem:5", "gres:", "gres:rdu:1,gres:rdu_mem:5"},
	/* An item that is named already stays. */
	{"gres:rdu_mem:2", "rdu_mem:5,rdu:1", "gres:", "gres:rdu_mem:2,gres:rdu:1"},
	{"rdu_mem:x:2", "rdu_mem,rdu_tile:4", "", "rdu_mem:x:2,rdu_tile:4"},
};

START_TEST(adds)
{
	char *both = unasked_add(sums[_i].gres, sums[_i].more, sums[_i].prefix);

	ck_assert_ptr_nonnull(both);
	ck_assert_str_eq(both, sums[_i].both);
	free(both);
}
END_TEST

START_TEST(reads)
{
	const struct {
		struct tessera_options opt;
		bool tiles, none;
	} said[] = {
		{{.gres = "rdu:1"}, true, false},       {{.gres = "rdu_tile:4"}, true, false},
		{{.tiles_per_task = "4"}, true, false}, {{.tile_affinity = "rdu0"}, true, false},
		{{.tile_bind = "block"}, true, false},  {{.gres = "rdu_mem:5"}, false, false},
		{{.gres = "none"}, false, true},        {{.gres = "rdu:0"}, false, true},
		{{.ipus = "4"}, false, false},          {{.pools = {"1"}}, false, false},
		{{.gres = NULL}, false, false},
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		ck_assert_int_eq(unasked_read(&said[i].opt).tiles, said[i].tiles);
		ck_assert_int_eq(unasked_read(&said[i].opt).none, said[i].none);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, decides, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tcase, agrees);
	tcase_add_test(tcase, reads);
	tcase_add_loop_test(tcase, adds, 0, sizeof(sums) / sizeof(sums[0]));
	tcase_add_loop_test(tcase, masks, 0, sizeof(nodes) / sizeof(nodes[0]));
	tcase_add_loop_test(tcase, requests_none, 0, sizeof(texts) / sizeof(texts[0]));
}

UNIT_MAIN("unasked", add_tests)
