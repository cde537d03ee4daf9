/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node removes a job's V-IPU partition. The first node of a job creates it, but a job can
 * lose that node: the job shrinks, or the node fails and the job continues (--no-kill). So the
 * decision uses the job's state in slurmctld at the time of removal. Pure: the caller queries
 * slurmctld and carries the decision out. Not installed.
 */
#ifndef TESSERA_JOB_RECORD_FATE_H
#define TESSERA_JOB_RECORD_FATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/state/job_record.h"

enum job_record_phase {
	JOB_RECORD_JOB_UNKNOWN, /* slurmctld did not answer */
	JOB_RECORD_JOB_GONE,    /* unknown to slurmctld, or ended on all its nodes */
	JOB_RECORD_JOB_QUEUED,  /* pending on no node: new, or requeued */
	JOB_RECORD_JOB_ACTIVE,  /* running or suspended */
	JOB_RECORD_JOB_ENDING,  /* completing: its epilogs run */
};

/*
 * The first node of the job's current node list; while a job is completing, the list has only the
 * nodes whose epilog has not finished.
 */
enum job_record_first {
	JOB_RECORD_FIRST_UNKNOWN, /* slurmctld did not report its state */
	JOB_RECORD_FIRST_SELF,    /* this node */
	JOB_RECORD_FIRST_UP,      /* another node, which runs its epilog */
	JOB_RECORD_FIRST_DOWN,    /* another node, down or not responding; or the list is empty */
};

/* What slurmctld reports about the job now. */
struct job_record_job {
	enum job_record_phase phase;
	bool here;                   /* this node is in the current node list */
	enum job_record_first first; /* used in phase JOB_RECORD_JOB_ENDING only */
	uint32_t restarts;
};

enum job_record_caller {
	JOB_RECORD_EPILOG, /* the job's epilog on this node, which runs once */
	JOB_RECORD_REAP,   /* tessera reap, which runs repeatedly */
};

enum job_record_fate {
	JOB_RECORD_KEEP,   /* undecided: keep the record for tessera reap */
	JOB_RECORD_STAY,   /* the job is running, or an epilog will remove it: change nothing */
	JOB_RECORD_FORGET, /* drop the record, leave the partition to the job's other nodes */
	JOB_RECORD_REMOVE, /* remove the partition, then drop the record */
};

/*
 * Decide about the partition of JOB. RECORD: this node's job record, NULL if there is none.
 * LISTABLE: the controller can list its partitions, so that a later reap on any node of the pod
 * finds one that was left to a node that failed. A running job's partition is never removed.
 * Several nodes may decide to remove the same partition: removal is idempotent.
 */
enum job_record_fate job_record_fate(const struct job_record_job *job,
				     const struct tessera_job_record *record,
				     enum job_record_caller caller, bool listable);

#endif /* TESSERA_JOB_RECORD_FATE_H */
