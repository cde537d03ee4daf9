/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/job_record_fate.h"
#include "test/unit/unit.h"

#define UNKNOWN JOB_RECORD_JOB_UNKNOWN
#define GONE    JOB_RECORD_JOB_GONE
#define QUEUED  JOB_RECORD_JOB_QUEUED
#define ACTIVE  JOB_RECORD_JOB_ACTIVE
#define ENDING  JOB_RECORD_JOB_ENDING

#define ASKED JOB_RECORD_FIRST_UNKNOWN
#define SELF  JOB_RECORD_FIRST_SELF
#define UP    JOB_RECORD_FIRST_UP
#define DOWN  JOB_RECORD_FIRST_DOWN

#define KEEP   JOB_RECORD_KEEP
#define STAY   JOB_RECORD_STAY
#define FORGET JOB_RECORD_FORGET
#define REMOVE JOB_RECORD_REMOVE

/* Flags of a case. */
#define HERE     1  /* the node is in the job's current node list */
#define AGAIN    2  /* the job was requeued once */
#define LISTABLE 4  /* the controller can list partitions */
#define RECORD   8  /* this node has a record */
#define OWNER    16 /* and made the partition */
#define LEFT     32 /* and could not remove it */
#define LATER    64 /* and it is about the run after the requeue */

#define MADE (RECORD | OWNER)

static const struct {
	enum job_record_phase phase;
	enum job_record_first first;
	unsigned how;
	enum job_record_fate epilog, reap;
} rows[] = {
	/* slurmctld does not answer: undecided, with or without a record. */
	{UNKNOWN, ASKED, LISTABLE, KEEP, KEEP},
	{UNKNOWN, ASKED, LISTABLE | MADE, KEEP, KEEP},
	{UNKNOWN, ASKED, MADE | LEFT, KEEP, KEEP},
	{UNKNOWN, SELF, LISTABLE | RECORD | HERE, KEEP, KEEP},
	/* The job has ended: any caller removes the partition, with or without a record. */
	{GONE, ASKED, LISTABLE, REMOVE, REMOVE},
	{GONE, ASKED, LISTABLE | RECORD, REMOVE, REMOVE},
	{GONE, ASKED, RECORD, REMOVE, REMOVE},
	{GONE, ASKED, LISTABLE | MADE, REMOVE, REMOVE},
	{GONE, DOWN, LISTABLE | MADE | LEFT, REMOVE, REMOVE},
	{GONE, ASKED, MADE | AGAIN, REMOVE, REMOVE},
	/*
	 * Requeued and pending: its licenses are free. A job that never ran has no partition.
	 */
	{QUEUED, ASKED, LISTABLE, STAY, STAY},
	{QUEUED, ASKED, LISTABLE | AGAIN, REMOVE, REMOVE},
	{QUEUED, ASKED, LISTABLE | AGAIN | RECORD, REMOVE, REMOVE},
	{QUEUED, ASKED, AGAIN | MADE | LEFT, REMOVE, REMOVE},
	{QUEUED, ASKED, LISTABLE | MADE, REMOVE, REMOVE},
	/* Running, but no longer on this node: the job shrank. */
	{ACTIVE, ASKED, LISTABLE | MADE, FORGET, FORGET},
	{ACTIVE, UP, LISTABLE | RECORD, FORGET, FORGET},
	{ACTIVE, DOWN, MADE, FORGET, FORGET},
	/* Requeued and running elsewhere: that run has a partition of the same name. */
	{ACTIVE, UP, LISTABLE | MADE | AGAIN, FORGET, FORGET},
	{ACTIVE, UP, MADE | LEFT | AGAIN, FORGET, FORGET},
	{ACTIVE, DOWN, LISTABLE | AGAIN, STAY, STAY},
	/* Running here: an epilog at this time is the late one of an earlier run. */
	{ACTIVE, SELF, LISTABLE | MADE | HERE, STAY, STAY},
	{ACTIVE, SELF, LISTABLE | MADE | HERE | AGAIN, STAY, STAY},
	{ACTIVE, SELF, MADE | HERE | AGAIN | LATER, STAY, STAY},
	{ACTIVE, UP, LISTABLE | RECORD | HERE | AGAIN | LATER, STAY, STAY},
	{ACTIVE, UP, LISTABLE | HERE, STAY, STAY},
	/* Completing, and this node is the first of the list. */
	{ENDING, SELF, LISTABLE | MADE | HERE, REMOVE, STAY},
	{ENDING, SELF, LISTABLE | RECORD | HERE, REMOVE, STAY},
	{ENDING, SELF, LISTABLE | HERE, REMOVE, STAY},
	/* slurmctld increments restarts before the epilogs of the run have ended. */
	{ENDING, SELF, LISTABLE | MADE | HERE | AGAIN, REMOVE, STAY},
	/* Another node is the first, and up. It is relied on only if partitions can be listed. */
	{ENDING, UP, LISTABLE | RECORD | HERE, FORGET, STAY},
	{ENDING, UP, LISTABLE | HERE, FORGET, STAY},
	{ENDING, UP, RECORD | HERE, REMOVE, STAY},
	/* Another node is the first because the job grew: it has not created the partition. */
	{ENDING, UP, LISTABLE | MADE | HERE, REMOVE, STAY},
	/* Another node is the first, and down: its epilog will not run. */
	{ENDING, DOWN, LISTABLE | RECORD | HERE, REMOVE, STAY},
	{ENDING, DOWN, RECORD | HERE | AGAIN, REMOVE, STAY},
	{ENDING, DOWN, LISTABLE | RECORD, REMOVE, REMOVE},
	{ENDING, DOWN, LISTABLE, REMOVE, REMOVE},
	/* The state of the first node is unknown. */
	{ENDING, ASKED, LISTABLE | RECORD | HERE, KEEP, STAY},
	{ENDING, ASKED, LISTABLE | MADE | HERE, REMOVE, STAY},
	{ENDING, ASKED, LISTABLE | RECORD, KEEP, KEEP},
	/* Completing on other nodes. */
	{ENDING, UP, LISTABLE | RECORD, FORGET, STAY},
	{ENDING, UP, LISTABLE, FORGET, STAY},
	/* After a failed epilog, the next reap removes the partition. */
	{ENDING, UP, LISTABLE | MADE | LEFT, REMOVE, REMOVE},
	{ENDING, UP, LISTABLE | RECORD | LEFT, FORGET, REMOVE},
	{ENDING, SELF, LISTABLE | RECORD | LEFT | HERE, REMOVE, REMOVE},
};

static enum job_record_fate decide(size_t i, enum job_record_caller caller)
{
	unsigned how = rows[i].how;
	struct tessera_job_record record = {
		.job = 7,
		.restarts = (how & LATER) != 0,
		.state = (how & LEFT) != 0 ? TESSERA_JOB_RECORD_LEAVING : TESSERA_JOB_RECORD_READY,
		.ipus = 4,
		.gcds = 1,
		.owner = (how & OWNER) != 0,
		.partition = "slurm_7",
	};
	struct job_record_job job = {
		.phase = rows[i].phase,
		.here = (how & HERE) != 0,
		.first = rows[i].first,
		.restarts = (how & AGAIN) != 0,
	};

	return job_record_fate(&job, (how & RECORD) != 0 ? &record : NULL, caller,
			       (how & LISTABLE) != 0);
}

START_TEST(each_case)
{
	size_t i = (size_t)_i;

	ck_assert_msg(decide(i, JOB_RECORD_EPILOG) == rows[i].epilog,
		      "row %zu: the epilog decides %d, not %d", i, decide(i, JOB_RECORD_EPILOG),
		      rows[i].epilog);
	ck_assert_msg(decide(i, JOB_RECORD_REAP) == rows[i].reap,
		      "row %zu: reap decides %d, not %d", i, decide(i, JOB_RECORD_REAP),
		      rows[i].reap);
}
END_TEST

/* No caller removes the partition of a running job, whatever the record is. */
START_TEST(running_jobs_keep_theirs)
{
	for (unsigned i = 0; i < 2u * 2 * 2 * 2 * 2 * 2 * 4; i++) {
		struct tessera_job_record record = {
			.state = i & 1 ? TESSERA_JOB_RECORD_LEAVING : TESSERA_JOB_RECORD_MAKING,
			.owner = i & 2,
		};
		struct job_record_job job = {
			.phase = JOB_RECORD_JOB_ACTIVE,
			.here = i & 4,
			.restarts = (i & 8) != 0,
			.first = (enum job_record_first)(i >> 6),
		};

		ck_assert_int_ne(
			job_record_fate(&job, i & 16 ? &record : NULL, JOB_RECORD_EPILOG, i & 32),
			JOB_RECORD_REMOVE);
		ck_assert_int_ne(
			job_record_fate(&job, i & 16 ? &record : NULL, JOB_RECORD_REAP, i & 32),
			JOB_RECORD_REMOVE);
	}
}
END_TEST

static void add_tests(TCase *tcase)
{
	tcase_add_loop_test(tcase, each_case, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_test(tcase, running_jobs_keep_theirs);
}

UNIT_MAIN("job_record_fate", add_tests)
