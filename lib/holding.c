/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/holding_parts.h"
#include "lib/record.h"

#define PREFIX "job"

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
