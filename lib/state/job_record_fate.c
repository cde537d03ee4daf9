/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/state/job_record_fate.h"

/*
 * Leave the partition to another node only if that node runs its epilog, and a later reap can find
 * what that epilog fails to remove.
 */
static enum job_record_fate decide_in_epilog(const struct job_record_job *job,
					     const struct tessera_job_record *record, bool listable)
{
	bool creator = record != NULL && record->owner;

	/*
	 * After a job has grown, its first node may not know the partition: so the node that
	 * created it removes it, too.
	 */
	if (creator || !listable || job->first == JOB_RECORD_FIRST_SELF ||
	    job->first == JOB_RECORD_FIRST_DOWN)
		return JOB_RECORD_REMOVE;
	return job->first == JOB_RECORD_FIRST_UNKNOWN ? JOB_RECORD_KEEP : JOB_RECORD_FORGET;
}

static enum job_record_fate decide_in_reap(const struct job_record_job *job,
					   const struct tessera_job_record *record)
{
	/* This node's epilog has tried and failed. */
	if (record != NULL && record->state == TESSERA_JOB_RECORD_LEAVING)
		return JOB_RECORD_REMOVE;
	if (job->here)
		return JOB_RECORD_STAY;
	if (job->first == JOB_RECORD_FIRST_DOWN)
		return JOB_RECORD_REMOVE;
	return job->first == JOB_RECORD_FIRST_UNKNOWN ? JOB_RECORD_KEEP : JOB_RECORD_STAY;
}

enum job_record_fate job_record_fate(const struct job_record_job *job,
				     const struct tessera_job_record *record,
				     enum job_record_caller caller, bool listable)
{
	switch (job->phase) {
	case JOB_RECORD_JOB_GONE:
		return JOB_RECORD_REMOVE;
	case JOB_RECORD_JOB_QUEUED:
		/*
		 * Its licenses are free, so the partition of an earlier run must not stay usable. A
		 * job that never ran has none.
		 */
		return record != NULL || job->restarts > 0 ? JOB_RECORD_REMOVE : JOB_RECORD_STAY;
	case JOB_RECORD_JOB_ACTIVE:
		/*
		 * Not here: the job shrank and lost this node, or was requeued to other nodes.
		 * Here: a late epilog meets the job's next run.
		 */
		return record != NULL && !job->here ? JOB_RECORD_FORGET : JOB_RECORD_STAY;
	case JOB_RECORD_JOB_ENDING:
		return caller == JOB_RECORD_EPILOG ? decide_in_epilog(job, record, listable)
						   : decide_in_reap(job, record);
	case JOB_RECORD_JOB_UNKNOWN:
		break;
	}
	return JOB_RECORD_KEEP;
}
