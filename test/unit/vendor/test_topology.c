/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables from synthetic topologies of hwloc and from files, independent of the machine that runs
 * this.
 */
#include "config.h"

#include <stdio.h>

#include "lib/vendor/topology.h"
#include "test/unit/unit.h"

static struct tessera_locality table; /* too large for the stack */
static char path[512];

static struct tessera_platform sn30(const char *numa, const char *pci_id)
{
	struct tessera_platform p = *tessera_platform_find_builtin("sn30-8");

	snprintf(p.numa, sizeof(p.numa), "%s", numa);
	snprintf(p.pci_id, sizeof(p.pci_id), "%s", pci_id);
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	return p;
}

static struct topology_source synthetic(const char *description)
{
	return (struct topology_source){.synthetic = description};
}

/* srcdir is set by make check and by ./check. */
static struct topology_source file(const char *name)
{
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/test/fixtures/topology/%s", srcdir != NULL ? srcdir : ".",
		 name);
	return (struct topology_source){.xml = path};
}

/* The table's text without title and boot. */
static void expect(struct topology_source from, const struct tessera_platform *p, const char *want)
{
	struct tessera_error why = {0};
	size_t len = 0;
	char *text;

	ck_assert_msg(topology_read(&from, p, &table, &why) == 0, "%s", why.text);
	ck_assert_str_eq(table.platform, p->name);
	ck_assert_str_eq(table.boot, "");
	memcpy(table.boot, "b", 2);
	text = locality_format(&table, &len);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(strstr(text, "\nboot b\n") + strlen("\nboot b\n"), want);
	ck_assert_int_eq(locality_parse(text, len, &table), 0);
	free(text);
}

START_TEST(two_sockets)
{
	struct tessera_platform p = sn30("0,1", "");
	const char *want = "numa 0 cores 0-63 cpus 0-63\n"
			   "numa 1 cores 64-127 cpus 64-127\n"
			   "rdu 0-3 distances 10,20\n"
			   "rdu 4-7 distances 20,10\n"
			   "end 4\n";

	expect(synthetic("pack:2 numa:1 core:64 pu:1"), &p, want);
	expect(file("two-sockets.xml"), &p, want);
	p = sn30("1,0,0,1", "");
	expect(synthetic("pack:2 numa:1 core:64 pu:1"), &p,
	       "numa 0 cores 0-63 cpus 0-63\n"
	       "numa 1 cores 64-127 cpus 64-127\n"
	       "rdu 0-1 distances 20,10\n"
	       "rdu 2-5 distances 10,20\n"
	       "rdu 6-7 distances 20,10\n"
	       "end 5\n");
}
END_TEST

/* Numa takes precedence over PCI devices. */
START_TEST(numa_before_devices)
{
	struct tessera_platform p = sn30("0,1", "1fed:0001");

	expect(file("devices.xml"), &p,
	       "numa 0 cores 0-1 cpus 0-1\n"
	       "numa 1 cores 2-3 cpus 2-3\n"
	       "rdu 0-3 distances 10,21\n"
	       "rdu 4-7 distances 22,10\n"
	       "end 4\n");
}
END_TEST

START_TEST(eight_numa_nodes)
{
	struct tessera_platform p = sn30("7,6,5,4,3,2,1,0", "");

	expect(synthetic("pack:2 numa:4 core:2 pu:1"), &p,
	       "numa 0 cores 0-1 cpus 0-1\n"
	       "numa 1 cores 2-3 cpus 2-3\n"
	       "numa 2 cores 4-5 cpus 4-5\n"
	       "numa 3 cores 6-7 cpus 6-7\n"
	       "numa 4 cores 8-9 cpus 8-9\n"
	       "numa 5 cores 10-11 cpus 10-11\n"
	       "numa 6 cores 12-13 cpus 12-13\n"
	       "numa 7 cores 14-15 cpus 14-15\n"
	       "rdu 0 distances 20,20,20,20,20,20,20,10\n"
	       "rdu 1 distances 20,20,20,20,20,20,10,20\n"
	       "rdu 2 distances 20,20,20,20,20,10,20,20\n"
	       "rdu 3 distances 20,20,20,20,10,20,20,20\n"
	       "rdu 4 distances 20,20,20,10,20,20,20,20\n"
	       "rdu 5 distances 20,20,10,20,20,20,20,20\n"
	       "rdu 6 distances 20,10,20,20,20,20,20,20\n"
	       "rdu 7 distances 10,20,20,20,20,20,20,20\n"
	       "end 16\n");
}
END_TEST

/* Two threads of a core: core 0 has CPUs 0 and 8, as on most machines. */
START_TEST(threads)
{
	struct tessera_platform p = sn30("0,1", "");

	expect(file("smt.xml"), &p,
	       "numa 0 cores 0-3 cpus 0-3,8-11\n"
	       "numa 1 cores 4-7 cpus 4-7,12-15\n"
	       "rdu 0-3 distances 10,20\n"
	       "rdu 4-7 distances 20,10\n"
	       "end 4\n");
}
END_TEST

/* With one NUMA node, or none reported, all RDUs have the same distance. */
START_TEST(one_numa_node)
{
	const char *want = "numa 0 cores 0-3 cpus 0-3\nrdu 0-7 distances 10\nend 2\n";
	struct tessera_platform p = sn30("", "");
	struct tessera_cpuset set = {0};
	unsigned cost[TESSERA_TILES_MAX];

	expect(synthetic("pack:2 core:2 pu:1"), &p, want);
	expect(synthetic("numa:1 core:4 pu:1"), &p, want);
	p = sn30("", "1fed");
	expect(synthetic("pack:2 core:2 pu:1"), &p, want);
	p = sn30("0", "");
	expect(synthetic("pack:2 core:2 pu:1"), &p, want);
	/* Whatever cores a job has, all RDUs cost the same. */
	tessera_cpuset_add(&set, 2);
	ck_assert(tessera_locality_cost(&table, &set, false, cost));
	for (unsigned rdu = 1; rdu < 8; rdu++)
		ck_assert_uint_eq(cost[rdu], cost[0]);
}
END_TEST

/* A NUMA node without CPUs has no line, but an RDU may be at it. */
START_TEST(memory_alone)
{
	struct tessera_platform p = sn30("0,2", "");

	expect(file("memory.xml"), &p,
	       "numa 0 cores 0-1 cpus 0-1\n"
	       "numa 1 cores 2-3 cpus 2-3\n"
	       "rdu 0-3 distances 10,20\n"
	       "rdu 4-7 distances 20,20\n"
	       "end 4\n");
}
END_TEST

/* No cores are reported: each CPU counts as one. */
START_TEST(without_cores)
{
	struct tessera_platform p = sn30("0,1", "");

	expect(synthetic("numa:2 pu:2"), &p,
	       "numa 0 cores 0-1 cpus 0-1\n"
	       "numa 1 cores 2-3 cpus 2-3\n"
	       "rdu 0-3 distances 10,20\n"
	       "rdu 4-7 distances 20,10\n"
	       "end 4\n");
}
END_TEST

/*
 * Devices by their numbers on the bus, not as they stand in the file: 01 and 41 are of NUMA node 1,
 * 81 and c1 of 0. Four of them are an XRDU's each, an RDU's, or two are one's.
 */
START_TEST(devices)
{
	const char *numas = "numa 0 cores 0-1 cpus 0-1\nnuma 1 cores 2-3 cpus 2-3\n";
	struct tessera_platform p = sn30("", "1FED:0001");
	static const struct {
		unsigned xrdus;
		const char *want;
	} cases[] = {
		{4, "rdu 0-3 distances 22,10\nrdu 4-7 distances 10,21\nend 4\n"},
		{2, "rdu 0-1 distances 22,10\nrdu 2-3 distances 10,21\nend 4\n"},
		{1, "rdu 0 distances 22,10\nrdu 1 distances 10,21\nend 4\n"},
	};
	char want[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p.xrdus = cases[i].xrdus;
		snprintf(want, sizeof(want), "%s%s", numas, cases[i].want);
		expect(file("devices.xml"), &p, want);
	}
	/* One that is at both NUMA nodes: the means of 10 and 22, of 21 and 10. */
	p = sn30("", "1fed:0002");
	p.xrdus = 1;
	snprintf(want, sizeof(want), "%srdu 0-1 distances 16,16\nend 3\n", numas);
	expect(file("devices.xml"), &p, want);
	/* Any device of the vendor. */
	p = sn30("", "8086");
	p.xrdus = p.rdus_per_xrdu = 1;
	snprintf(want, sizeof(want), "%srdu 0 distances 10,21\nend 3\n", numas);
	expect(file("devices.xml"), &p, want);
}
END_TEST

START_TEST(many_rdus)
{
	struct tessera_platform p = sn30("0,1,2,3", "");
	struct topology_source from = synthetic("pack:2 numa:2 core:8 pu:2");
	struct tessera_error why = {0};

	p.xrdus = 512;
	p.tiles_per_rdu = p.tiles_per_gres = 1;
	p.mask_bits = 1024;
	ck_assert_int_eq(tessera_platform_check(&p, NULL), 0);
	ck_assert_msg(topology_read(&from, &p, &table, &why) == 0, "%s", why.text);
	ck_assert_uint_eq(tessera_tileset_count(&table.rdus), 1024);
	ck_assert_uint_eq(table.distance[255][0], 10);
	ck_assert_uint_eq(table.distance[256][0], 20);
	ck_assert_uint_eq(table.distance[256][1], 10);
	ck_assert_uint_eq(table.distance[1023][3], 10);
}
END_TEST

/* The location of the RDUs is unknown, or tessera.conf does not fit the machine. */

static const struct unknown {
	const char *file;
	const char *numa;
	const char *pci_id;
	enum tessera_errcode code;
	const char *text;
} unknowns[] = {
	{"two-sockets.xml", "", "", TESSERA_ERR_UNAVAILABLE,
	 "set Numa or PciId in platform sn30-8"},
	{"two-sockets.xml", "0,2", "", TESSERA_ERR_INPUT, "has no NUMA node 2"},
	{"two-sockets.xml", "", "1fed", TESSERA_ERR_INPUT, "has 0 PCI devices 1fed"},
	{"devices.xml", "", "1fed", TESSERA_ERR_INPUT,
	 "has 5 PCI devices 1fed, which cannot be divided evenly among the 8 RDUs"},
	{"devices.xml", "", "1fed:0003", TESSERA_ERR_INPUT, "has 0 PCI devices 1fed:0003"},
	{"devices.xml", "", "8086", TESSERA_ERR_INPUT, "or its 4 XRDUs"},
};

START_TEST(unknown)
{
	const struct unknown *u = &unknowns[_i];
	struct tessera_platform p = sn30(u->numa, u->pci_id);
	struct topology_source from = file(u->file);
	struct tessera_error why = {0};

	memset(&table, 0xff, sizeof(table));
	ck_assert_int_eq(topology_read(&from, &p, &table, &why), 1);
	ck_assert_int_eq(why.code, u->code);
	ck_assert_msg(strstr(why.text, u->text) != NULL, "%s", why.text);
	ck_assert(tessera_tileset_empty(&table.rdus));
	ck_assert_uint_eq(table.numas, 2);
}
END_TEST

static const struct bad {
	const char *xml;
	const char *synthetic;
	const char *text;
} bad[] = {
	{"/nonexistent/x.xml", NULL, "/nonexistent/x.xml"},
	{"/dev/null", NULL, "/dev/null"},
	{NULL, "nonsense:2", "the synthetic topology nonsense:2"},
	{NULL, "", "the synthetic topology"},
	{NULL, "numa:65 pu:1", "more than 64 NUMA nodes"},
	{NULL, "numa:2 core:2049 pu:1", "more than 4096 CPUs"},
	{NULL, "numa:2 core:1024 pu:2", NULL},
};

START_TEST(not_read)
{
	struct topology_source from = {.xml = bad[_i].xml, .synthetic = bad[_i].synthetic};
	struct tessera_platform p = sn30("0,1", "");
	struct tessera_error why = {0};
	int rc = topology_read(&from, &p, &table, &why);

	if (bad[_i].text == NULL) {
		ck_assert_msg(rc == 0, "%s", why.text);
		return;
	}
	ck_assert_int_eq(rc, -1);
	ck_assert_msg(strstr(why.text, bad[_i].text) != NULL, "%s", why.text);
	ck_assert(tessera_tileset_empty(&table.rdus));
}
END_TEST

START_TEST(shape)
{
	static const struct {
		const char *synthetic;
		unsigned sockets, cores, threads;
	} cases[] = {
		{"pack:2 numa:1 core:64 pu:1", 2, 64, 1},
		{"pack:2 numa:4 core:8 pu:2", 2, 32, 2},
		{"pack:1 core:3 pu:1", 1, 3, 1},
		{"numa:2 core:2 pu:1", 0, 0, 0}, /* the number of sockets is unknown */
		{"nonsense", 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topology_source from = synthetic(cases[i].synthetic);
		struct topology_shape got = {0};

		ck_assert_int_eq(topology_shape(&from, &got), cases[i].sockets > 0 ? 0 : -1);
		ck_assert_uint_eq(got.sockets, cases[i].sockets);
		ck_assert_uint_eq(got.cores, cases[i].cores);
		ck_assert_uint_eq(got.threads, cases[i].threads);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, two_sockets);
	tcase_add_test(tcase, numa_before_devices);
	tcase_add_test(tcase, eight_numa_nodes);
	tcase_add_test(tcase, threads);
	tcase_add_test(tcase, one_numa_node);
	tcase_add_test(tcase, memory_alone);
	tcase_add_test(tcase, without_cores);
	tcase_add_test(tcase, devices);
	tcase_add_test(tcase, many_rdus);
	tcase_add_loop_test(tcase, unknown, 0, sizeof(unknowns) / sizeof(unknowns[0]));
	tcase_add_loop_test(tcase, not_read, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tcase, shape);
}

UNIT_MAIN("topology", add_tests)
