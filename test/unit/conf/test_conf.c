/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "lib/conf/conf.h"
#include "test/unit/unit.h"

static struct tessera_conf *parse_conf(const char *text)
{
	struct tessera_error err = {0};
	struct tessera_conf *conf = tessera_conf_parse("t.conf", text, &err);

	ck_assert_msg(conf != NULL, "%s\n%s", err.text, text);
	ck_assert_int_eq(err.code, TESSERA_OK);
	return conf;
}

static const struct tessera_platform *find_platform(const struct tessera_conf *conf,
						    const char *name)
{
	struct tessera_error err = {0};
	const struct tessera_platform *p = tessera_conf_platform(conf, name, &err);

	ck_assert_msg(p != NULL, "%s", err.text);
	ck_assert_str_eq(p->name, name);
	return p;
}

static void expect_state_dir(const struct tessera_conf *conf, const char *node, const char *want)
{
	struct tessera_error err = {0};
	char dir[512];

	ck_assert_msg(tessera_conf_state_dir(conf, node, dir, sizeof(dir), &err) == 0, "%s",
		      err.text);
	ck_assert_str_eq(dir, want);
}

static void expect_defaults(const struct tessera_conf *conf)
{
	const struct tessera_platform *p = conf == NULL ? NULL : tessera_conf_platform_at(conf, 0);
	size_t count, n = 0;

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(tessera_conf_policy(conf)->rdu_scope, TESSERA_SCOPE_NODE);
	ck_assert_int_eq(tessera_conf_ipu_model(conf), TESSERA_IPU_LICENSE);
	ck_assert_str_eq(tessera_conf_ipu_name(conf), "ipu");
	ck_assert_int_eq(tessera_conf_user_mask(conf), TESSERA_MASK_NARROW);
	ck_assert_uint_eq(tessera_conf_place_wait(conf), 30);
	ck_assert_uint_eq(tessera_conf_max_requeue(conf), 3);
	ck_assert_str_eq(tessera_conf_sntilestat(conf), "/opt/sambaflow/bin/sntilestat");
	ck_assert_str_eq(tessera_conf_gc_monitor(conf), "");
	ck_assert_uint_eq(tessera_conf_sample_max(conf), 300);
	ck_assert_uint_eq(tessera_conf_sample_wait(conf), 60);
	expect_state_dir(conf, "sm-01", "/run/tessera");
	while (tessera_conf_platform_at(conf, n) != NULL)
		n++;
	tessera_platform_builtin(&count);
	ck_assert_uint_eq(n, count);
	ck_assert_int_eq(tessera_conf_partition_platform(conf, NULL, &p, NULL), 0);
	ck_assert_ptr_null(p);
	ck_assert_int_eq(tessera_conf_partition_platform(conf, "sambanova", &p, NULL), 0);
	ck_assert_ptr_null(p);
	ck_assert_ptr_null(tessera_conf_node_platform(conf, "sm-01"));
	ck_assert_uint_eq(tessera_platform_tiles(find_platform(conf, "sn30-8")), 64);
}

START_TEST(has_defaults)
{
	static const char *const texts[] = {"", "\n", "# nothing\n",
					    "  \t\r\n# a \"quote\n# ${X} \\ * // /* +", "#"};
	struct tessera_conf *conf = tessera_conf_default();

	expect_defaults(conf);
	tessera_conf_free(conf);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		conf = parse_conf(texts[i]);
		expect_defaults(conf);
		tessera_conf_free(conf);
	}
	tessera_conf_free(NULL);
}
END_TEST

START_TEST(reads_site_settings)
{
	struct tessera_conf *conf =
		parse_conf("RduScope = task\nIpuModel = gres\nIpuName = \"graphcore\"\n");

	ck_assert_int_eq(tessera_conf_policy(conf)->rdu_scope, TESSERA_SCOPE_TASK);
	ck_assert_int_eq(tessera_conf_ipu_model(conf), TESSERA_IPU_GRES);
	ck_assert_str_eq(tessera_conf_ipu_name(conf), "graphcore");
	tessera_conf_free(conf);

	conf = parse_conf("rduscope=node ipumodel='license' IPUNAME=ipu@lab");
	ck_assert_int_eq(tessera_conf_policy(conf)->rdu_scope, TESSERA_SCOPE_NODE);
	ck_assert_int_eq(tessera_conf_ipu_model(conf), TESSERA_IPU_LICENSE);
	ck_assert_str_eq(tessera_conf_ipu_name(conf), "ipu@lab");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(reads_node_settings)
{
	static const struct {
		const char *word;
		enum tessera_user_mask mask;
	} masks[] = {{"narrow", TESSERA_MASK_NARROW},
		     {"refuse", TESSERA_MASK_REFUSE},
		     {"ignore", TESSERA_MASK_IGNORE},
		     {"wish", TESSERA_MASK_WISH}};
	struct tessera_conf *conf =
		parse_conf("StateDir = \"/var/lib/tess era\"\nPlaceWait = 3600\nMaxRequeue = 0\n");

	expect_state_dir(conf, "sm-01", "/var/lib/tess era");
	ck_assert_uint_eq(tessera_conf_place_wait(conf), 3600);
	ck_assert_uint_eq(tessera_conf_max_requeue(conf), 0);
	tessera_conf_free(conf);

	conf = parse_conf("placewait = 0 MAXREQUEUE = 65536");
	ck_assert_uint_eq(tessera_conf_place_wait(conf), 0);
	ck_assert_uint_eq(tessera_conf_max_requeue(conf), 65536);
	tessera_conf_free(conf);

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "UserMask = %s", masks[i].word);
		conf = parse_conf(text);
		ck_assert_int_eq(tessera_conf_user_mask(conf), masks[i].mask);
		tessera_conf_free(conf);
	}
}
END_TEST

START_TEST(expands_state_dir)
{
	static const struct {
		const char *text, *node, *dir;
	} want[] = {
		{"StateDir = /run/tessera/%n", "sm-01", "/run/tessera/sm-01"},
		{"StateDir = '/%n/a%n%nb/'", "h", "/h/ahhb/"},
		{"StateDir = /%nn", "h", "/hn"},
		{"StateDir = /run/t", "h", "/run/t"},
		{"StateDir = /%n", "%n", "/%n"}, /* the name itself is not expanded */
	};
	static const char *const bad_nodes[] = {"", "/", "a/b", "../x", ".", ".."};
	struct tessera_error err = {0};
	struct tessera_conf *conf;
	char dir[16];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		conf = parse_conf(want[i].text);
		expect_state_dir(conf, want[i].node, want[i].dir);
		tessera_conf_free(conf);
	}

	/* 15 characters fit, 16 do not. */
	conf = parse_conf("StateDir = /run/%n/x");
	ck_assert_int_eq(tessera_conf_state_dir(conf, "1234567x", dir, sizeof(dir), &err), 0);
	ck_assert_str_eq(dir, "/run/1234567x/x");
	ck_assert_int_eq(tessera_conf_state_dir(conf, "12345678x", dir, sizeof(dir), &err), -1);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_ptr_nonnull(strstr(
		err.text, "StateDir = /run/%n/x is longer than 15 characters on node 12345678x"));
	ck_assert_int_eq(tessera_conf_state_dir(conf, "1234567890x", dir, sizeof(dir), NULL), -1);
	ck_assert_int_eq(tessera_conf_state_dir(conf, "h", dir, 0, NULL), -1);

	for (size_t i = 0; i < sizeof(bad_nodes) / sizeof(bad_nodes[0]); i++) {
		tessera_error_clear(&err);
		ck_assert_int_eq(tessera_conf_state_dir(conf, bad_nodes[i], dir, sizeof(dir), &err),
				 -1);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		ck_assert_ptr_nonnull(strstr(err.text, "is not a node name"));
	}
	tessera_conf_free(conf);
}
END_TEST

/* The longest allowed path, and one that is too long by one. */
START_TEST(limits_state_dir_length)
{
	char text[400] = "StateDir = /";
	size_t before = strlen("StateDir = ");
	struct tessera_error err = {0};
	struct tessera_conf *conf;

	memset(text + before + 1, 'a', 254);
	conf = parse_conf(text);
	expect_state_dir(conf, "h", text + before);
	tessera_conf_free(conf);

	text[before + 255] = 'a';
	ck_assert_ptr_null(tessera_conf_parse("t.conf", text, &err));
	ck_assert_str_eq(err.text,
			 "t.conf:1: StateDir has 256 characters, but at most 255 are allowed");
}
END_TEST

START_TEST(overrides_platforms)
{
	struct tessera_conf *conf = parse_conf(
		"platform sn40l-16 {\n\tTilesPerRdu = 4\n\tMaskBits = 64\n}\n"
		"platform sn30-8 { TilesPerGres = 4 }\n"
		"platform sn10-8 { Title = \"Our old one\" TilesPerRdu = 8 MaskBits = 128 }\n"
		"platform pod64 { IpusPerDomain = 32 }");
	const struct tessera_platform *p = find_platform(conf, "sn40l-16");

	ck_assert_str_eq(p->title, "SambaRack SN40L-16");
	ck_assert_uint_eq(tessera_platform_tiles(p), 64);
	ck_assert_uint_eq(p->tiles_per_gres, 4);
	ck_assert_uint_eq(tessera_platform_gres(p), 16);

	p = find_platform(conf, "sn30-8");
	ck_assert_uint_eq(p->tiles_per_rdu, 8);
	ck_assert_uint_eq(tessera_platform_gres(p), 16);

	/* tiles_per_gres follows tiles_per_rdu. */
	p = find_platform(conf, "sn10-8");
	ck_assert_str_eq(p->title, "Our old one");
	ck_assert_uint_eq(tessera_platform_tiles(p), 64);
	ck_assert_uint_eq(p->tiles_per_gres, 8);
	ck_assert_uint_eq(tessera_platform_gres(p), 8);
	ck_assert_uint_eq(p->mask_bits, 128);

	ck_assert_uint_eq(find_platform(conf, "pod64")->ipus_per_domain, 32);
	ck_assert_uint_eq(find_platform(conf, "pod64")->ipus, 64);
	ck_assert_ptr_null(tessera_conf_platform_at(conf, 8));
	tessera_conf_free(conf);
}
END_TEST

START_TEST(adds_platforms)
{
	struct tessera_conf *conf = parse_conf(
		"platform half { Like = sn30-8 TilesPerGres = 4 }\n"
		"platform third { Like = half Xrdus = 2 }\n"
		"platform whole { Like = half TilesPerGres = 0 }\n"
		"platform own { Kind = rdu Xrdus = 1 RdusPerXrdu = 3 TilesPerRdu = 5 MaskBits = 16 "
		"}\n"
		"platform pool { Kind = ipu Ipus = 32 IpusPerMachine = 4 IpusPerDomain = 32 }\n");
	const struct tessera_platform *p = find_platform(conf, "half");

	ck_assert_str_eq(p->title, "DataScale SN30-8");
	ck_assert_uint_eq(tessera_platform_gres(p), 16);
	ck_assert_uint_eq(tessera_platform_gres(find_platform(conf, "sn30-8")), 8);

	p = find_platform(conf, "third");
	ck_assert_uint_eq(tessera_platform_rdus(p), 4);
	ck_assert_uint_eq(tessera_platform_gres(p), 8);
	ck_assert_uint_eq(tessera_platform_gres(find_platform(conf, "whole")), 8);

	p = find_platform(conf, "own");
	ck_assert_str_eq(p->title, "own");
	ck_assert_uint_eq(tessera_platform_tiles(p), 15);
	ck_assert_uint_eq(p->tiles_per_gres, 5);
	ck_assert_uint_eq(find_platform(conf, "pool")->ipus, 32);

	ck_assert_str_eq(tessera_conf_platform_at(conf, 0)->name, "sn10-8");
	ck_assert_str_eq(tessera_conf_platform_at(conf, 8)->name, "half");
	ck_assert_str_eq(tessera_conf_platform_at(conf, 12)->name, "pool");
	ck_assert_ptr_null(tessera_conf_platform_at(conf, 13));
	tessera_conf_free(conf);
}
END_TEST

START_TEST(rejects_unusable_platform)
{
	struct tessera_conf *conf = parse_conf("platform tiny { Like = sn30-8 MaskBits = 4 }");
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_platform(conf, "sn31", &err));
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_str_eq(
		err.text,
		"there is no platform \"sn31\": use one of sn10-8, sn30-8, sn40l-16, pod4, pod16, "
		"pod64, pod128, pod256, tiny");
	ck_assert_ptr_null(tessera_conf_platform(conf, "sn40l-16", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "platform sn40l-16 { TilesPerRdu = N }"));
	ck_assert_ptr_null(tessera_conf_platform(conf, "tiny", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "do not fit"));
	ck_assert_ptr_null(tessera_conf_platform(conf, "tiny", NULL));
	ck_assert_str_eq(tessera_conf_platform_at(conf, 2)->name, "sn40l-16");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(finds_platform_of_partitions)
{
	static const struct {
		const char *partitions, *platform; /* NULL: not in the file; "": rejected */
	} cases[] = {
		{"sambanova", "mine"},
		{"samba2", "mine"},
		{"sn10", "sn10-8"},
		{"sambanova,samba2", "mine"},
		{"cpu,sambanova", "mine"},
		{"sambanova,cpu", "mine"},
		{"cpu", NULL},
		{"samba", NULL},
		{"SAMBANOVA", NULL},
		{"sambanovax", NULL},
		{",", NULL},
		{"sambanova,sn10", ""},
		{"sn10,cpu,sambanova", ""},
		/* No partition named, and the file has several platforms. */
		{NULL, NULL},
		{"", NULL},
	};
	/* A platform may be defined after its use. */
	struct tessera_conf *conf = parse_conf("partition sambanova { Platform = mine }\n"
					       "partition sn10 { Platform = sn10-8 }\n"
					       "partition samba2 { Platform = \"mine\" }\n"
					       "platform mine { Like = sn30-8 }\n");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want = cases[i].platform;
		const struct tessera_platform *p = NULL;
		struct tessera_error err = {0};
		int rc = tessera_conf_partition_platform(conf, cases[i].partitions, &p, &err);

		if (want != NULL && want[0] == '\0') {
			ck_assert_msg(rc == -1, "%s was accepted", cases[i].partitions);
			ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
			ck_assert_ptr_nonnull(
				strstr(err.text, "partition sambanova has platform mine"));
			ck_assert_ptr_nonnull(strstr(err.text, "partition sn10 has sn10-8"));
		} else if (want == NULL) {
			ck_assert_int_eq(rc, 0);
			ck_assert_ptr_null(p);
		} else {
			ck_assert_int_eq(rc, 0);
			ck_assert_ptr_eq(p, find_platform(conf, want));
		}
	}
	tessera_conf_free(conf);
}
END_TEST

START_TEST(finds_common_platform)
{
	struct tessera_conf *conf =
		parse_conf("partition a { Platform = sn30-8 } partition b { Platform = sn30-8 }");
	const struct tessera_platform *p = NULL;

	ck_assert_int_eq(tessera_conf_partition_platform(conf, NULL, &p, NULL), 0);
	ck_assert_ptr_eq(p, find_platform(conf, "sn30-8"));
	ck_assert_int_eq(tessera_conf_partition_platform(conf, "", &p, NULL), 0);
	ck_assert_ptr_eq(p, find_platform(conf, "sn30-8"));
	tessera_conf_free(conf);
}
END_TEST

START_TEST(finds_platform_of_node)
{
	struct tessera_conf *conf = parse_conf("node \"sn30-r1-h[1-2],x\" { Platform = sn30-8 }\n"
					       "node sm-01 { Platform = sn10-8 }\n"
					       "node 'gc-poplar-[02-04]' { Platform = pod64 }\n"
					       /* h2 is listed twice, with the same platform. */
					       "node \"sn30-r1-h[2-3]\" { Platform = sn30-8 }\n");

	ck_assert_str_eq(tessera_conf_node_platform(conf, "sn30-r1-h2")->name, "sn30-8");
	ck_assert_str_eq(tessera_conf_node_platform(conf, "sn30-r1-h3")->name, "sn30-8");
	ck_assert_str_eq(tessera_conf_node_platform(conf, "x")->name, "sn30-8");
	ck_assert_str_eq(tessera_conf_node_platform(conf, "sm-01")->name, "sn10-8");
	ck_assert_str_eq(tessera_conf_node_platform(conf, "gc-poplar-04")->name, "pod64");
	ck_assert_ptr_null(tessera_conf_node_platform(conf, "gc-poplar-01"));
	ck_assert_ptr_null(tessera_conf_node_platform(conf, ""));
	ck_assert_ptr_null(tessera_conf_node_platform(conf, NULL));
	tessera_conf_free(conf);
}
END_TEST

/* Wrong files, the line of the error, and what its message must contain. */
static const struct {
	const char *text;
	int line;
	const char *message;
} wrong[] = {
	/* Keys */
	{"Colour = red", 1, "no such option 'Colour': tessera.conf(5) lists all keys"},
	{"# one\n# two\n\n  # three # four\nColour = red", 5, "no such option 'Colour'"},
	{"RduScope = node # c\n\n# c\nIpuModel = gres\nColour = red", 5, "no such option"},
	{"platform x {\n\tLike = sn30-8\n\tTiles = 4\n}", 3,
	 "no such option 'Tiles': allowed here are Like, Title, Kind"},
	{"partition a {\n Platform = sn30-8\n}\n\npartition b {\n # c\n Colour = 1 }", 7,
	 "allowed here are Platform"},
	{"TilesPerRdu = 4", 1, "no such option 'TilesPerRdu'"},
	{"Platform = sn30-8", 1, "title"},
	{"RduScope = node\nIpuName = a\nRDUSCOPE = task", 3, "RduScope is set twice: line 1"},
	{"platform x {\nXrdus = 1\nKind = rdu\nXrdus = 2 }", 4, "Xrdus is set twice: line 2"},
	{"platform x { Like = sn30-8 }\n\"platform=x|Xrdus\" = 4", 2,
	 "Xrdus can only be set in its block"},
	{"platform x { Like = sn30-8 }\n\"platform|Xrdus\" = 4", 2,
	 "Xrdus can only be set in its block"},
	{"\n\"\" = 4", 2, "syntax error"},
	/* Syntax */
	{"RduScope", 1, "premature end"},
	{"RduScope =", 1, "premature end"},
	{"RduScope\n= ", 2, "premature end"},
	{"RduScope node", 1, "equal sign"},
	{"RduScope = {}", 1, "unexpected token"},
	{"\n}", 2, "closing brace"},
	{"platform", 1, "premature end"},
	{"platform {}", 1, "title"},
	{"platform a b", 1, "brace"},
	{"platform a {\n\n", 1, "not closed with a }"},
	{"\nplatform a {\n Like = sn30-8\npartition b {\n Platform = a\n}\n", 2,
	 "not closed with a }"},
	{"platform a { Like = sn30-8 }\n partition b { Platform = a }\n}", 3, "closing brace"},
	{"RduScope = node\nIpuName = \"ipu\nIpuModel = gres\n", 2, "not closed with \""},
	{"IpuName = 'ipu", 1, "not closed with '"},
	{"\n\nIpuName = \"a\\\"b\"", 3, "backslash"},
	{"IpuName = \"\\777\"", 1, "backslash"},
	{"IpuName = \"${HOME}\"", 1, "${...}"},
	{"\nIpuName = ${HOME:-x}", 2, "${...}"},
	{"IpuName = '${HOME}'", 1, "${...}"},
	{"\n// comment", 2, "write #"},
	{"IpuName = ipu /* comment */", 1, "write #"},
	{"\nIpuName = *", 2, "\"*\""},
	{"IpuName += a", 1, "\"+\""},
	{"RduScope = node\nIpuName = a\001b", 2, "control character (number 1)"},
	{"# c\nIpuName = \"a\033[1m\"", 2, "control character (number 27)"},
	{"IpuName = \"it's\"\nRduScope = \"'\"\nIpuModel = '\"", 3, "not closed with '"},
	{"include(\"/etc/passwd\")", 1, "no such option 'include'"},
	/* Values */
	{"\nRduScope = job", 2, "RduScope = job is unknown: write node, task or auto"},
	{"RduScope = Node", 1, "RduScope = Node is unknown"},
	{"RduScope = \"\"", 1, "write node, task or auto"},
	{"IpuModel =\n\n licence", 3, "IpuModel = licence is unknown: write license or gres"},
	{"IpuName = \"\"", 1, "1 to 63"},
	{"IpuName = \"a b\"", 1, "\"a b\" is not a valid name"},
	{"IpuName = 1234567890123456789012345678901234567890123456789012345678901234", 1,
	 "1 to 63"},
	{"UserMask = \n\nno", 3, "UserMask = no is unknown: write narrow, refuse, ignore or wish"},
	{"StateDir = run/tessera", 1,
	 "StateDir = run/tessera is not an absolute path: it must start with /"},
	{"\nStateDir = ''", 2, "is not an absolute path"},
	{"StateDir = %n", 1, "is not an absolute path"},
	{"StateDir = /run/%h/x", 1, "StateDir = /run/%h/x has a % in it other than %n"},
	{"StateDir = /%n/x%", 1, "has a % in it other than %n"},
	{"StateDir = /%%n", 1, "has a % in it other than %n"},
	{"PlaceWait = 3601", 1, "PlaceWait = 3601 is too large: write a number from 0 to 3600"},
	{"PlaceWait = 30s", 1, "PlaceWait = 30s is not a number: write one from 0 to 3600"},
	{"MaxRequeue = -1", 1, "MaxRequeue = -1 is not a number: write one from 0 to 65536"},
	{"platform x {\n Like = sn30-8\n Kind = gpu\n}", 3,
	 "Kind = gpu is unknown: write rdu or ipu"},
	{"platform sn30-8 {\n\n TilesPerRdu = -8\n}", 3, "TilesPerRdu = -8 is not a number"},
	{"platform sn30-8 { TilesPerRdu = 8x }", 1, "8x is not a number"},
	{"platform sn30-8 { TilesPerRdu = 0x8 }", 1, "0x8 is not a number"},
	{"platform sn30-8 { TilesPerRdu = 8.0 }", 1, "8.0 is not a number"},
	{"platform sn30-8 { TilesPerRdu = '' }", 1, "is not a number"},
	{"platform sn30-8 { TilesPerRdu = ' 8' }", 1, "is not a number"},
	{"platform sn30-8 {\n MaskBits = 64\n TilesPerRdu = 65537 }", 3, "65537 is too large"},
	{"platform sn30-8 { TilesPerRdu = 18446744073709551624 }", 1, "is too large"},
	{"platform sn30-8 {\nTitle = "
	 "'1234567890123456789012345678901234567890123456789012345678901234'\n}",
	 2, "Title has 64 characters"},
	{"platform sn30-8 {\nXrdus = 4\nIpus = 4\n}", 3,
	 "sn30-8 cannot have Ipus: it is of Kind = rdu"},
	{"platform pod64 { MaskBits = 64 }", 1, "pod64 cannot have MaskBits: it is of Kind = ipu"},
	/* Platforms */
	{"\nplatform x {\n\n Like = sn31\n}", 4,
	 "there is no platform \"sn31\": use one of sn10-8"},
	{"platform x { Like = y }\nplatform y { Like = sn30-8 }", 1, "there is no platform \"y\""},
	{"platform x { Like = x }", 1, "there is no platform \"x\""},
	{"\nplatform \"a b\" {\n Like = sn30-8\n}", 2, "platform \"a b\" is not a valid name"},
	{"platform x { Like = sn30-8 }\nplatform y { Like = x }\nplatform x {\n}\n", 3,
	 "platform x is defined twice: line 1 has it already"},
	{"partition a {\n Platform = sn31\n}", 2, "there is no platform \"sn31\""},
	{"\n\npartition a {\n Platform =\n sn40l-16\n}", 5,
	 "platform sn40l-16 { TilesPerRdu = N }"},
	{"partition a {\n Platform = x\n}\nplatform x {\n\n Like = sn30-8\n MaskBits = 32 }", 4,
	 "do not fit"},
	{"node a { Platform = x }\n\nplatform x { }", 3, "Kind = rdu"},
	/* Partitions */
	{"\npartition a { }", 2, "partition a has no platform: write Platform = NAME"},
	{"partition a { Platform = sn30-8 }\n\npartition a {\n Platform = sn30-8\n}", 3,
	 "partition a is defined twice: line 1 has it already"},
	{"node a { Platform = sn30-8 }\npartition a { Platform = sn30-8 }\n\npartition A { "
	 "Platform = sn30-8 }",
	 4, "partition A is defined twice: line 2 has it already"},
	{"partition a { Platform = sn30-8 }\nnode a { Platform = sn30-8 }\nNode\na { Platform = "
	 "sn30-8 }",
	 4, "a is defined twice: line "},
	{"\npartition 'a,b' {\n Platform = sn30-8\n}", 2, "\"a,b\" is not a valid name"},
	/* Nodes */
	{"\nnode a { }", 2, "node a has no platform"},
	{"node a { Platform = sn30-8 }\nnode a { Platform = sn10-8 }", 2,
	 "node a is defined twice: line 1 has it already"},
	{"node b { Platform = sn30-8 }\nnode \"h[1-\" {\n Platform = sn30-8\n\n}", 2, "brackets"},
	{"node '' { Platform = sn30-8 }", 1, "is empty"},
	{"node h[1-2] { Platform = sn31 }", 1, "there is no platform \"sn31\""},
	{"node \"h[1-8]\" { Platform = sn30-8 }\nnode x { Platform = sn10-8 }\nnode \"y,h[07,7]\" "
	 "{\nPlatform = "
	 "sn10-8\n}",
	 3, "node h7 has platform sn10-8 here, but node \"h[1-8]\" on line 1 gives it sn30-8"},
};

START_TEST(rejects_wrong_files)
{
	char start[32];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tessera_error err = {0};

		ck_assert_msg(tessera_conf_parse("t.conf", wrong[i].text, &err) == NULL,
			      "accepted:\n%s", wrong[i].text);
		ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
		snprintf(start, sizeof(start), "t.conf:%d: ", wrong[i].line);
		ck_assert_msg(strncmp(err.text, start, strlen(start)) == 0,
			      "not on line %d: %s\n%s", wrong[i].line, err.text, wrong[i].text);
		ck_assert_msg(strstr(err.text, wrong[i].message) != NULL, "no \"%s\" in: %s",
			      wrong[i].message, err.text);
		ck_assert_ptr_null(tessera_conf_parse("t.conf", wrong[i].text, NULL));

		/* A failure does not affect the next call. */
		tessera_conf_free(parse_conf("IpuName = ipu"));
	}
}
END_TEST

/* libconfuse's own integers would fail with a stale ERANGE. */
START_TEST(ignores_stale_errno)
{
	errno = ERANGE;
	tessera_conf_free(parse_conf("platform sn40l-16 { TilesPerRdu = 4 }"));
}
END_TEST

START_TEST(reads_url_as_one_word)
{
	/* The // of a URL does not start a comment. */
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_parse("t.conf", "IpuName = http://host/x", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "\"http://host/x\" is not a valid name"));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_defaults);
	tcase_add_test(tcase, reads_site_settings);
	tcase_add_test(tcase, reads_node_settings);
	tcase_add_test(tcase, expands_state_dir);
	tcase_add_test(tcase, limits_state_dir_length);
	tcase_add_test(tcase, overrides_platforms);
	tcase_add_test(tcase, adds_platforms);
	tcase_add_test(tcase, rejects_unusable_platform);
	tcase_add_test(tcase, finds_platform_of_partitions);
	tcase_add_test(tcase, finds_common_platform);
	tcase_add_test(tcase, finds_platform_of_node);
	tcase_add_test(tcase, rejects_wrong_files);
	tcase_add_test(tcase, ignores_stale_errno);
	tcase_add_test(tcase, reads_url_as_one_word);
}

UNIT_MAIN("conf", add_tests)
