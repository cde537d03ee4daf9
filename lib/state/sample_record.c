/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/state/sample_record_internal.h"
#include "lib/util/scan.h"
#include "lib/util/statefile.h"

#define PREFIX   "used"
#define UNKNOWN  "-"
#define TIME_MAX UINT64_C(253402300799) /* the last second of the year 9999 */

static void format_known(bool known, uint64_t value, char *buf, size_t len)
{
	snprintf(buf, len, known ? "%" PRIu64 : UNKNOWN, value);
}

size_t sample_record_format(const struct tessera_sample_record *used, char *buf, size_t len)
{
	char tiles[24], ipus[24];
	int n;

	format_known(used->has_tiles, used->tile_seconds, tiles, sizeof(tiles));
	format_known(used->has_ipus, used->ipu_seconds, ipus, sizeof(ipus));
	n = snprintf(buf, len,
		     "tessera-used 1\n"
		     "job %" PRIu32 " restarts %" PRIu32 " samples %" PRIu32 " first %jd last %jd\n"
		     "seen %" PRIu64 " tiles %s ipus %s outside %" PRIu64 " ended %d\n"
		     "end\n",
		     used->job, used->restarts, used->samples, (intmax_t)used->first,
		     (intmax_t)used->last, used->seen, tiles, ipus, used->outside_seconds,
		     used->ended ? 1 : 0);
	return n < (int)len ? (size_t)n : len - 1;
}

static uint64_t scan_seconds(struct scan *r, const char *before)
{
	return scan_number(r, before, TESSERA_SECONDS_MAX);
}

/* The same, or "-": then *KNOWN is false. */
static uint64_t scan_known_seconds(struct scan *r, const char *before, bool *known)
{
	scan_expect(r, before);
	*known = !scan_follows(r, UNKNOWN);
	if (*known)
		return scan_seconds(r, "");
	scan_expect(r, UNKNOWN);
	return 0;
}

int sample_record_parse(const char *text, size_t len, struct tessera_sample_record *used)
{
	struct scan r = {.at = text};

	*used = (struct tessera_sample_record){0};
	scan_expect(&r, "tessera-used 1\n");
	used->job = (uint32_t)scan_number(&r, "job ", UINT32_MAX);
	used->restarts = (uint32_t)scan_number(&r, " restarts ", UINT32_MAX);
	used->samples = (uint32_t)scan_number(&r, " samples ", UINT32_MAX);
	used->first = (time_t)scan_number(&r, " first ", TIME_MAX);
	used->last = (time_t)scan_number(&r, " last ", TIME_MAX);
	used->seen = scan_seconds(&r, "\nseen ");
	used->tile_seconds = scan_known_seconds(&r, " tiles ", &used->has_tiles);
	used->ipu_seconds = scan_known_seconds(&r, " ipus ", &used->has_ipus);
	used->outside_seconds = scan_seconds(&r, " outside ");
	used->ended = scan_number(&r, " ended ", 1) == 1;
	scan_expect(&r, "\nend\n");
	return r.failed || r.at != text + len ? -1 : 0;
}

int tessera_sample_record_write(const char *dir, const struct tessera_sample_record *used,
				struct tessera_error *err)
{
	char text[SAMPLE_RECORD_TEXT_MAX];
	size_t len = sample_record_format(used, text, sizeof(text));
	struct tessera_sample_record again;

	/* Never replace a good file by one that could not be parsed. */
	if (sample_record_parse(text, len, &again) < 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "invalid sample record of job %" PRIu32
					 ": more than %" PRIu64 " seconds, or a time before 1970",
					 used->job, TESSERA_SECONDS_MAX);
	return statefile_write(dir, PREFIX, used->job, text, len, err);
}

int tessera_sample_record_read(const char *dir, uint32_t job, struct tessera_sample_record *used,
			       struct tessera_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = statefile_read(dir, PREFIX, job, &text, &len, err);

	*used = (struct tessera_sample_record){.job = rc == 1 ? 0 : job};
	if (rc == 0 && (sample_record_parse(text, len, used) < 0 || used->job != job)) {
		*used = (struct tessera_sample_record){.job = job};
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "%s/" PREFIX ".%" PRIu32
				       " is damaged, and the use by job %" PRIu32
				       " so far is lost: remove the file",
				       dir, job, job);
	}
	free(text);
	return rc;
}

int tessera_sample_record_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	return statefile_drop(dir, PREFIX, job, err);
}

int tessera_sample_record_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	return statefile_jobs(dir, PREFIX, 0, jobs, err);
}
