/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/state/job_record_internal.h"
#include "lib/util/statefile.h"

#define PREFIX       "job"
#define LOCK         "records.lock"
#define LOCK_WAIT_MS 5000 /* processes hold it for one read and one write */

int tessera_job_record_write(const char *dir, const struct tessera_job_record *record,
			     struct tessera_error *err)
{
	char text[JOB_RECORD_TEXT_MAX];
	size_t len = job_record_format(record, text, sizeof(text));

	return statefile_write(dir, PREFIX, record->job, text, len, err);
}

int tessera_job_record_read(const char *dir, uint32_t job, struct tessera_job_record *record,
			    struct tessera_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = statefile_read(dir, PREFIX, job, &text, &len, err);

	*record = (struct tessera_job_record){.job = rc == 1 ? 0 : job};
	if (rc == 0 && (job_record_parse(text, len, record) < 0 || record->job != job)) {
		*record = (struct tessera_job_record){.job = job};
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "%s/" PREFIX
				       ".%u is damaged: run tessera reap to clean up after job %u",
				       dir, job, job);
	}
	free(text);
	return rc;
}

int tessera_job_record_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	return statefile_drop(dir, PREFIX, job, err);
}

bool tessera_job_record_exists(const char *dir, uint32_t job)
{
	return statefile_exists(dir, PREFIX, job);
}

int tessera_job_record_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	return statefile_jobs(dir, PREFIX, 1, jobs, err);
}

bool tessera_job_record_same_run(const struct tessera_job_record *a,
				 const struct tessera_job_record *b)
{
	return a->job == b->job && a->uid == b->uid && a->restarts == b->restarts;
}

bool tessera_job_record_covers(const struct tessera_job_record *now,
			       const struct tessera_job_record *coming)
{
	if (now->state != TESSERA_JOB_RECORD_READY || !tessera_job_record_same_run(now, coming) ||
	    now->ipus != coming->ipus || now->pool_count != coming->pool_count)
		return false;
	for (size_t i = 0; i < now->pool_count; i++)
		if (strcmp(now->pools[i].name, coming->pools[i].name) != 0 ||
		    now->pools[i].count != coming->pools[i].count)
			return false;
	return true;
}

/* May a caller that read SEEN replace or drop the present record? Called under the lock. */
static bool may_swap(const char *dir, uint32_t job, const struct tessera_job_record *seen,
		     bool drop)
{
	struct tessera_job_record now;
	int rc = tessera_job_record_read(dir, job, &now, NULL);

	if (rc != 0)
		return seen == NULL || (rc > 0 && drop);
	return seen != NULL && tessera_job_record_same_run(&now, seen);
}

int tessera_job_record_swap(const char *dir, uint32_t job, const struct tessera_job_record *seen,
			    const struct tessera_job_record *record, struct tessera_error *err)
{
	int lock = statefile_lock_within(dir, LOCK, LOCK_WAIT_MS, err);
	int rc = 1;

	if (lock < 0)
		return -1;
	if (may_swap(dir, job, seen, record == NULL))
		rc = record != NULL ? tessera_job_record_write(dir, record, err)
				    : tessera_job_record_drop(dir, job, err);
	close(lock);
	return rc;
}
