/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/request/step_rule.h"
#include "test/unit/unit.h"

#define MAX_REQUEUE 3

/* Facts of a row of the table. */
#define TILES     0x0001 /* the client requested tiles */
#define POOLS     0x0002 /* the client requested IPUs or pools */
#define OPTION    0x0004 /* an option for IPUs or a pool reached the node */
#define EXCEEDS   0x0008
#define UNREADY   0x0010 /* slurmd started without the plugin */
#define NO_CONF   0x0020
#define ERROR     0x0040 /* the node has an error */
#define FAILED    0x0080 /* the prolog failed */
#define WHY       0x0100 /* slurmctld did not answer, with a known reason */
#define G_TILES   0x0200 /* slurmctld allocated tiles */
#define G_POOLS   0x0400 /* slurmctld allocated IPUs or units of a pool */
#define ROW_NOW   0x0800 /* the row belongs to this run */
#define REC_NOW   0x1000 /* the record belongs to this run */
#define SILENT2   0x2000 /* the second query got no answer */
#define ANSWERED2 0x4000 /* the second query got an answer */

#define NOASK STEP_NOT_QUERIED
#define QUIET STEP_SILENT
#define AWAY  STEP_NOT_HERE
#define SAID  STEP_ANSWERED

#define NONE  STEP_ROW_NONE
#define HELD  STEP_ROW_HELD
#define SHORT STEP_ROW_SHORT
#define NEVER STEP_ROW_REFUSED

#define R_NONE  STEP_RECORD_NONE
#define R_READY STEP_RECORD_READY
#define R_LATER STEP_RECORD_UNREADY
#define R_NEVER STEP_RECORD_REFUSED

#define UNDIV STEP_UNDIVIDED
#define DIV   STEP_DIVIDED
#define INDIV STEP_INDIVISIBLE

#define REASON(x) STEP_REASON_##x

/* RESTARTS: the restart count in the row, in the record and at slurmctld. */
static const struct {
	unsigned how;
	enum step_row row;
	enum step_record record;
	enum step_answer answer;
	enum step_division division;
	unsigned restarts;
	enum step_outcome outcome;
	enum step_reason reason;
} rows[] = {
	/* Row and record cover the request: slurmctld is not queried. */
	{0, NONE, R_NONE, NOASK, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{TILES, HELD, R_NONE, NOASK, UNDIV, 0, STEP_DIVIDE, REASON(NONE)},
	{TILES, HELD, R_NONE, NOASK, DIV, 0, STEP_RUN, REASON(NONE)},
	{0, HELD, R_NONE, NOASK, DIV, 2, STEP_RUN, REASON(NONE)},
	{POOLS, NONE, R_READY, NOASK, UNDIV, 0, STEP_RUN, REASON(NONE)},
	{POOLS | OPTION, NONE, R_READY, NOASK, UNDIV, 9, STEP_RUN, REASON(NONE)},
	{TILES | POOLS, HELD, R_READY, NOASK, UNDIV, 0, STEP_DIVIDE, REASON(NONE)},
	{TILES | POOLS, HELD, R_READY, NOASK, DIV, 0, STEP_RUN, REASON(NONE)},
	/*
	 * Something that was requested is not recorded, or the record is in doubt: query slurmctld.
	 */
	{TILES, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{TILES, NONE, R_READY, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{POOLS, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{POOLS, HELD, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{TILES | POOLS, HELD, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{TILES | POOLS, SHORT, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{FAILED, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{FAILED, HELD, R_READY, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{ERROR, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{ERROR, HELD, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{UNREADY, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{UNREADY | TILES, HELD, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	/* All that slurmctld allocated is recorded. */
	{TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{TILES, NONE, R_NONE, AWAY, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{POOLS, NONE, R_NONE, SAID, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{POOLS | G_TILES, HELD, R_NONE, SAID, UNDIV, 0, STEP_DIVIDE, REASON(NONE)},
	{TILES | G_POOLS, NONE, R_READY, SAID, UNDIV, 0, STEP_RUN, REASON(NONE)},
	{UNREADY | G_TILES, HELD, R_NONE, SAID, DIV, 0, STEP_RUN, REASON(NONE)},
	{ERROR | NO_CONF, NONE, R_NONE, SAID, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{ERROR | G_TILES, HELD, R_NONE, SAID, DIV, 0, STEP_RUN, REASON(NONE)},
	{FAILED, NONE, R_NONE, SAID, UNDIV, 0, STEP_UNASKED, REASON(NONE)},
	{FAILED | G_TILES | ROW_NOW, HELD, R_NONE, SAID, DIV, 0, STEP_RUN, REASON(NONE)},
	{FAILED | G_POOLS | REC_NOW, NONE, R_READY, SAID, UNDIV, 0, STEP_RUN, REASON(NONE)},
	/* A row of an earlier run; this run was allocated no tiles. */
	{FAILED, HELD, R_NONE, SAID, DIV, 0, STEP_RUN, REASON(NONE)},
	/* Something that slurmctld allocated is not recorded: requeue, then hold. */
	{TILES | G_TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(UNRESERVED)},
	{TILES | G_TILES, NONE, R_NONE, SAID, UNDIV, 2, STEP_REQUEUE, REASON(UNRESERVED)},
	{TILES | G_TILES, NONE, R_NONE, SAID, UNDIV, 3, STEP_REQUEUE_HOLD, REASON(UNRESERVED)},
	{TILES | G_TILES, NONE, R_NONE, SAID, UNDIV, 4, STEP_REQUEUE_HOLD, REASON(UNRESERVED)},
	{UNREADY | G_TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(UNRESERVED)},
	{POOLS | G_POOLS, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(UNRESERVED)},
	{POOLS | G_POOLS | G_TILES, HELD, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(UNRESERVED)},
	{POOLS | G_POOLS | G_TILES, SHORT, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE,
	 REASON(UNRESERVED)},
	{TILES | G_POOLS | G_TILES, NONE, R_READY, SAID, UNDIV, 0, STEP_REQUEUE,
	 REASON(UNRESERVED)},
	/* The error of the node takes precedence over that of the prolog. */
	{ERROR | G_TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(NODE)},
	{ERROR | FAILED | G_TILES, NONE, R_NONE, SAID, UNDIV, 3, STEP_REQUEUE_HOLD, REASON(NODE)},
	{ERROR | NO_CONF | G_TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(NODE)},
	{ERROR | NO_CONF | OPTION, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(NODE)},
	{FAILED | G_TILES, NONE, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(PROLOG)},
	{FAILED | G_POOLS, NONE, R_NONE, SAID, UNDIV, 3, STEP_REQUEUE_HOLD, REASON(PROLOG)},
	/* Row or record of an earlier run does not cover this one. */
	{FAILED | G_TILES, HELD, R_NONE, SAID, UNDIV, 1, STEP_REQUEUE, REASON(PROLOG)},
	{FAILED | G_TILES | REC_NOW, HELD, R_READY, SAID, UNDIV, 1, STEP_REQUEUE, REASON(PROLOG)},
	{FAILED | G_POOLS, NONE, R_READY, SAID, UNDIV, 1, STEP_REQUEUE, REASON(PROLOG)},
	{FAILED | G_POOLS | ROW_NOW, HELD, R_READY, SAID, UNDIV, 1, STEP_REQUEUE, REASON(PROLOG)},
	/* slurmctld does not answer: nothing is assumed to be covered. Query the restart count. */
	{TILES, NONE, R_NONE, QUIET, UNDIV, 0, STEP_QUERY_RESTARTS, REASON(NONE)},
	{FAILED | ROW_NOW, HELD, R_NONE, QUIET, UNDIV, 0, STEP_QUERY_RESTARTS, REASON(NONE)},
	{UNREADY, HELD, R_READY, QUIET, UNDIV, 0, STEP_QUERY_RESTARTS, REASON(NONE)},
	{TILES | WHY | SILENT2, NONE, R_NONE, QUIET, UNDIV, 0, STEP_FAIL, REASON(SLURMCTLD)},
	{TILES | SILENT2, NONE, R_NONE, QUIET, UNDIV, 0, STEP_FAIL, REASON(UNRESERVED)},
	{TILES | WHY | ANSWERED2, NONE, R_NONE, QUIET, UNDIV, 0, STEP_REQUEUE, REASON(SLURMCTLD)},
	{TILES | WHY | ANSWERED2, NONE, R_NONE, QUIET, UNDIV, 3, STEP_REQUEUE_HOLD,
	 REASON(SLURMCTLD)},
	{FAILED | WHY | SILENT2, NONE, R_NONE, QUIET, UNDIV, 0, STEP_FAIL, REASON(PROLOG)},
	{FAILED | WHY | ANSWERED2, HELD, R_NONE, QUIET, UNDIV, 0, STEP_REQUEUE, REASON(PROLOG)},
	{ERROR | WHY | SILENT2, NONE, R_NONE, QUIET, UNDIV, 0, STEP_FAIL, REASON(NODE)},
	{ERROR | WHY | ANSWERED2, NONE, R_NONE, QUIET, UNDIV, 3, STEP_REQUEUE_HOLD, REASON(NODE)},
	/* The job is not on this node according to slurmctld, but something is not covered. */
	{TILES | G_TILES, NONE, R_NONE, AWAY, UNDIV, 0, STEP_QUERY_RESTARTS, REASON(NONE)},
	{TILES | G_TILES | SILENT2, NONE, R_NONE, AWAY, UNDIV, 0, STEP_FAIL, REASON(UNRESERVED)},
	{TILES | G_TILES | ANSWERED2, NONE, R_NONE, AWAY, UNDIV, 0, STEP_REQUEUE,
	 REASON(UNRESERVED)},
	{ERROR | NO_CONF | OPTION, NONE, R_NONE, AWAY, UNDIV, 0, STEP_QUERY_RESTARTS, REASON(NONE)},
	/*
	 * The prolog found no tiles. A job that was requeued too often for this fails instead of
	 * being held.
	 */
	{TILES, SHORT, R_NONE, NOASK, UNDIV, 0, STEP_REQUEUE, REASON(ROW)},
	{TILES, SHORT, R_NONE, NOASK, UNDIV, 2, STEP_REQUEUE, REASON(ROW)},
	{TILES, SHORT, R_NONE, NOASK, UNDIV, 3, STEP_FAIL, REASON(ROW)},
	{TILES, NEVER, R_NONE, NOASK, UNDIV, 0, STEP_FAIL, REASON(ROW)},
	{TILES | POOLS, SHORT, R_LATER, NOASK, UNDIV, 0, STEP_REQUEUE, REASON(ROW)},
	{TILES | POOLS, NEVER, R_LATER, NOASK, UNDIV, 0, STEP_FAIL, REASON(ROW)},
	{TILES | EXCEEDS, SHORT, R_NONE, NOASK, UNDIV, 0, STEP_REQUEUE, REASON(ROW)},
	{FAILED | G_TILES | ROW_NOW, SHORT, R_NONE, SAID, UNDIV, 0, STEP_REQUEUE, REASON(ROW)},
	/*
	 * The tiles cannot be divided as requested: this error of the user precedes those of the
	 * record.
	 */
	{TILES, HELD, R_NONE, NOASK, INDIV, 0, STEP_FAIL, REASON(DIVISION)},
	{TILES | POOLS, HELD, R_READY, NOASK, INDIV, 0, STEP_FAIL, REASON(DIVISION)},
	{TILES | POOLS, HELD, R_LATER, NOASK, INDIV, 0, STEP_FAIL, REASON(DIVISION)},
	/* The prolog created no partition. */
	{POOLS, NONE, R_LATER, NOASK, UNDIV, 0, STEP_REQUEUE, REASON(RECORD)},
	{POOLS, NONE, R_LATER, NOASK, UNDIV, 2, STEP_REQUEUE, REASON(RECORD)},
	{POOLS, NONE, R_LATER, NOASK, UNDIV, 3, STEP_REQUEUE_HOLD, REASON(RECORD)},
	{POOLS, NONE, R_NEVER, NOASK, UNDIV, 0, STEP_FAIL, REASON(RECORD)},
	{POOLS, NONE, R_NEVER, NOASK, UNDIV, 3, STEP_FAIL, REASON(RECORD)},
	{TILES | POOLS, HELD, R_LATER, NOASK, UNDIV, 0, STEP_DIVIDE, REASON(NONE)},
	{TILES | POOLS, HELD, R_LATER, NOASK, DIV, 0, STEP_REQUEUE, REASON(RECORD)},
	{TILES | POOLS, HELD, R_NEVER, NOASK, DIV, 0, STEP_FAIL, REASON(RECORD)},
	{POOLS | EXCEEDS, NONE, R_LATER, NOASK, UNDIV, 0, STEP_REQUEUE, REASON(RECORD)},
	/* The step requests more than the job has, which may be nothing. */
	{POOLS | OPTION | EXCEEDS, NONE, R_READY, NOASK, UNDIV, 0, STEP_FAIL, REASON(EXCEEDS)},
	{POOLS | OPTION | EXCEEDS, NONE, R_NONE, SAID, UNDIV, 0, STEP_FAIL, REASON(EXCEEDS)},
	{POOLS | OPTION | EXCEEDS, NONE, R_NONE, NOASK, UNDIV, 0, STEP_QUERY, REASON(NONE)},
	{TILES | POOLS | EXCEEDS, HELD, R_READY, NOASK, UNDIV, 0, STEP_DIVIDE, REASON(NONE)},
	{TILES | POOLS | EXCEEDS, HELD, R_READY, NOASK, DIV, 0, STEP_FAIL, REASON(EXCEEDS)},
};

static struct step_facts make_facts(unsigned how)
{
	return (struct step_facts){
		.asked = {.tiles = (how & TILES) != 0, .pools = (how & POOLS) != 0},
		.pool_option = (how & OPTION) != 0,
		.exceeds = (how & EXCEEDS) != 0,
		.slurmd_has_plugin = (how & UNREADY) == 0,
		.has_conf = (how & NO_CONF) == 0,
		.node_error = (how & ERROR) != 0,
		.prolog_failed = (how & FAILED) != 0,
		.answer_error = (how & WHY) != 0,
		.granted_tiles = (how & G_TILES) != 0,
		.granted_pools = (how & G_POOLS) != 0,
		.row_is_current = (how & ROW_NOW) != 0,
		.record_is_current = (how & REC_NOW) != 0,
		.restarts_answer = (how & SILENT2) != 0     ? STEP_SILENT
				   : (how & ANSWERED2) != 0 ? STEP_ANSWERED
							    : STEP_NOT_QUERIED,
		.max_requeue = MAX_REQUEUE,
	};
}

START_TEST(each_case)
{
	struct step_facts facts = make_facts(rows[_i].how);
	struct step_verdict got;

	facts.row = rows[_i].row;
	facts.record = rows[_i].record;
	facts.answer = rows[_i].answer;
	facts.division = rows[_i].division;
	facts.row_restarts = facts.record_restarts = facts.restarts = rows[_i].restarts;
	got = step_rule(&facts);
	ck_assert_msg(got.outcome == rows[_i].outcome, "row %d: outcome %d, not %d", _i,
		      got.outcome, rows[_i].outcome);
	ck_assert_msg(got.reason == rows[_i].reason, "row %d: reason %d, not %d", _i, got.reason,
		      rows[_i].reason);
	if (got.outcome >= STEP_REQUEUE)
		ck_assert_uint_eq(got.restarts, rows[_i].restarts);
}
END_TEST

/* The restart count comes from the source of the reason. */
START_TEST(restart_counts)
{
	struct step_facts facts = make_facts(TILES | POOLS);

	facts.row_restarts = 1;
	facts.record_restarts = 2;
	facts.restarts = 7;
	facts.row = STEP_ROW_SHORT;
	facts.record = STEP_RECORD_READY;
	ck_assert_uint_eq(step_rule(&facts).restarts, 1);
	facts.row = STEP_ROW_HELD;
	facts.division = STEP_DIVIDED;
	ck_assert_uint_eq(step_rule(&facts).restarts, 1);
	facts.record = STEP_RECORD_UNREADY;
	ck_assert_uint_eq(step_rule(&facts).restarts, 2);
	facts = make_facts(POOLS);
	facts.record = STEP_RECORD_READY;
	facts.record_restarts = 2;
	ck_assert_uint_eq(step_rule(&facts).restarts, 2);
	facts = make_facts(TILES | G_TILES);
	facts.answer = STEP_ANSWERED;
	facts.row_restarts = 1;
	facts.restarts = 7;
	ck_assert_int_eq(step_rule(&facts).outcome, STEP_REQUEUE_HOLD);
	ck_assert_uint_eq(step_rule(&facts).restarts, 7);
}
END_TEST

/* MaxRequeue=0: a job is held at once instead of requeued. */
START_TEST(no_requeue)
{
	struct step_facts facts = make_facts(TILES);

	facts.max_requeue = 0;
	facts.row = STEP_ROW_SHORT;
	ck_assert_int_eq(step_rule(&facts).outcome, STEP_FAIL);
	facts = make_facts(POOLS);
	facts.max_requeue = 0;
	facts.record = STEP_RECORD_UNREADY;
	ck_assert_int_eq(step_rule(&facts).outcome, STEP_REQUEUE_HOLD);
	facts = make_facts(TILES | G_TILES);
	facts.max_requeue = 0;
	facts.answer = STEP_ANSWERED;
	ck_assert_int_eq(step_rule(&facts).outcome, STEP_REQUEUE_HOLD);
}
END_TEST

/* Add the facts that OUTCOME needs to FACTS, as the bits of CHOICE define them. */
static void find_out(struct step_facts *facts, enum step_outcome outcome, unsigned choice)
{
	if (outcome == STEP_QUERY)
		facts->answer = (enum step_answer)(STEP_SILENT + choice % 3);
	else if (outcome == STEP_QUERY_RESTARTS)
		facts->restarts_answer = choice & 4 ? STEP_ANSWERED : STEP_SILENT;
	else
		facts->division = choice & 8 ? STEP_DIVIDED : STEP_INDIVISIBLE;
}

static bool is_final(enum step_outcome outcome)
{
	return outcome == STEP_UNASKED || outcome >= STEP_RUN;
}

/*
 * With any facts: the decision is final after three steps, and a step that does not run has a
 * reason.
 */
static void follow(struct step_facts facts, unsigned choice)
{
	struct step_verdict verdict = step_rule(&facts);

	for (int i = 0; i < 3 && !is_final(verdict.outcome); i++) {
		find_out(&facts, verdict.outcome, choice);
		verdict = step_rule(&facts);
	}
	ck_assert(is_final(verdict.outcome));
	ck_assert_int_eq(verdict.reason != STEP_REASON_NONE, verdict.outcome > STEP_RUN);
	if (verdict.outcome == STEP_RUN) {
		ck_assert(facts.row == STEP_ROW_HELD || facts.record == STEP_RECORD_READY);
		ck_assert(facts.answer != STEP_SILENT);
		ck_assert(facts.row == STEP_ROW_NONE || facts.division == STEP_DIVIDED);
	}
	/* After a query to slurmctld, a step never runs without something that was allocated. */
	if ((verdict.outcome == STEP_UNASKED || verdict.outcome == STEP_RUN) &&
	    facts.answer != STEP_NOT_QUERIED) {
		ck_assert(!facts.granted_tiles || facts.row == STEP_ROW_HELD);
		ck_assert(!facts.granted_pools || facts.record == STEP_RECORD_READY);
	}
}

START_TEST(every_combination_ends)
{
	for (unsigned how = 0; how < SILENT2; how++)
		for (unsigned state = 0; state < 16; state++)
			for (unsigned choice = 0; choice < 16; choice++) {
				struct step_facts facts = make_facts(how);

				facts.row = (enum step_row)(state & 3);
				facts.record = (enum step_record)(state >> 2);
				follow(facts, choice);
			}
}
END_TEST

START_TEST(ends_job)
{
	ck_assert(step_rule_ends_job(STEP_FAIL, false, true));
	ck_assert(step_rule_ends_job(STEP_RUN, true, true));
	ck_assert(!step_rule_ends_job(STEP_RUN, false, true));
	ck_assert(!step_rule_ends_job(STEP_REQUEUE, true, true));
	ck_assert(!step_rule_ends_job(STEP_REQUEUE_HOLD, false, true));
	ck_assert(!step_rule_ends_job(STEP_UNASKED, false, true));
	ck_assert(!step_rule_ends_job(STEP_FAIL, false, false));
	ck_assert(!step_rule_ends_job(STEP_RUN, true, false));
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, each_case, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tcase, restart_counts);
	tcase_add_test(tcase, no_requeue);
	tcase_add_test(tcase, every_combination_ends);
	tcase_add_test(tcase, ends_job);
}

UNIT_MAIN("step_rule", add_tests)
