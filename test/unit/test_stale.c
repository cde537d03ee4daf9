/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is withheld when a job has ended, and what is waited for. The processes are real, slurmd is played.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "lib/deadline.h"
#include "plugin/process_job.h"
#include "plugin/slurm_compat.h"
#include "plugin/stale.h"
#include "test/unit/state_unit.h"

#define ENDED  7
#define OTHER  8
#define CROWD  (STALE_QUESTIONS + 44)
#define A_LONG 3600 /* seconds: a test that waits for so long fails */

static struct {
	uint32_t job;    /* of all processes; 0: none */
	bool silent;     /* slurmd does not answer */
	unsigned asked;  /* how often it was */
	unsigned end_at; /* the holders end when it is asked for this time; 0: they do not */
} slurmd;

static struct node node;
static struct stale_crowd crowd;
static struct tessera_row row;
static struct tessera_error err;
static char device[96];
static pid_t holders[CROWD];
static size_t holder_count;

static void end_holders(void)
{
	for (; holder_count > 0; holder_count--) {
		kill(holders[holder_count - 1], SIGKILL);
		waitpid(holders[holder_count - 1], NULL, 0);
	}
}

int process_job_until(const struct node *n, pid_t pid, int64_t end, uint32_t *job, struct tessera_error *e)
{
	(void)n;
	(void)pid;
	(void)end;
	if (++slurmd.asked == slurmd.end_at)
		end_holders();
	if (slurmd.silent)
		return tessera_error_set(e, TESSERA_ERR_MISSING, "slurmd is silent");
	*job = slurmd.job;
	return slurmd.job != 0;
}

void slurm_info(const char *format, ...)
{
	(void)format;
}

void slurm_error(const char *format, ...)
{
	(void)format;
}

/* A process of ours that has the device open. */
static void add_holder(void)
{
	int ready[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (open(device, O_RDONLY) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	holders[holder_count++] = pid;
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
}

static void begin(void)
{
	struct tessera_row held = {.job = ENDED, .uid = getuid(), .state = TESSERA_ROW_HELD};
	struct tessera_ledger *ledger = NULL;
	char text[256];

	setup();
	memset(&slurmd, 0, sizeof(slurmd));
	memset(&node, 0, sizeof(node));
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	write_file("rdu", "", 0600);
	snprintf(device, sizeof(device), "%s/rdu", dir);
	snprintf(text, sizeof(text), "DeviceFiles = \"%s\"\nStaleHolders = wait\n", device);
	node.conf = tessera_conf_parse("test", text, &err);
	ck_assert_msg(node.conf != NULL, "%s", err.text);
	node.platform = tessera_platform_find_builtin("sn30-8");
	node.voice = "";
	snprintf(node.name, sizeof(node.name), "a1");
	snprintf(node.dir, sizeof(node.dir), "%s", dir);
	ck_assert_msg(tessera_ledger_open(dir, node.platform, 1000, &ledger, &err) == 0, "%s", err.text);
	tessera_tileset_add_range(&held.tiles, 0, 8);
	ck_assert_msg(tessera_ledger_put(ledger, &held, &err) == 0, "%s", err.text);
	ck_assert_msg(tessera_ledger_commit(ledger, &err) == 0, "%s", err.text);
	tessera_ledger_close(ledger);
}

static void finish(void)
{
	end_holders();
	stale_crowd_free(&crowd);
	tessera_conf_free(node.conf);
	teardown();
}

/* The first look, as in an epilog. */
static int settle(void)
{
	int rc = stale_find_job(&node, ENDED, &row, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc > 0 ? STALE_GONE : stale_settle_job(&node, &crowd, &row, deadline_after(60), &err);
}

static void is_withheld(bool withheld)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_tileset kept;

	ck_assert_msg(tessera_ledger_read(dir, node.platform, &ledger, &err) == 0, "%s", err.text);
	tessera_ledger_kept_tiles(ledger, &kept);
	ck_assert_int_eq(!tessera_tileset_empty(&kept), withheld);
	tessera_ledger_close(ledger);
}

START_TEST(of_no_job)
{
	add_holder();
	ck_assert_int_eq(settle(), STALE_KEPT_BACK);
	is_withheld(true);
	ck_assert_ptr_nonnull(strstr(row.text, "still holds"));
	/* The wait ends when they do. */
	slurmd.end_at = slurmd.asked + 3;
	stale_end(&node, &crowd, &row, 1, deadline_after(A_LONG), false);
	ck_assert(tessera_tileset_empty(&row.tiles));
	ck_assert_uint_ge(slurmd.asked, slurmd.end_at);
	is_withheld(false);
}
END_TEST

START_TEST(of_the_job_that_ended)
{
	slurmd.job = ENDED;
	add_holder();
	ck_assert_int_eq(settle(), STALE_KEPT_BACK);
	is_withheld(true);
}
END_TEST

START_TEST(of_another_job)
{
	slurmd.job = OTHER;
	add_holder();
	add_holder();
	ck_assert_int_eq(settle(), STALE_GIVEN_BACK);
	is_withheld(false);
}
END_TEST

/* What is not known is withheld, and not waited for; slurmd is asked once in each look. */
START_TEST(of_an_unknown_job)
{
	slurmd.silent = true;
	add_holder();
	add_holder();
	ck_assert_int_eq(settle(), STALE_KEPT_IN_DOUBT);
	ck_assert_uint_eq(slurmd.asked, 1);
	ck_assert_ptr_nonnull(strstr(row.text, "slurmd has not said"));
	is_withheld(true);
	stale_end(&node, &crowd, &row, 1, deadline_after(A_LONG), true);
	ck_assert_uint_eq(slurmd.asked, 2);
	ck_assert(!tessera_tileset_empty(&row.tiles));
	is_withheld(true);
	slurmd.silent = false;
	slurmd.job = OTHER;
	stale_crowd_renew(&crowd);
	ck_assert_int_eq(stale_settle(&node, &crowd, &row, ENDED, deadline_after(60), &err), STALE_GIVEN_BACK);
	is_withheld(false);
}
END_TEST

/* More than may be asked about in one look, and nothing groups them: the next look goes on where the first one ended. */
START_TEST(more_than_questions)
{
	slurmd.job = OTHER;
	for (unsigned i = 0; i < CROWD; i++)
		add_holder();
	ck_assert_int_eq(settle(), STALE_KEPT_IN_DOUBT);
	ck_assert_uint_eq(slurmd.asked, STALE_QUESTIONS);
	is_withheld(true);
	stale_crowd_renew(&crowd);
	ck_assert_int_eq(stale_settle(&node, &crowd, &row, ENDED, deadline_after(60), &err), STALE_GIVEN_BACK);
	ck_assert_uint_eq(slurmd.asked, CROWD);
	is_withheld(false);
}
END_TEST

/* What slurmd knows no job of may only just have started: that is asked anew. */
START_TEST(none_is_not_remembered)
{
	add_holder();
	ck_assert_int_eq(settle(), STALE_KEPT_BACK);
	slurmd.job = OTHER;
	stale_crowd_renew(&crowd);
	ck_assert_int_eq(stale_settle(&node, &crowd, &row, ENDED, deadline_after(60), &err), STALE_GIVEN_BACK);
	is_withheld(false);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, of_no_job);
	tcase_add_test(tcase, of_the_job_that_ended);
	tcase_add_test(tcase, of_another_job);
	tcase_add_test(tcase, of_an_unknown_job);
	tcase_add_test(tcase, more_than_questions);
	tcase_add_test(tcase, none_is_not_remembered);
}

UNIT_MAIN("stale", add_tests)
