/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of tessera.conf for locality: Numa and PciId of a platform, TopologyCommand. */
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

/* WANT has the NUMA nodes of the platform's RDUs, in order. */
static void expect_numa(const char *keys, const char *want)
{
	char text[512], got[256] = "";
	struct tessera_conf *conf;
	const struct tessera_platform *p;
	size_t used = 0;

	snprintf(text, sizeof(text),
		 "platform mine {\n Like = sn30-8\n %s\n}\nnode n { Platform = mine }", keys);
	conf = parse_conf(text);
	p = tessera_conf_node_platform(conf, "n");
	ck_assert_ptr_nonnull(p);
	for (unsigned rdu = 0; rdu < tessera_platform_rdus(p); rdu++)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%d ",
					 tessera_platform_numa(p, rdu));
	ck_assert_str_eq(got, want);
	ck_assert_int_eq(tessera_platform_numa(p, tessera_platform_rdus(p)), -1);
	tessera_conf_free(conf);
}

START_TEST(reads_numa)
{
	expect_numa("", "-1 -1 -1 -1 -1 -1 -1 -1 ");
	expect_numa("Numa = \"\"", "-1 -1 -1 -1 -1 -1 -1 -1 ");
	expect_numa("Numa = 0", "0 0 0 0 0 0 0 0 ");
	expect_numa("Numa = \"0,1\"", "0 0 0 0 1 1 1 1 ");
	expect_numa("Numa = \"1,0\"", "1 1 1 1 0 0 0 0 ");
	expect_numa("Numa = \"3,1,3,65535\"", "3 3 1 1 3 3 65535 65535 ");
	expect_numa("Numa = \"0,1,2,3,4,5,6,7\"", "0 1 2 3 4 5 6 7 ");
	expect_numa("Xrdus = 3\n Numa = \"0,1,2\"", "0 0 1 1 2 2 ");
}
END_TEST

START_TEST(reads_pci_id)
{
	static const struct {
		const char *text;
		bool known;
		unsigned vendor;
		int device;
	} cases[] = {
		{"", false, 0, 0},
		{"1fed", true, 0x1fed, -1},
		{"1FED", true, 0x1fed, -1},
		{"0000", true, 0, -1},
		{"09af:0001", true, 0x09af, 1},
		{"9Abc:FFFF", true, 0x9abc, 0xffff},
		{"1fed:0000", true, 0x1fed, 0},
	};
	char text[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tessera_conf *conf;
		unsigned vendor = 77;
		int device = 77;

		snprintf(text, sizeof(text),
			 "platform sn30-8 { PciId = \"%s\" }\nnode n { Platform = sn30-8 }",
			 cases[i].text);
		conf = parse_conf(text);
		ck_assert_int_eq(tessera_platform_pci(tessera_conf_node_platform(conf, "n"),
						      &vendor, &device),
				 cases[i].known);
		if (cases[i].known) {
			ck_assert_uint_eq(vendor, cases[i].vendor);
			ck_assert_int_eq(device, cases[i].device);
		}
		tessera_conf_free(conf);
	}
}
END_TEST

/* A platform that has not passed tessera_platform_check(). */
START_TEST(handles_unchecked_platform)
{
	static const char *const wrong[] = {"x", "0,", "0,1,2", "0,1,2,3,4,5,6,7,8", "65536"};
	struct tessera_platform p = *tessera_platform_find_builtin("sn30-8");

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(p.numa, sizeof(p.numa), "%s", wrong[i]);
		ck_assert_msg(tessera_platform_numa(&p, 0) == -1, "%s", wrong[i]);
		ck_assert_int_eq(tessera_platform_check(&p, NULL), -1);
	}
	snprintf(p.numa, sizeof(p.numa), "65535");
	ck_assert_int_eq(tessera_platform_numa(&p, 7), 65535);
	ck_assert_int_eq(tessera_platform_numa(&p, 8), -1);
}
END_TEST

/* Built-in rows have no values, because none are published. */
START_TEST(has_no_builtin_location)
{
	size_t count;
	const struct tessera_platform *rows = tessera_platform_builtin(&count);

	for (size_t i = 0; i < count; i++) {
		ck_assert_str_eq(rows[i].numa, "");
		ck_assert_str_eq(rows[i].pci_id, "");
	}
}
END_TEST

#define USED "\n}\nnode n { Platform = mine }"
#define MINE "\n\nplatform mine {\n Like = sn30-8\n "

/* Reported at the line of the platform's block, or of the key. */
static const struct wrong {
	const char *text;
	const char *want;
} wrongs[] = {
	{MINE "Numa = \"0,1,2\"" USED,
	 "t.conf:3: platform mine has 3 numbers in Numa, which do not divide its 8 RDUs"},
	{MINE "Numa = \"0,1,2,3,4,5,6,7,8\"" USED, "t.conf:3: platform mine has 9 numbers in Numa"},
	{MINE "Numa = \"a\"" USED, "t.conf:3: platform mine has Numa = \"a\", which is not a list"},
	{MINE "Numa = \"0,\"" USED, "which is not a list"},
	{MINE "Numa = \",0\"" USED, "which is not a list"},
	{MINE "Numa = \"0 1\"" USED, "which is not a list"},
	{MINE "Numa = \" 0\"" USED, "which is not a list"},
	{MINE "Numa = \"0,1 \"" USED, "which is not a list"},
	{MINE "Numa = \"-1\"" USED, "which is not a list"},
	{MINE "Numa = \"01\"" USED, "which is not a list"},
	{MINE "Numa = \"0-3\"" USED, "which is not a list"},
	{MINE "Numa = \"65536\"" USED, "which is not a list"},
	{MINE "PciId = \"1fe\"" USED,
	 "t.conf:3: platform mine has PciId = \"1fe\", which is not a PCI ID"},
	{MINE "PciId = \"1fedx\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed0001\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed.0001\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed:\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed:001\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed:00011\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1feg\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"0x1f\"" USED, "is not a PCI ID"},
	{MINE "PciId = \":1fed\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed:0001:0002\"" USED, "is not a PCI ID"},
	{MINE "PciId = \"1fed:0001:00020003\"" USED,
	 "t.conf:5: PciId has 18 characters, but at most 15"},
	{MINE "Numa = \"0,1\"\n Xrdus = 3\n RdusPerXrdu = 1" USED,
	 "2 numbers in Numa, which do not divide its 3 RDUs"},
	{"platform pod { Like = pod64 Numa = 0 }",
	 "t.conf:1: platform pod cannot have Numa: it is of Kind = ipu"},
	{"platform pod { Like = pod64 PciId = 1d95 }", "platform pod cannot have PciId"},
	{"TopologyCommand = tessera", "t.conf:1: TopologyCommand = tessera has no absolute path"},
};

START_TEST(rejects_wrong_files)
{
	struct tessera_error err = {0};

	ck_assert_ptr_null(tessera_conf_parse("t.conf", wrongs[_i].text, &err));
	ck_assert_msg(strstr(err.text, wrongs[_i].want) != NULL, "%s", err.text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
}
END_TEST

START_TEST(reads_topology_command)
{
	struct tessera_conf *conf = parse_conf("");

	ck_assert_str_eq(tessera_conf_topology(conf),
			 TESSERA_COMMAND " topology --write --node=%n");
	tessera_conf_free(conf);
	conf = parse_conf("TopologyCommand = \"\"");
	ck_assert_str_eq(tessera_conf_topology(conf), "");
	tessera_conf_free(conf);
	conf = parse_conf("TopologyCommand = \"/x/tessera topology --node=%n\"");
	ck_assert_str_eq(tessera_conf_topology(conf), "/x/tessera topology --node=%n");
	tessera_conf_free(conf);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, reads_numa);
	tcase_add_test(tcase, reads_pci_id);
	tcase_add_test(tcase, handles_unchecked_platform);
	tcase_add_test(tcase, has_no_builtin_location);
	tcase_add_loop_test(tcase, rejects_wrong_files, 0, sizeof(wrongs) / sizeof(wrongs[0]));
	tcase_add_test(tcase, reads_topology_command);
}

UNIT_MAIN("conf_locality", add_tests)
