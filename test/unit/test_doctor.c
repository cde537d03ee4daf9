/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings about slurm.conf's keys, of whatever release: the scenario can only have those that the running Slurm knows. */
#include "config.h"

#include <stdio.h>

#include "gres/doctor.h"
#include "test/unit/unit.h"

#define RDUS     "partition sambanova { Platform = sn30-8 }\nnode \"sn30-r1-h1\" { Platform = sn30-8 }\n"
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

/* The finding of CHECK, or NULL. Each function looks at keys that others leave alone. */
static const struct finding *look(const char *conf, const char *flags, const char *preempt, const char *check)
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

/* Not where nobody waits in a prolog. */
START_TEST(serial_prologs)
{
	const struct finding *f = look("PlaceWait = 20\n" RDUS, "Alloc,serial", NULL, "prolog_serial");

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(f->text, "PrologFlags has Serial, and PlaceWait is 20"));
	ck_assert_ptr_nonnull(strstr(f->text, "all other prologs and epilogs of the node for up to 20 s"));
	ck_assert_str_eq(f->write, "PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf");
	f = look("PlaceWait = 20\n" RDUS, "Contain,Serial,X11", NULL, "prolog_serial");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PrologFlags=Contain,X11, or PlaceWait = 0 in tessera.conf");
	/* Alloc is another check's. */
	f = look("PlaceWait = 20\n" RDUS, "Serial", NULL, "prolog_serial");
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PrologFlags=Alloc, or PlaceWait = 0 in tessera.conf");
	ck_assert_ptr_null(look("PlaceWait = 0\n" RDUS, "Alloc,Serial", NULL, "prolog_serial"));
	ck_assert_ptr_null(look("PlaceWait = 20\n" RDUS, "Alloc", NULL, "prolog_serial"));
	ck_assert_ptr_null(look("PlaceWait = 20\n" IPUS, "Alloc,Serial", NULL, "prolog_serial"));
	forget();
}
END_TEST

START_TEST(reclaimed_licenses)
{
	static const char check[] = "reclaim_licenses";
	const struct finding *f = look(IPUS, "Alloc", "reclaim_licenses", check);

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(f->text, "a suspended job keeps its V-IPU partition and its units of pools"));
	ck_assert_str_eq(f->write, "slurm.conf without PreemptParameters=reclaim_licenses");
	f = look(RDUS POOL, "Alloc", "strict_order,Reclaim_Licenses,reorder_count=3", check);
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->write, "PreemptParameters=strict_order,reorder_count=3");
	/* Not where no license stands for anything of ours. */
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

	ck_assert_str_eq(doctor_enable("/usr/local/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
			 "systemctl enable --now tessera-reap.timer");
	ck_assert_str_eq(doctor_enable("/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
			 "systemctl enable --now tessera-reap.timer");
	ck_assert_str_eq(doctor_enable("/opt/t/lib/systemd/system", "tessera-reap", buf, sizeof(buf)),
			 "systemctl link /opt/t/lib/systemd/system/tessera-reap.service && "
			 "systemctl enable --now /opt/t/lib/systemd/system/tessera-reap.timer");
}
END_TEST

START_TEST(unasked)
{
	const struct finding *f = look(RDUS, "Alloc", NULL, "unasked");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->severity, DOCTOR_WARNING);
	ck_assert_ptr_nonnull(strstr(f->text, "partition sambanova has no Unasked: jobs that ask for no RDUs"));
	ck_assert_ptr_nonnull(strstr(f->write, "Unasked = default in partition sambanova"));
	/* Only the partition that lacks it. */
	f = look("partition a { Platform = sn30-8 Unasked = none }\npartition b { Platform = sn10-8 }\n", "Alloc",
		 NULL, "unasked");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(strstr(f->text, "partition b "));
	/* Whoever says leave means it. */
	ck_assert_ptr_null(look("Unasked = leave\n" RDUS, "Alloc", NULL, "unasked"));
	ck_assert_ptr_null(look("partition a { Platform = sn30-8 Unasked = leave }\n", "Alloc", NULL, "unasked"));
	ck_assert_ptr_null(look("Unasked = refuse\n" RDUS, "Alloc", NULL, "unasked"));
	ck_assert_ptr_null(look(IPUS, "Alloc", NULL, "unasked"));
	forget();
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_test(tcase, serial_prologs);
	tcase_add_test(tcase, reclaimed_licenses);
	tcase_add_test(tcase, timers);
	tcase_add_test(tcase, unasked);
}

UNIT_MAIN("doctor", add_tests)
