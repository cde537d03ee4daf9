/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Withholding and releasing tiles of an ended job: real processes, a stand-in for slurmd. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "lib/node/release.h"
#include "lib/slurm/compat.h"
#include "lib/slurm/pid_job.h"
#include "lib/util/deadline.h"
#include "test/unit/state_unit.h"

#define ENDED  7
#define OTHER  8
#define MANY   (LEFTOVER_QUERIES + 44)
#define LONG_S 3600 /* a test that waits for so long fails */

static struct {
	uint32_t job;     /* of all processes; 0 = none */
	bool silent;      /* slurmd does not answer */
	unsigned queries; /* so far */
	unsigned end_at;  /* the processes end at this query; 0 = never */
} slurmd;

static struct node node;
static struct leftovers leftovers;
static struct tessera_row row;
static struct tessera_error err;
static char device[96];
static pid_t users[MANY];
static size_t user_count;

static void end_users(void)
{
	for (; user_count > 0; user_count--) {
		kill(users[user_count - 1], SIGKILL);
		waitpid(users[user_count - 1], NULL, 0);
	}
}

int pid_job_until(pid_t pid, int64_t end, uint32_t *job, struct tessera_error *e)
{
	(void)pid;
	(void)end;
	if (++slurmd.queries == slurmd.end_at)
		end_users();
	if (slurmd.silent)
		return tessera_error_set(e, TESSERA_ERR_UNAVAILABLE, "slurmd is silent");
	*job = slurmd.job;
	return slurmd.job != 0;
}

/* Start a process that has the device open. */
static void add_user(void)
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
	users[user_count++] = pid;
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
	snprintf(text, sizeof(text), "DeviceFiles = \"%s\"\nLeftoverProcesses = wait\n", device);
	node.conf = tessera_conf_parse("test", text, &err);
	ck_assert_msg(node.conf != NULL, "%s", err.text);
	node.platform = tessera_platform_find_builtin("sn30-8");
	snprintf(node.name, sizeof(node.name), "a1");
	snprintf(node.dir, sizeof(node.dir), "%s", dir);
	ck_assert_msg(tessera_ledger_open(dir, node.platform, 1000, &ledger, &err) == 0, "%s",
		      err.text);
	tessera_tileset_add_range(&held.tiles, 0, 8);
	ck_assert_msg(tessera_ledger_put(ledger, &held, &err) == 0, "%s", err.text);
	ck_assert_msg(tessera_ledger_commit(ledger, &err) == 0, "%s", err.text);
	tessera_ledger_close(ledger);
}

static void finish(void)
{
	end_users();
	leftovers_free(&leftovers);
	tessera_conf_free(node.conf);
	teardown();
}

/* As an epilog does. */
static int release_job(void)
{
	int rc = release_find_row(&node, ENDED, &row, &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	return rc > 0 ? RELEASE_GONE
		      : release_or_withhold_job(&node, &leftovers, &row, deadline_after(60), &err);
}

static void expect_withheld(bool withheld)
{
	struct tessera_ledger *ledger = NULL;
	struct tessera_tileset tiles;

	ck_assert_msg(tessera_ledger_read(dir, node.platform, &ledger, &err) == 0, "%s", err.text);
	tessera_ledger_withheld(ledger, &tiles);
	ck_assert_int_eq(!tessera_tileset_empty(&tiles), withheld);
	tessera_ledger_close(ledger);
}

START_TEST(of_no_job)
{
	add_user();
	ck_assert_int_eq(release_job(), RELEASE_WITHHELD);
	expect_withheld(true);
	ck_assert_ptr_nonnull(strstr(row.text, "still holds"));
	/* The wait ends when the processes do. */
	slurmd.end_at = slurmd.queries + 3;
	release_wait(&node, &leftovers, &row, 1, deadline_after(LONG_S), false);
	ck_assert(tessera_tileset_empty(&row.tiles));
	ck_assert_uint_ge(slurmd.queries, slurmd.end_at);
	expect_withheld(false);
}
END_TEST

START_TEST(of_the_job_that_ended)
{
	slurmd.job = ENDED;
	add_user();
	ck_assert_int_eq(release_job(), RELEASE_WITHHELD);
	expect_withheld(true);
}
END_TEST

START_TEST(of_another_job)
{
	slurmd.job = OTHER;
	add_user();
	add_user();
	ck_assert_int_eq(release_job(), RELEASE_DONE);
	expect_withheld(false);
}
END_TEST

/* Tiles of unknown use are withheld without a wait; each inspection queries slurmd once. */
START_TEST(of_an_unknown_job)
{
	slurmd.silent = true;
	add_user();
	add_user();
	ck_assert_int_eq(release_job(), RELEASE_UNKNOWN);
	ck_assert_uint_eq(slurmd.queries, 1);
	ck_assert_ptr_nonnull(strstr(row.text, "slurmd has not reported"));
	expect_withheld(true);
	release_wait(&node, &leftovers, &row, 1, deadline_after(LONG_S), true);
	ck_assert_uint_eq(slurmd.queries, 2);
	ck_assert(!tessera_tileset_empty(&row.tiles));
	expect_withheld(true);
	slurmd.silent = false;
	slurmd.job = OTHER;
	leftovers_renew(&leftovers);
	ck_assert_int_eq(
		release_or_withhold(&node, &leftovers, &row, ENDED, deadline_after(60), &err),
		RELEASE_DONE);
	expect_withheld(false);
}
END_TEST

/* More processes than queries: the next inspection continues where the first one stopped. */
START_TEST(more_than_queries)
{
	slurmd.job = OTHER;
	for (unsigned i = 0; i < MANY; i++)
		add_user();
	ck_assert_int_eq(release_job(), RELEASE_UNKNOWN);
	ck_assert_uint_eq(slurmd.queries, LEFTOVER_QUERIES);
	expect_withheld(true);
	leftovers_renew(&leftovers);
	ck_assert_int_eq(
		release_or_withhold(&node, &leftovers, &row, ENDED, deadline_after(60), &err),
		RELEASE_DONE);
	ck_assert_uint_eq(slurmd.queries, MANY);
	expect_withheld(false);
}
END_TEST

/* A process without a job may only just have started: slurmd is queried again. */
START_TEST(none_is_not_remembered)
{
	add_user();
	ck_assert_int_eq(release_job(), RELEASE_WITHHELD);
	slurmd.job = OTHER;
	leftovers_renew(&leftovers);
	ck_assert_int_eq(
		release_or_withhold(&node, &leftovers, &row, ENDED, deadline_after(60), &err),
		RELEASE_DONE);
	expect_withheld(false);
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, begin, finish);
	tcase_add_test(tcase, of_no_job);
	tcase_add_test(tcase, of_the_job_that_ended);
	tcase_add_test(tcase, of_another_job);
	tcase_add_test(tcase, of_an_unknown_job);
	tcase_add_test(tcase, more_than_queries);
	tcase_add_test(tcase, none_is_not_remembered);
}

UNIT_MAIN("leftover", add_tests)
