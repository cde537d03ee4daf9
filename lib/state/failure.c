/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/state/failure.h"
#include "lib/util/scan.h"
#include "lib/util/statefile.h"

#define PREFIX   "failed"
#define TEXT_MAX 1024 /* more than all fields at their longest */

int failure_write(const char *dir, uint32_t job, const struct tessera_error *why,
		  struct tessera_error *err)
{
	struct tessera_error clean;
	char text[TEXT_MAX];

	/* Replaces control characters, so that the text is one line. */
	tessera_error_set(&clean, why->code, "%s", why->text[0] != '\0' ? why->text : "-");
	snprintf(text, sizeof(text), "tessera-failure 1\njob %u\ntext %s\nend\n", job, clean.text);
	if (statefile_write(dir, PREFIX, job, text, strlen(text), err) == 0)
		return 0;
	/* A full file system often still has room for an empty file. */
	return statefile_touch(dir, PREFIX, job, NULL);
}

/* Returns 0, or -1 if the text is damaged. */
static int parse_failure(const char *text, size_t len, uint32_t job, struct failure *f)
{
	struct scan r = {.at = text};

	scan_expect(&r, "tessera-failure 1\n");
	if (scan_number(&r, "job ", UINT32_MAX) != job)
		r.failed = true;
	scan_text(&r, "\ntext ", "\n", f->text, sizeof(f->text));
	scan_expect(&r, "\nend\n");
	return r.failed || r.at != text + len ? -1 : 0;
}

int failure_read(const char *dir, uint32_t job, struct failure *f, struct tessera_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = statefile_read(dir, PREFIX, job, &text, &len, err);

	*f = (struct failure){0};
	if (rc == 0 && parse_failure(text, len, job, f) < 0)
		*f = (struct failure){0};
	free(text);
	return rc;
}

bool failure_exists(const char *dir, uint32_t job)
{
	return statefile_exists(dir, PREFIX, job);
}

int failure_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	return statefile_drop(dir, PREFIX, job, err);
}

int failure_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	return statefile_jobs(dir, PREFIX, 1, jobs, err);
}
