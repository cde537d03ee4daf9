/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings about keys of slurm.conf, also of releases other than the running one, which a scenario
 * cannot set.
 */
#include "config.h"

#include <stdio.h>

#include "command/doctor/doctor.h"
#include "lib/slurm/license_sum.h"
#include "test/unit/unit.h"

#define RDUS \
	"partition sambanova { Platform = sn30-8 }\nnode \"sn30-r1-h1\" { Platform = sn30-8 }\n"
#define IPUS     "partition p64 { Platform = pod64 }\nnode \"gc-poplar-02\" { Platform = pod64 }\n"
#define IPU_GRES "IpuModel = gres\n" IPUS
#define POOL     "pool csx { Max = 2 }\n"

static struct doctor d;

static void forget(void)
{
	tessera_conf_free(d.conf);
	free(d.findings);
	d = (struct doctor){0};
}

/* The finding of CHECK, or NULL. Each function checks keys of its own. */
static const struct finding *look(const char *conf, const char *flags, const char *preempt,
				  const char *check)
{
	char flags_text[64], preempt_text[64];
	struct tessera_error err = {0};

	forget();
	d.conf = tessera_conf_parse("tessera.conf", conf, &err);
	ck_assert_msg(d.conf != NULL, "%s", err.text);
	d.rdus = strstr(conf, "sn30-8") != NULL;
	d.ipus = strstr(conf, "pod64") != NULL;
	snprintf(d.slurm_path, sizeof(d.slurm_path), "slurm.conf");
	snprintf(flags_text, sizeof(flags_text), "%s", flags != NULL ? flags : "");
	snprintf(preempt_text, sizeof(preempt_text), "%s", preempt != NULL ? preempt : "");
	d.file.prolog_flags = flags != NULL ? flags_text : NULL;
	d.file.preempt_parameters = preempt != NULL ? preempt_text : NULL;
	doctor_check_settings(&d);
	doctor_check_licenses(&d);
	for (size_t i = 0; i < d.count; i++)
		if (strcmp(d.findings[i].check, check) == 0)
			return &d.findings[i];
	return NULL;
}

/* No finding without a wait in the prolog. */
START_TEST(serial_prologs)
{
	const struct finding *f =
		look("PlaceWait = 20\n" RDUS, "Alloc,serial", NULL, "prolog_serial");

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(f->text, "PrologFlags has Serial and PlaceWait is 20"));
	ck_assert_ptr_nonnull(
		strstr(f->text, "all other prologs and epilogs of the node for up to 20 s"));
	ck_assert_str_eq(f->write, "PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf");
	f = look("PlaceWait = 20\n" RDUS, "Contain,Serial,X11", NULL, "prolog_serial");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PrologFlags=Contain,X11, or PlaceWait = 0 in tessera.conf");
	/* Another check reports that Alloc is missing. */
	f = look("PlaceWait = 20\n" RDUS, "Serial", NULL, "prolog_serial");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf");
	ck_assert_ptr_null(look("PlaceWait = 0\n" RDUS, "Alloc,Serial", NULL, "prolog_serial"));
	ck_assert_ptr_null(look("PlaceWait = 20\n" RDUS, "Alloc", NULL, "prolog_serial"));
	ck_assert_ptr_null(look("PlaceWait = 20\n" IPUS, "Alloc,Serial", NULL, "prolog_serial"));
	forget();
}
END_TEST

/* The finding for a slurmctld of RELEASE, or NULL. */
static const struct finding *look_at_release(const char *conf, const char *release)
{
	static char version[32];
	static slurm_conf_t ctl;
	const struct finding *f;

	look(conf, "Alloc", NULL, "");
	d.count = 0;
	snprintf(version, sizeof(version), "%s", release);
	ctl.version = version;
	d.ctl = &ctl;
	doctor_check_licenses(&d);
	f = NULL;
	for (size_t i = 0; i < d.count && f == NULL; i++)
		if (strcmp(d.findings[i].check, "requeue_licenses") == 0)
			f = &d.findings[i];
	d.ctl = NULL;
	return f;
}

START_TEST(requeue_loses_licenses)
{
	static const char *const bad[] = {"25.05.0", "25.05.8", "25.11.0", "25.11.6"};
	static const char *const good[] = {"22.05.8", "24.11.5", "25.05.9", "25.11.7",
					   "26.05.0", "26.05.5", "",        "25"};
	const struct finding *f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f = look_at_release(IPUS, bad[i]);
		ck_assert_msg(f != NULL, "%s", bad[i]);
		ck_assert_int_eq(f->severity, DOCTOR_ERROR);
		ck_assert_ptr_nonnull(strstr(f->text, bad[i]));
		ck_assert_ptr_nonnull(strstr(f->run, "25.11.7"));
		ck_assert_ptr_nonnull(strstr(f->run, "IpuModel = gres"));
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(look_at_release(IPUS, good[i]) == NULL, "%s", good[i]);
	/* A pool has no other model. Without licenses there is no finding. */
	f = look_at_release(POOL, "25.05.3");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_null(strstr(f->run, "IpuModel"));
	ck_assert_ptr_null(look_at_release(IPU_GRES, "25.05.3"));
	ck_assert_ptr_null(look_at_release(RDUS, "25.05.3"));
	forget();
}
END_TEST

/* All layers of a hierarchical resource have the same name, and none is in slurm.conf. */
START_TEST(several_records)
{
	static char ipu[] = "ipu", csx[] = "csx";
	slurm_license_info_t records[] = {
		{.name = ipu, .total = 48}, {.name = csx, .total = 2}, {.name = ipu, .total = 16}};
	license_info_msg_t msg = {.num_lic = 3, .lic_array = records};

	look(IPUS POOL, "Alloc", NULL, "");
	d.count = 0;
	d.licenses = &msg;
	doctor_check_licenses(&d);
	ck_assert_uint_eq(d.count, 0);
	records[2].total = 8;
	doctor_check_licenses(&d);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_ptr_nonnull(strstr(d.findings[0].text, "slurmctld has 56 licenses ipu"));
	d.licenses = NULL;
	forget();
}
END_TEST

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
/* In modes 2 and 3 a job takes its units from each layer that has its nodes. */
START_TEST(layers_by_mode)
{
	static char ipu[] = "ipu", all[] = "n[1-4]", left[] = "n[1-2]", right[] = "n[3-4]";
	slurm_license_info_t layers[] = {{.name = ipu, .total = 48, .in_use = 1, .nodes = left},
					 {.name = ipu, .total = 64, .in_use = 4, .nodes = all},
					 {.name = ipu, .total = 32, .in_use = 3, .nodes = right}};
	license_info_msg_t msg = {.num_lic = 3, .lic_array = layers};
	/* The total without a limit in the layer of all nodes, and of any. */
	static const struct {
		uint8_t mode;
		uint32_t total, in_use, total_open, in_use_open;
	} modes[] = {{1, 144, 8, INFINITE, 8}, {2, 64, 4, 80, 4}, {3, 64, 4, 80, 4}};

	for (size_t i = 0; i < 3; i++) {
		struct license_sum sum;

		layers[0].mode = layers[1].mode = layers[2].mode = modes[i].mode;
		layers[0].total = 48, layers[1].total = 64, layers[2].total = 32;
		sum = license_sum(&msg, ipu, false);
		ck_assert_uint_eq(sum.total, modes[i].total);
		ck_assert_uint_eq(sum.in_use, modes[i].in_use);
		layers[1].total = INFINITE;
		sum = license_sum(&msg, ipu, false);
		ck_assert_uint_eq(sum.total, modes[i].total_open);
		ck_assert_uint_eq(sum.in_use, modes[i].in_use_open);
		layers[0].total = layers[2].total = INFINITE;
		ck_assert_uint_eq(license_sum(&msg, ipu, false).total, INFINITE);
		ck_assert(license_is_per_node(&msg, ipu) == (modes[i].mode == 3));
	}
}
END_TEST
#endif

START_TEST(reclaimed_licenses)
{
	static const char check[] = "reclaim_licenses";
	const struct finding *f = look(IPUS, "Alloc", "reclaim_licenses", check);

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(
		f->text, "a suspended job keeps its V-IPU partition and its units of pools"));
	ck_assert_str_eq(f->write, "remove PreemptParameters=reclaim_licenses from slurm.conf");
	f = look(RDUS POOL, "Alloc", "strict_order,Reclaim_Licenses,reorder_count=3", check);
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PreemptParameters=strict_order,reorder_count=3");
	/* No finding if no license counts IPUs or a pool. */
	ck_assert_ptr_null(look(RDUS, "Alloc", "reclaim_licenses", check));
	ck_assert_ptr_null(look(IPU_GRES, "Alloc", "reclaim_licenses", check));
	ck_assert_ptr_null(look(IPUS, "Alloc", "strict_order", check));
	ck_assert_ptr_null(look(IPUS, "Alloc", NULL, check));
	forget();
}
END_TEST

START_TEST(timers)
{
	char buf[512];

	ck_assert_str_eq(
		doctor_enable("/usr/local/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
		"systemctl enable --now tessera-reap.timer");
	ck_assert_str_eq(doctor_enable("/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
			 "systemctl enable --now tessera-reap.timer");
	ck_assert_str_eq(
		doctor_enable("/opt/t/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
		"systemctl link /opt/t/lib/systemd/system/tessera-reap.service && "
		"systemctl enable --now /opt/t/lib/systemd/system/tessera-reap.timer");
}
END_TEST

START_TEST(unasked)
{
	const struct finding *f = look(RDUS, "Alloc", NULL, "unasked");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->severity, DOCTOR_WARNING);
	ck_assert_ptr_nonnull(
		strstr(f->text, "partition sambanova has no Unasked: jobs that request no RDUs"));
	ck_assert_ptr_nonnull(strstr(f->write, "Unasked = default in partition sambanova"));
	/* Only for the partition without Unasked. */
	f = look("partition a { Platform = sn30-8 Unasked = none }\npartition b { Platform = "
		 "sn10-8 }\n",
		 "Alloc", NULL, "unasked");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(f->text, "partition b "));
	/* An explicit leave is intended. */
	ck_assert_ptr_null(look("Unasked = leave\n" RDUS, "Alloc", NULL, "unasked"));
	ck_assert_ptr_null(look("partition a { Platform = sn30-8 Unasked = leave }\n", "Alloc",
				NULL, "unasked"));
	ck_assert_ptr_null(look("Unasked = refuse\n" RDUS, "Alloc", NULL, "unasked"));
	ck_assert_ptr_null(look(IPUS, "Alloc", NULL, "unasked"));
	forget();
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, serial_prologs);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
	tcase_add_test(tcase, layers_by_mode);
#endif
	tcase_add_test(tcase, reclaimed_licenses);
	tcase_add_test(tcase, requeue_loses_licenses);
	tcase_add_test(tcase, several_records);
	tcase_add_test(tcase, timers);
	tcase_add_test(tcase, unasked);
}

UNIT_MAIN("doctor", add_tests)
