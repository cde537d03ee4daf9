/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/state/ledger.h"
#include "test/unit/unit.h"

static char dir[] = "/tmp/tessera-mentions.XXXXXX";
static char path[64];

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ledger", dir);
}

static void teardown(void)
{
	unlink(path);
	rmdir(dir);
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
}

static void write_rows(unsigned pad, const char *rows)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs("tessera-ledger 1 sn30-8\n", f);
	if (pad > 0)
		fprintf(f, "%*s\n", (int)pad, "-");
	fputs(rows, f);
	fclose(f);
}

START_TEST(only_its_own_row)
{
	write_rows(0, "job 4711 uid 1 state held restarts 0 tiles 0-7 text job 12 \nstep 13.0 pid "
		      "1 start 1 tiles 0\n"
		      "job 4712 uid 1 state held restarts 0 tiles 8 text -\nend 3\n");
	ck_assert(tessera_ledger_may_have_job(dir, 4711));
	ck_assert(tessera_ledger_may_have_job(dir, 4712));
	ck_assert(!tessera_ledger_may_have_job(dir, 471));
	ck_assert(!tessera_ledger_may_have_job(dir, 47111));
	ck_assert(!tessera_ledger_may_have_job(dir, 711));
	ck_assert(!tessera_ledger_may_have_job(dir, 12)); /* in a text */
	ck_assert(!tessera_ledger_may_have_job(dir, 13)); /* a step's */
}
END_TEST

/* A row at any offset, also across two reads. */
START_TEST(across_reads)
{
	for (unsigned pad = 4040; pad < 4110; pad++) {
		write_rows(pad, "job 4711 uid 1 state held restarts 0 tiles 0-7 text -\nend 1\n");
		ck_assert_msg(tessera_ledger_may_have_job(dir, 4711), "after %u characters", pad);
		ck_assert(!tessera_ledger_may_have_job(dir, 4712));
	}
}
END_TEST

START_TEST(no_file_no_row)
{
	ck_assert(!tessera_ledger_may_have_job(dir, 1));
	ck_assert(!tessera_ledger_may_have_job("/nowhere/at/all", 1));
	/* True if the file is not a ledger, or cannot be read. */
	ck_assert_int_eq(close(open(path, O_WRONLY | O_CREAT, 0644)), 0);
	ck_assert(tessera_ledger_may_have_job(dir, 1));
	unlink(path);
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	ck_assert(tessera_ledger_may_have_job(dir, 1));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, only_its_own_row);
	tcase_add_test(tcase, across_reads);
	tcase_add_test(tcase, no_file_no_row);
}

UNIT_MAIN("ledger_mentions", add_tests)
