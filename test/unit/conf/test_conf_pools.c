/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of tessera.conf that describe V-IPU controllers and pools. */
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

START_TEST(has_controller_defaults)
{
	struct tessera_conf *conf = parse_conf("vipu \"gc-[02-04]\" { Host = 10.1.3.101 }");
	const struct tessera_vipu_site *site = tessera_conf_vipu(conf, "gc-03");

	ck_assert_ptr_nonnull(site);
	ck_assert_ptr_eq(site, tessera_conf_vipu_at(conf, 0));
	ck_assert_ptr_null(tessera_conf_vipu_at(conf, 1));
	ck_assert_ptr_null(tessera_conf_vipu(conf, "gc-05"));
	ck_assert_str_eq(site->nodes, "gc-[02-04]");
	ck_assert_str_eq(site->host, "10.1.3.101");
	ck_assert_uint_eq(site->port, 8090);
	ck_assert_str_eq(site->allocation, "");
	ck_assert_str_eq(site->prefix, "slurm_");
	ck_assert_uint_eq(site->reconfigurable, 1);
	ck_assert_uint_eq(site->relocatable, 0);
	ck_assert_int_eq(site->leftover, TESSERA_VIPU_LEFTOVER_REMOVE);
	ck_assert_uint_eq(site->tls, 0);
	ck_assert_uint_gt(site->create_wait, 0);
	ck_assert_uint_gt(site->remove_wait, 0);
	ck_assert_uint_gt(site->call_wait, 0);
	ck_assert_uint_gt(site->task_timeout, 0);
	ck_assert_str_eq(site->ca_file, "");
	ck_assert_str_eq(site->cert_file, "");
	ck_assert_str_eq(site->cert_key, "");
	ck_assert_str_eq(site->metadata_file, "");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(reads_every_key_of_controller)
{
	struct tessera_conf *conf = parse_conf(
		"vipu a1 { Host = a }\n"
		"vipu \"b[1-2]\" {\n"
		" Host = pod-2.example\n Port = 65535\n Allocation = alloc-1\n "
		"Prefix = job-\n"
		" Reconfigurable = no\n Relocatable = yes\n Leftover = reset\n CreateWait = 3600\n "
		"RemoveWait = 2\n"
		" CallWait = 3\n TaskTimeout = 4\n Tls = yes\n CaFile = /ca\n CertFile = /cert\n "
		"CertKey = /key\n"
		" MetadataFile = /meta\n"
		"}\n");
	const struct tessera_vipu_site *site = tessera_conf_vipu(conf, "b2");

	ck_assert_ptr_eq(site, tessera_conf_vipu_at(conf, 1));
	ck_assert_str_eq(tessera_conf_vipu(conf, "a1")->host, "a");
	ck_assert_str_eq(site->host, "pod-2.example");
	ck_assert_uint_eq(site->port, 65535);
	ck_assert_str_eq(site->allocation, "alloc-1");
	ck_assert_str_eq(site->prefix, "job-");
	ck_assert_uint_eq(site->reconfigurable, 0);
	ck_assert_uint_eq(site->relocatable, 1);
	ck_assert_int_eq(site->leftover, TESSERA_VIPU_LEFTOVER_RESET);
	ck_assert_uint_eq(site->create_wait, 3600);
	ck_assert_uint_eq(site->remove_wait, 2);
	ck_assert_uint_eq(site->call_wait, 3);
	ck_assert_uint_eq(site->task_timeout, 4);
	ck_assert_uint_eq(site->tls, 1);
	ck_assert_str_eq(site->ca_file, "/ca");
	ck_assert_str_eq(site->cert_file, "/cert");
	ck_assert_str_eq(site->cert_key, "/key");
	ck_assert_str_eq(site->metadata_file, "/meta");
	tessera_conf_free(conf);
}
END_TEST

START_TEST(reads_pools)
{
	struct tessera_conf *conf =
		parse_conf("pool csx { Max = 2 }\n"
			   "pool Big.1 {\n Option = big\n License = lic@flex\n Max = 65536\n"
			   " Sizes = \"1,2,4-8\"\n Variables = \"A=%c B=%j\"\n}\n");
	const struct tessera_pool *pool = tessera_conf_pool_at(conf, 0);

	ck_assert_str_eq(pool->name, "csx");
	ck_assert_str_eq(pool->option, "csx");
	ck_assert_str_eq(pool->license, "csx");
	ck_assert_uint_eq(pool->max, 2);
	ck_assert_str_eq(pool->sizes, "any");
	ck_assert_str_eq(pool->variables, "");
	pool = tessera_conf_pool_at(conf, 1);
	ck_assert_str_eq(pool->name, "Big.1");
	ck_assert_str_eq(pool->option, "big");
	ck_assert_str_eq(pool->license, "lic@flex");
	ck_assert_uint_eq(pool->max, 65536);
	ck_assert_str_eq(pool->sizes, "1,2,4-8");
	ck_assert_str_eq(pool->variables, "A=%c B=%j");
	ck_assert_ptr_null(tessera_conf_pool_at(conf, 2));
	tessera_conf_free(conf);
	conf = tessera_conf_default();
	ck_assert_ptr_null(tessera_conf_pool_at(conf, 0));
	ck_assert_ptr_null(tessera_conf_vipu_at(conf, 0));
	ck_assert_ptr_null(tessera_conf_vipu(conf, "a1"));
	ck_assert_int_eq(tessera_conf_vipu_helper(conf)[0], '/');
	tessera_conf_free(conf);
	conf = parse_conf("VipuHelper = /opt/helper");
	ck_assert_str_eq(tessera_conf_vipu_helper(conf), "/opt/helper");
	tessera_conf_free(conf);
	conf = parse_conf("SntilestatCommand = \"\"\nGcMonitorCommand = '/usr/bin/env A=1 /x "
			  "--json'\nSampleMax = "
			  "60\nSampleWait = 5\n");
	ck_assert_str_eq(tessera_conf_sntilestat(conf), "");
	ck_assert_str_eq(tessera_conf_gc_monitor(conf), "/usr/bin/env A=1 /x --json");
	ck_assert_uint_eq(tessera_conf_sample_max(conf), 60);
	ck_assert_uint_eq(tessera_conf_sample_wait(conf), 5);
	tessera_conf_free(conf);
}
END_TEST

START_TEST(limits_number_of_pools)
{
	char text[(TESSERA_POOLS_MAX + 1) * 32] = "";
	struct tessera_error err = {0};
	struct tessera_conf *conf;

	for (int i = 0; i <= TESSERA_POOLS_MAX; i++) {
		if (i == TESSERA_POOLS_MAX) {
			conf = parse_conf(text);
			ck_assert_str_eq(tessera_conf_pool_at(conf, TESSERA_POOLS_MAX - 1)->name,
					 "p15");
			ck_assert_ptr_null(tessera_conf_pool_at(conf, TESSERA_POOLS_MAX));
			tessera_conf_free(conf);
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "pool p%d { Max = 1 }\n",
			 i);
	}
	ck_assert_ptr_null(tessera_conf_parse("t.conf", text, &err));
	ck_assert_msg(strstr(err.text, "t.conf:17: there are more than 16 pools") != NULL, "%s",
		      err.text);
}
END_TEST

/* Wrong files, and what the message must contain. */
static const struct wrong {
	const char *text;
	const char *message;
} wrong[] = {
	{"vipu a { Port = 1 }", "t.conf:1: vipu \"a\" has no host: write Host"},
	{"vipu a { Host = \"\" }", "t.conf:1: vipu \"a\" has no host"},
	{"vipu a { Host = -x }", "t.conf:1: vipu \"a\" has no host"},
	{"vipu a { Host = \"a b\" }", "t.conf:1: vipu \"a\" has no host"},
	{"vipu a { Host = \"a/b\" }", "t.conf:1: vipu \"a\" has no host"},
	{"vipu a { Host = h Port = 0 }", "Port = 0"},
	{"vipu a { Host = h Port = 65536 }", "too large"},
	{"vipu a {\n Host = h\n Prefix = job7\n}", "Prefix = job7 ends in a digit"},
	{"vipu a { Host = h CreateWait = 0 }", "wait of 0 seconds"},
	{"vipu a { Host = h RemoveWait = 0 }", "wait of 0 seconds"},
	{"vipu a { Host = h CallWait = 0 }", "wait of 0 seconds"},
	{"vipu a { Host = h CaFile = /ca }", "no Tls = yes"},
	{"vipu a { Host = h CertFile = /c CertKey = /k }", "no Tls = yes"},
	{"vipu a { Host = h Tls = yes CertFile = /c }", "must be set together"},
	{"vipu a { Host = h Tls = yes CertKey = /k }", "must be set together"},
	{"vipu a { Host = h MetadataFile = meta }", "is not an absolute path"},
	{"vipu a {\n Host = h\n Backend = command\n}",
	 "t.conf:3: Backend is no longer supported: delete it, and set Host and Port"},
	{"vipu a {\n Host = h\n CreateCommand = /c\n}",
	 "t.conf:3: CreateCommand is no longer supported: delete it, and set Host and Port"},
	{"vipu a {\n Host = h\n RemoveCommand = /r\n}",
	 "t.conf:3: RemoveCommand is no longer supported: delete it, and set Host and Port"},
	{"vipu a {\n Host = h\n ForceCommand = /f\n}",
	 "t.conf:3: ForceCommand is no longer supported: delete it, and set Host and Port"},
	{"vipu a {\n Host = h\n StatusCommand = /s\n}",
	 "t.conf:3: StatusCommand is no longer supported: delete it, and set Host and Port"},
	{"vipu a { Host = h Backend = grpc }", "t.conf:1: Backend is no longer supported"},
	{"vipu a { Host = h Leftover = keep }", "write remove or reset"},
	{"vipu a { Host = h Tls = maybe }", "write yes or no"},
	{"vipu \"a[1\" { Host = h }", "t.conf:1: "},
	{"vipu \"a[1-3]\" { Host = h }\nvipu \"a[3-4]\" { Host = i }",
	 "t.conf:2: node a3 has two V-IPU controllers: i here, h on line 1"},
	{"SntilestatCommand = sntilestat", "has no absolute path"},
	{"GcMonitorCommand = \"gc-monitor --json\"", "first word must start with /"},
	{"SampleMax = 86401", "from 0 to 86400"},
	{"VipuHelper = helper", "is not an absolute path"},
	{"VipuHelper = /a%n", "has a %"},
	{"pool csx { }", "t.conf:1: pool csx has no Max"},
	{"pool csx { Max = 0 }", "t.conf:1: pool csx has no Max"},
	{"pool csx { Max = 65537 }", "too large"},
	{"pool csx {\n Max = 2\n Sizes = some\n}", "t.conf:1: Sizes = some cannot be read"},
	{"pool csx { Max = 2 Variables = \"A=%x\" }", "t.conf:1: Variables has a % in"},
	{"pool CSX { Max = 2 }", "t.conf:1: pool CSX cannot have the option --CSX"},
	{"pool ipus { Max = 2 }", "t.conf:1: pool ipus cannot have the option --ipus"},
	{"pool \"a b\" { Max = 2 }", "is not a valid name"},
	{"pool a { Max = 2 }\npool b { Max = 2 Option = a }",
	 "t.conf:2: pool b has the same option or license as pool a on line 1"},
	{"pool a { Max = 2 }\npool b { Max = 2 License = a }",
	 "t.conf:2: pool b has the same option or license as pool a"},
	{"pool a { Max = 2 }\npool a { Max = 2 }", "t.conf:2: "},
	{"pool ipu { Max = 2 }", "t.conf:1: pool ipu has the license ipu, which counts IPUs"},
	{"IpuName = csx\npool csx { Max = 2 }",
	 "t.conf:2: pool csx has the license csx, which counts IPUs"},
	{"pool csx { Maxx = 2 }", "t.conf:1: "},
};

START_TEST(rejects_wrong_files)
{
	struct tessera_error err = {0};

	ck_assert_msg(tessera_conf_parse("t.conf", wrong[_i].text, &err) == NULL, "accepted: %s",
		      wrong[_i].text);
	ck_assert_int_eq(err.code, TESSERA_ERR_INPUT);
	ck_assert_msg(strstr(err.text, wrong[_i].message) != NULL, "no '%s' in '%s'",
		      wrong[_i].message, err.text);
	ck_assert_msg(strncmp(err.text, "t.conf:", 7) == 0, "%s", err.text);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, has_controller_defaults);
	tcase_add_test(tcase, reads_every_key_of_controller);
	tcase_add_test(tcase, reads_pools);
	tcase_add_test(tcase, limits_number_of_pools);
	tcase_add_loop_test(tcase, rejects_wrong_files, 0, sizeof(wrong) / sizeof(wrong[0]));
}

UNIT_MAIN("conf_pools", add_tests)
