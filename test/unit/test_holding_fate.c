/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/holding_fate.h"
#include "test/unit/unit.h"

#define UNKNOWN HOLDING_JOB_UNKNOWN
#define GONE    HOLDING_JOB_GONE
#define QUEUED  HOLDING_JOB_QUEUED
#define ACTIVE  HOLDING_JOB_ACTIVE
#define ENDING  HOLDING_JOB_ENDING

#define ASKED HOLDING_FIRST_UNKNOWN
#define SELF  HOLDING_FIRST_SELF
#define UP    HOLDING_FIRST_UP
#define DOWN  HOLDING_FIRST_DOWN

#define KEEP   HOLDING_KEEP
#define STAY   HOLDING_STAY
#define FORGET HOLDING_FORGET
#define REMOVE HOLDING_REMOVE

/* Of the case. */
#define HERE     1  /* the node is in the job's current node list */
#define AGAIN    2  /* the job was requeued once */
#define LISTABLE 4  /* the controller can list partitions */
#define NOTED    8  /* this node has a note */
#define OWNER    16 /* and made the partition */
#define LEFT     32 /* and could not remove it */
#define LATER    64 /* and it is about the run after the requeue */

#define MADE (NOTED | OWNER)

static const struct {
	enum holding_phase phase;
	enum holding_first first;
	unsigned how;
	enum holding_fate epilog, reap;
} rows[] = {
	/* slurmctld does not answer: nothing is decided, whatever is written. */
	{UNKNOWN, ASKED, LISTABLE, KEEP, KEEP},
	{UNKNOWN, ASKED, LISTABLE | MADE, KEEP, KEEP},
	{UNKNOWN, ASKED, MADE | LEFT, KEEP, KEEP},
	{UNKNOWN, SELF, LISTABLE | NOTED | HERE, KEEP, KEEP},
	/* The job is gone: whoever notices removes, the maker or not, with a note or without. */
	{GONE, ASKED, LISTABLE, REMOVE, REMOVE},
	{GONE, ASKED, LISTABLE | NOTED, REMOVE, REMOVE},
	{GONE, ASKED, NOTED, REMOVE, REMOVE},
	{GONE, ASKED, LISTABLE | MADE, REMOVE, REMOVE},
	{GONE, DOWN, LISTABLE | MADE | LEFT, REMOVE, REMOVE},
	{GONE, ASKED, MADE | AGAIN, REMOVE, REMOVE},
	/* It waits to be run again: its licenses are free meanwhile. A job that never ran left nothing. */
	{QUEUED, ASKED, LISTABLE, STAY, STAY},
	{QUEUED, ASKED, LISTABLE | AGAIN, REMOVE, REMOVE},
	{QUEUED, ASKED, LISTABLE | AGAIN | NOTED, REMOVE, REMOVE},
	{QUEUED, ASKED, AGAIN | MADE | LEFT, REMOVE, REMOVE},
	{QUEUED, ASKED, LISTABLE | MADE, REMOVE, REMOVE},
	/* It runs, but no longer here: it shrank. */
	{ACTIVE, ASKED, LISTABLE | MADE, FORGET, FORGET},
	{ACTIVE, UP, LISTABLE | NOTED, FORGET, FORGET},
	{ACTIVE, DOWN, MADE, FORGET, FORGET},
	/* It was requeued and runs elsewhere: that run has a partition of the same name. */
	{ACTIVE, UP, LISTABLE | MADE | AGAIN, FORGET, FORGET},
	{ACTIVE, UP, MADE | LEFT | AGAIN, FORGET, FORGET},
	{ACTIVE, DOWN, LISTABLE | AGAIN, STAY, STAY},
	/* It runs here: an epilog that comes now is an earlier run's, and late. */
	{ACTIVE, SELF, LISTABLE | MADE | HERE, STAY, STAY},
	{ACTIVE, SELF, LISTABLE | MADE | HERE | AGAIN, STAY, STAY},
	{ACTIVE, SELF, MADE | HERE | AGAIN | LATER, STAY, STAY},
	{ACTIVE, UP, LISTABLE | NOTED | HERE | AGAIN | LATER, STAY, STAY},
	{ACTIVE, UP, LISTABLE | HERE, STAY, STAY},
	/* It ends, and the node is the first that it still has. */
	{ENDING, SELF, LISTABLE | MADE | HERE, REMOVE, STAY},
	{ENDING, SELF, LISTABLE | NOTED | HERE, REMOVE, STAY},
	{ENDING, SELF, LISTABLE | HERE, REMOVE, STAY},
	/* A requeue counts before the epilogs of the run have ended. */
	{ENDING, SELF, LISTABLE | MADE | HERE | AGAIN, REMOVE, STAY},
	/* Another is the first, and up. Without a list it is not relied on. */
	{ENDING, UP, LISTABLE | NOTED | HERE, FORGET, STAY},
	{ENDING, UP, LISTABLE | HERE, FORGET, STAY},
	{ENDING, UP, NOTED | HERE, REMOVE, STAY},
	/* Another is the first because the job grew: it has made nothing. */
	{ENDING, UP, LISTABLE | MADE | HERE, REMOVE, STAY},
	/* Another is the first, and its epilog will not run. */
	{ENDING, DOWN, LISTABLE | NOTED | HERE, REMOVE, STAY},
	{ENDING, DOWN, NOTED | HERE | AGAIN, REMOVE, STAY},
	{ENDING, DOWN, LISTABLE | NOTED, REMOVE, REMOVE},
	{ENDING, DOWN, LISTABLE, REMOVE, REMOVE},
	/* Whether it will run is not known. */
	{ENDING, ASKED, LISTABLE | NOTED | HERE, KEEP, STAY},
	{ENDING, ASKED, LISTABLE | MADE | HERE, REMOVE, STAY},
	{ENDING, ASKED, LISTABLE | NOTED, KEEP, KEEP},
	/* It ends elsewhere. */
	{ENDING, UP, LISTABLE | NOTED, FORGET, STAY},
	{ENDING, UP, LISTABLE, FORGET, STAY},
	/* An epilog that failed is made good as soon as somebody comes. */
	{ENDING, UP, LISTABLE | MADE | LEFT, REMOVE, REMOVE},
	{ENDING, UP, LISTABLE | NOTED | LEFT, FORGET, REMOVE},
	{ENDING, SELF, LISTABLE | NOTED | LEFT | HERE, REMOVE, REMOVE},
};

static enum holding_fate decide(size_t i, enum holding_caller caller)
{
	unsigned how = rows[i].how;
	struct tessera_holding note = {
		.job = 7,
		.restarts = (how & LATER) != 0,
		.state = (how & LEFT) != 0 ? TESSERA_HOLDING_LEAVING : TESSERA_HOLDING_READY,
		.ipus = 4,
		.gcds = 1,
		.owner = (how & OWNER) != 0,
		.partition = "slurm_7",
	};
	struct holding_job job = {
		.phase = rows[i].phase,
		.here = (how & HERE) != 0,
		.first = rows[i].first,
		.restarts = (how & AGAIN) != 0,
	};

	return holding_fate(&job, (how & NOTED) != 0 ? &note : NULL, caller, (how & LISTABLE) != 0);
}

START_TEST(each_case)
{
	size_t i = (size_t)_i;

	ck_assert_msg(decide(i, HOLDING_EPILOG) == rows[i].epilog, "row %zu: the epilog decides %d, not %d", i,
		      decide(i, HOLDING_EPILOG), rows[i].epilog);
	ck_assert_msg(decide(i, HOLDING_REAP) == rows[i].reap, "row %zu: reap decides %d, not %d", i,
		      decide(i, HOLDING_REAP), rows[i].reap);
}
END_TEST

/* Whatever is written and whoever asks: a running job keeps its partition. */
START_TEST(running_jobs_keep_theirs)
{
	for (unsigned i = 0; i < 2u * 2 * 2 * 2 * 2 * 2 * 4; i++) {
		struct tessera_holding note = {
			.state = i & 1 ? TESSERA_HOLDING_LEAVING : TESSERA_HOLDING_MAKING,
			.owner = i & 2,
		};
		struct holding_job job = {
			.phase = HOLDING_JOB_ACTIVE,
			.here = i & 4,
			.restarts = (i & 8) != 0,
			.first = (enum holding_first)(i >> 6),
		};

		ck_assert_int_ne(holding_fate(&job, i & 16 ? &note : NULL, HOLDING_EPILOG, i & 32), HOLDING_REMOVE);
		ck_assert_int_ne(holding_fate(&job, i & 16 ? &note : NULL, HOLDING_REAP, i & 32), HOLDING_REMOVE);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, each_case, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, running_jobs_keep_theirs);
}

UNIT_MAIN("holding_fate", add_tests)
