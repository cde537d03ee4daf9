/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules by which tiles of ended jobs are released or withheld, as tables. */
#include "config.h"

#include "lib/node/release_rule.h"
#include "test/unit/unit.h"

#define JOB   7 /* whose tiles they are */
#define OTHER 8
#define NONE  LEFTOVER_OWNER_NONE
#define BLANK LEFTOVER_OWNER_UNKNOWN /* slurmd did not answer */

#define SINCE 100 /* when the ended run started, in clock ticks */
#define AGAIN 200 /* when a later run of JOB started */

static const struct {
	uint32_t ended, owner;
	uint64_t again, start;
	enum device_use use;
	enum release_signal signal;  /* of a process that does not look like a step's */
	enum release_signal in_step; /* of one that does */
} processes[] = {
	/* the job has ended altogether */
	{JOB, NONE, 0, SINCE, DEVICE_IN_USE, RELEASE_SIGNAL_SEND, RELEASE_SIGNAL_STEP},
	{JOB, JOB, 0, SINCE, DEVICE_IN_USE, RELEASE_SIGNAL_SEND, RELEASE_SIGNAL_SEND},
	{JOB, OTHER, 0, SINCE, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{JOB, BLANK, 0, SINCE, DEVICE_UNKNOWN, RELEASE_SIGNAL_UNKNOWN, RELEASE_SIGNAL_UNKNOWN},
	/* a process that started before the job is not the job's */
	{JOB, NONE, 0, SINCE - 1, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{JOB, JOB, 0, SINCE - 1, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{JOB, OTHER, 0, SINCE - 1, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{JOB, BLANK, 0, SINCE - 1, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	/* the job is running again: its older processes belong to the ended run */
	{0, NONE, AGAIN, AGAIN, DEVICE_IN_USE, RELEASE_SIGNAL_SEND, RELEASE_SIGNAL_STEP},
	{0, JOB, AGAIN, AGAIN - 1, DEVICE_IN_USE, RELEASE_SIGNAL_SEND, RELEASE_SIGNAL_SEND},
	{0, JOB, AGAIN, AGAIN, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{0, OTHER, AGAIN, AGAIN - 1, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{0, BLANK, AGAIN, AGAIN, DEVICE_UNKNOWN, RELEASE_SIGNAL_UNKNOWN, RELEASE_SIGNAL_UNKNOWN},
	/* it is running again, but since when is not known: none of its processes is touched */
	{0, JOB, 0, SINCE, DEVICE_FREE, RELEASE_SIGNAL_SKIP, RELEASE_SIGNAL_SKIP},
	{0, NONE, 0, SINCE, DEVICE_IN_USE, RELEASE_SIGNAL_SEND, RELEASE_SIGNAL_STEP},
};

START_TEST(use_by_owner)
{
	struct ended_run run = {
		.job = JOB,
		.ended = processes[_i].ended,
		.since = SINCE,
		.again = processes[_i].again,
	};
	uint32_t owner = processes[_i].owner;
	uint64_t start = processes[_i].start;

	ck_assert_int_eq(release_rule_use(&run, owner, start), processes[_i].use);
	ck_assert_int_eq(release_rule_signal(&run, owner, start, false), processes[_i].signal);
	ck_assert_int_eq(release_rule_signal(&run, owner, start, true), processes[_i].in_step);
}
END_TEST

/* A row without the time of its start, as older releases wrote it: every process may be its. */
START_TEST(start_not_known)
{
	struct ended_run run = {.job = JOB, .ended = JOB};

	ck_assert_int_eq(release_rule_use(&run, NONE, 1), DEVICE_IN_USE);
	ck_assert_int_eq(release_rule_use(&run, OTHER, 1), DEVICE_FREE);
}
END_TEST

#define HELD     TESSERA_ROW_HELD
#define SHORT    TESSERA_ROW_SHORT
#define REFUSED  TESSERA_ROW_REFUSED
#define WITHHELD TESSERA_ROW_WITHHELD

static const struct {
	enum tessera_row_state state;
	enum device_use use;
	bool same_text;
	enum release_action action;
	enum release_result result;
} rows[] = {
	{HELD, DEVICE_FREE, false, RELEASE_ACTION_DROP, RELEASE_DONE},
	{HELD, DEVICE_FREE, true, RELEASE_ACTION_DROP, RELEASE_DONE},
	{HELD, DEVICE_IN_USE, false, RELEASE_ACTION_WITHHOLD, RELEASE_WITHHELD},
	{HELD, DEVICE_IN_USE, true, RELEASE_ACTION_WITHHOLD, RELEASE_WITHHELD},
	{HELD, DEVICE_UNKNOWN, false, RELEASE_ACTION_WITHHOLD, RELEASE_UNKNOWN},
	{HELD, DEVICE_UNKNOWN, true, RELEASE_ACTION_WITHHOLD, RELEASE_UNKNOWN},
	/* rows without tiles: device_in_use() says that they are free */
	{SHORT, DEVICE_FREE, false, RELEASE_ACTION_DROP, RELEASE_DONE},
	{REFUSED, DEVICE_FREE, false, RELEASE_ACTION_DROP, RELEASE_DONE},
	{WITHHELD, DEVICE_FREE, false, RELEASE_ACTION_RELEASE, RELEASE_DONE},
	{WITHHELD, DEVICE_FREE, true, RELEASE_ACTION_RELEASE, RELEASE_DONE},
	{WITHHELD, DEVICE_IN_USE, false, RELEASE_ACTION_REWORD, RELEASE_WITHHELD},
	{WITHHELD, DEVICE_IN_USE, true, RELEASE_ACTION_LEAVE, RELEASE_WITHHELD},
	{WITHHELD, DEVICE_UNKNOWN, false, RELEASE_ACTION_REWORD, RELEASE_UNKNOWN},
	{WITHHELD, DEVICE_UNKNOWN, true, RELEASE_ACTION_LEAVE, RELEASE_UNKNOWN},
};

START_TEST(row_by_use)
{
	struct release_decision decision =
		release_rule_row(rows[_i].state, rows[_i].use, rows[_i].same_text);

	ck_assert_int_eq(decision.action, rows[_i].action);
	ck_assert_int_eq(decision.result, rows[_i].result);
}
END_TEST

static const struct {
	int result;
	bool withheld, worth_waiting;
} results[] = {
	{-1, false, true}, /* an error, which may pass */
	{RELEASE_DONE, false, false},
	{RELEASE_WITHHELD, true, true},
	{RELEASE_UNKNOWN, true, false},
	{RELEASE_GONE, false, false},
};

START_TEST(what_follows)
{
	ck_assert_int_eq(release_is_withheld(results[_i].result), results[_i].withheld);
	ck_assert_int_eq(release_is_worth_waiting(results[_i].result), results[_i].worth_waiting);
}
END_TEST

#define QUARANTINE TESSERA_LEFTOVER_QUARANTINE
#define WAIT       TESSERA_LEFTOVER_WAIT
#define KILL       TESSERA_LEFTOVER_KILL

#define STEP_END  RELEASE_STEP_END
#define STEP_WAIT RELEASE_STEP_WAIT
#define STEP_TERM RELEASE_STEP_TERM
#define STEP_KILL RELEASE_STEP_KILL

#define T    1000000 /* when waiting ends */
#define HALF (RELEASE_KILL_MS / RELEASE_KILLS)
#define LOOK RELEASE_LOOK_MS

/* One step: what was done before, what is left, and what follows from it. */
static const struct {
	enum tessera_leftover_policy policy;
	bool may_kill, terminated;
	unsigned kills;
	size_t rows;
	int64_t now;
	enum release_step_kind kind;
	int64_t pause_until, inspect_until;
} steps[] = {
	/* quarantine neither waits nor signals */
	{QUARANTINE, true, false, 0, 1, T - 9000, STEP_END, 0, 0},
	{QUARANTINE, true, false, 0, 0, T - 9000, STEP_END, 0, 0},
	{QUARANTINE, true, false, 0, 1, T + 1, STEP_END, 0, 0},
	/* wait only waits, until END */
	{WAIT, true, false, 0, 0, T - 9000, STEP_END, 0, 0},
	{WAIT, true, false, 0, 1, T - 9000, STEP_WAIT, T, T + LOOK},
	{WAIT, false, false, 0, 3, T - 1, STEP_WAIT, T, T + LOOK},
	{WAIT, true, false, 0, 1, T, STEP_END, 0, 0},
	{WAIT, true, false, 0, 1, T + 1, STEP_END, 0, 0},
	/* kill begins with SIGTERM, and inspects for half of the time, even if END has passed */
	{KILL, true, false, 0, 0, T - 9000, STEP_END, 0, 0},
	{KILL, true, false, 0, 1, T - 8000, STEP_TERM, 0, T - 3000},
	{KILL, false, false, 0, 1, T - 8000, STEP_TERM, 0, T - 3000},
	{KILL, true, false, 0, 1, T, STEP_TERM, 0, T + RELEASE_KILL_MS / 2},
	{KILL, true, false, 0, 1, T + 9000, STEP_TERM, 0, T + 9000},
	/* then it waits */
	{KILL, true, true, 0, 0, T - 3000, STEP_END, 0, 0},
	{KILL, true, true, 0, 1, T - 3000, STEP_WAIT, T, T + LOOK},
	{KILL, false, true, 0, 1, T - 3000, STEP_WAIT, T, T + LOOK},
	/* at END it kills, if it may */
	{KILL, false, true, 0, 1, T, STEP_END, 0, 0},
	{KILL, true, true, 0, 0, T, STEP_END, 0, 0},
	{KILL, true, true, 0, 1, T, STEP_KILL, 0, T + HALF},
	{KILL, true, true, 0, 2, T + LOOK, STEP_KILL, 0, T + HALF},
	/* and waits for half of RELEASE_KILL_MS after each time */
	{KILL, true, true, 1, 0, T + 10, STEP_END, 0, 0},
	{KILL, true, true, 1, 1, T + 10, STEP_WAIT, T + HALF, T + HALF + LOOK},
	{KILL, true, true, 1, 1, T + HALF, STEP_KILL, 0, T + RELEASE_KILL_MS},
	{KILL, true, true, 2, 1, T + HALF, STEP_WAIT, T + RELEASE_KILL_MS,
	 T + RELEASE_KILL_MS + LOOK},
	{KILL, true, true, 2, 0, T + HALF, STEP_END, 0, 0},
	/* a process that hangs in the driver stays */
	{KILL, true, true, 2, 1, T + RELEASE_KILL_MS, STEP_END, 0, 0},
};

START_TEST(one_step)
{
	struct release_run run = {
		.policy = steps[_i].policy,
		.end = T,
		.may_kill = steps[_i].may_kill,
		.terminated = steps[_i].terminated,
		.kills = steps[_i].kills,
	};
	struct release_step step = release_rule_step(&run, steps[_i].rows, steps[_i].now);

	ck_assert_int_eq(step.kind, steps[_i].kind);
	ck_assert_int_eq(step.pause_until, steps[_i].pause_until);
	ck_assert_int_eq(step.inspect_until, steps[_i].inspect_until);
	ck_assert_int_eq(run.terminated, steps[_i].terminated || step.kind == STEP_TERM);
	ck_assert_uint_eq(run.kills, steps[_i].kills + (step.kind == STEP_KILL));
}
END_TEST

static const struct {
	enum tessera_leftover_policy policy;
	bool may_kill;
	const char *steps; /* T: TERM, K: KILL, w: one or more waits */
	int64_t ended;     /* when, if a pause takes all the time it may, and an inspection none */
} waits[] = {
	{QUARANTINE, true, "", T - 5000},
	{WAIT, true, "w", T},
	{WAIT, false, "w", T},
	{KILL, false, "Tw", T},
	{KILL, true, "TwKwKw", T + RELEASE_KILL_MS},
};

/* Whole waits, for a process that never ends: each comes to its end. */
START_TEST(whole_wait)
{
	struct release_run run = {
		.policy = waits[_i].policy, .end = T, .may_kill = waits[_i].may_kill};
	char taken[16] = "";
	size_t used = 0;
	int64_t now = T - 5000;

	for (;;) {
		struct release_step step = release_rule_step(&run, 1, now);
		char letter = "-wTK"[step.kind];

		if (step.kind == STEP_END)
			break;
		if (used == 0 || letter != 'w' || taken[used - 1] != 'w')
			taken[used++] = letter;
		ck_assert_uint_lt(used, sizeof(taken) - 1);
		if (step.kind == STEP_WAIT) {
			int64_t pause = step.pause_until - now;

			ck_assert_int_gt(pause, 0);
			now += pause < RELEASE_PAUSE_MS ? pause : RELEASE_PAUSE_MS;
		}
	}
	ck_assert_str_eq(taken, waits[_i].steps);
	ck_assert_int_eq(now, waits[_i].ended);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, use_by_owner, 0, COUNT(processes));
	tcase_add_test(tcase, start_not_known);
	tcase_add_loop_test(tcase, row_by_use, 0, COUNT(rows));
	tcase_add_loop_test(tcase, what_follows, 0, COUNT(results));
	tcase_add_loop_test(tcase, one_step, 0, COUNT(steps));
	tcase_add_loop_test(tcase, whole_wait, 0, COUNT(waits));
}

UNIT_MAIN("release_rule", add_tests)
