/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/reader.h"
#include "lib/record.h"
#include "lib/used_parts.h"

#define PREFIX   "used"
#define UNKNOWN  "-"
#define TIME_MAX UINT64_C(253402300799) /* the last second of the year 9999 */

static void format_known(bool known, uint64_t value, char *buf, size_t len)
{
	snprintf(buf, len, known ? "%" PRIu64 : UNKNOWN, value);
}

size_t used_format(const struct tessera_used *used, char *buf, size_t len)
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
		     used->job, used->restarts, used->samples, (intmax_t)used->first, (intmax_t)used->last,
		     used->seen, tiles, ipus, used->outside_seconds, used->ended ? 1 : 0);
	return n < (int)len ? (size_t)n : len - 1;
}

static uint64_t seconds(struct reader *r, const char *before)
{
	return reader_number(r, before, TESSERA_SECONDS_MAX);
}

/* The same, or "-". */
static uint64_t known_seconds(struct reader *r, const char *before, bool *known)
{
	reader_expect(r, before);
	*known = !reader_follows(r, UNKNOWN);
	if (*known)
		return seconds(r, "");
	reader_expect(r, UNKNOWN);
	return 0;
}

int used_parse(const char *text, size_t len, struct tessera_used *used)
{
	struct reader r = {.at = text};

	*used = (struct tessera_used){0};
	reader_expect(&r, "tessera-used 1\n");
	used->job = (uint32_t)reader_number(&r, "job ", UINT32_MAX);
	used->restarts = (uint32_t)reader_number(&r, " restarts ", UINT32_MAX);
	used->samples = (uint32_t)reader_number(&r, " samples ", UINT32_MAX);
	used->first = (time_t)reader_number(&r, " first ", TIME_MAX);
	used->last = (time_t)reader_number(&r, " last ", TIME_MAX);
	used->seen = seconds(&r, "\nseen ");
	used->tile_seconds = known_seconds(&r, " tiles ", &used->has_tiles);
	used->ipu_seconds = known_seconds(&r, " ipus ", &used->has_ipus);
	used->outside_seconds = seconds(&r, " outside ");
	used->ended = reader_number(&r, " ended ", 1) == 1;
	reader_expect(&r, "\nend\n");
	return r.failed || r.at != text + len ? -1 : 0;
}

int tessera_used_write(const char *dir, const struct tessera_used *used, struct tessera_error *err)
{
	char text[USED_TEXT_MAX];
	size_t len = used_format(used, text, sizeof(text));
	struct tessera_used again;

	/* A file that could not be read again must not replace one that can. */
	if (used_parse(text, len, &again) < 0)
		return tessera_error_set(err, TESSERA_ERR_INPUT,
					 "what job %" PRIu32 " used cannot be right: more than %" PRIu64
					 " seconds, or a time before 1970",
					 used->job, TESSERA_SECONDS_MAX);
	return record_write(dir, PREFIX, used->job, text, len, err);
}

int tessera_used_read(const char *dir, uint32_t job, struct tessera_used *used, struct tessera_error *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = record_read(dir, PREFIX, job, &text, &len, err);

	*used = (struct tessera_used){.job = rc == 1 ? 0 : job};
	if (rc == 0 && (used_parse(text, len, used) < 0 || used->job != job)) {
		*used = (struct tessera_used){.job = job};
		rc = tessera_error_set(err, TESSERA_ERR_INPUT,
				       "%s/" PREFIX ".%" PRIu32 " is damaged: what job %" PRIu32
				       " used so far is not known; remove the file",
				       dir, job, job);
	}
	free(text);
	return rc;
}

int tessera_used_drop(const char *dir, uint32_t job, struct tessera_error *err)
{
	return record_drop(dir, PREFIX, job, err);
}

int tessera_used_jobs(const char *dir, uint32_t **jobs, struct tessera_error *err)
{
	return record_jobs(dir, PREFIX, 0, jobs, err);
}
