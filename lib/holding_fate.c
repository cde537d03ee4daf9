/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/holding_fate.h"

/* Another node is relied on only if its epilog runs, and if a reap can find what that epilog fails to remove. */
static enum holding_fate ending_in_epilog(const struct holding_job *job, const struct tessera_holding *note,
					  bool listable)
{
	bool maker = note != NULL && note->owner;

	/* A job that grew has a first node that knows nothing of the partition: so the maker removes it, too. */
	if (maker || !listable || job->first == HOLDING_FIRST_SELF || job->first == HOLDING_FIRST_DOWN)
		return HOLDING_REMOVE;
	return job->first == HOLDING_FIRST_UNKNOWN ? HOLDING_KEEP : HOLDING_FORGET;
}

static enum holding_fate ending_in_reap(const struct holding_job *job, const struct tessera_holding *note)
{
	/* The epilog here has tried and failed. */
	if (note != NULL && note->state == TESSERA_HOLDING_LEAVING)
		return HOLDING_REMOVE;
	if (job->here)
		return HOLDING_STAY;
	if (job->first == HOLDING_FIRST_DOWN)
		return HOLDING_REMOVE;
	return job->first == HOLDING_FIRST_UNKNOWN ? HOLDING_KEEP : HOLDING_STAY;
}

enum holding_fate holding_fate(const struct holding_job *job, const struct tessera_holding *note,
			       enum holding_caller caller, bool listable)
{
	switch (job->phase) {
	case HOLDING_JOB_GONE:
		return HOLDING_REMOVE;
	case HOLDING_JOB_QUEUED:
		/* Its licenses are free: what an earlier run left must not stay usable. A new job has left nothing. */
		return note != NULL || job->restarts > 0 ? HOLDING_REMOVE : HOLDING_STAY;
	case HOLDING_JOB_ACTIVE:
		/* It shrank away from here, or runs again elsewhere; or a late epilog meets its next run here. */
		return note != NULL && !job->here ? HOLDING_FORGET : HOLDING_STAY;
	case HOLDING_JOB_ENDING:
		return caller == HOLDING_EPILOG ? ending_in_epilog(job, note, listable) : ending_in_reap(job, note);
	case HOLDING_JOB_UNKNOWN:
		break;
	}
	return HOLDING_KEEP;
}
