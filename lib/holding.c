/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/holding_parts.h"
#include "lib/record.h"

#define PREFIX       "job"
#define LOCK         "records.lock"
#define LOCK_WAIT_MS 5000 /* it is held for a moment only */

int tessera_holding_write(const char *dir, const struct tessera_holding *h, struct tessera_error *err)
{
	char text[HOLDING_TEXT_MAX];
	size_t len = holding_format(h, text, sizeof(text));

	return record_write(dir, PREFIX, h->job, text, len, err);
}

int tessera_holding_read(const char *dir, uint32_t job, struct tessera_holding *h, struct tessera_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = record_read(dir, PREFIX, job, &text, &len, err);

	*h = (struct tessera_holding){.job = rc == 1 ? 0 : job};
	if (rc == 0 && (holding_parse(text, len, h) < 0 || h->job != job)) {
		*h = (struct tessera_holding){.job = job};
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "%s/" PREFIX ".%u is damaged: tessera reap cleans up behind job %u", dir,
				       job, job);
	}
	free(text);
	return rc;
}

int tessera_holding_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	return record_drop(dir, PREFIX, job, err);
}

bool tessera_holding_exists(const char *dir, uint32_t job)
{
	return record_exists(dir, PREFIX, job);
}

int tessera_holding_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	return record_jobs(dir, PREFIX, 1, jobs, err);
}

bool tessera_holding_same_run(const struct tessera_holding *a, const struct tessera_holding *b)
{
	return a->job == b->job && a->uid == b->uid && a->restarts == b->restarts;
}

bool tessera_holding_covers(const struct tessera_holding *now, const struct tessera_holding *coming)
{
	if (now->state != TESSERA_HOLDING_READY || !tessera_holding_same_run(now, coming) ||
	    now->ipus != coming->ipus || now->pool_count != coming->pool_count)
		return false;
	for (size_t i = 0; i < now->pool_count; i++)
		if (strcmp(now->pools[i].name, coming->pools[i].name) != 0 ||
		    now->pools[i].count != coming->pools[i].count)
			return false;
	return true;
}

/* May the caller, who saw SEEN, change what is there now? Under the lock. */
static bool may_swap(const char *dir, uint32_t job, const struct tessera_holding *seen, bool drop)
{
	struct tessera_holding now;
	int rc = tessera_holding_read(dir, job, &now, NULL);

	if (rc != 0)
		return seen == NULL || (rc > 0 && drop);
	return seen != NULL && tessera_holding_same_run(&now, seen);
}

int tessera_holding_swap(const char *dir, uint32_t job, const struct tessera_holding *seen,
			 const struct tessera_holding *h, struct tessera_error *err)
{
	int lock = record_lock_within(dir, LOCK, LOCK_WAIT_MS, err);
	int rc = 1;

	if (lock < 0)
		return -1;
	if (may_swap(dir, job, seen, h == NULL))
		rc = h != NULL ? tessera_holding_write(dir, h, err) : tessera_holding_drop(dir, job, err);
	close(lock);
	return rc;
}
