/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where local days begin. A day need not have 24 hours, and need not begin at 00:00: clocks are set forward at midnight
 * in some places. So the first second whose date is another is looked for, instead of being worked out.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/usage.h"

#define DAYS_MAX 100000

static bool same_day(const struct tm *day, time_t when)
{
	struct tm tm;

	if (localtime_r(&when, &tm) == NULL)
		return false;
	return tm.tm_year == day->tm_year && tm.tm_yday == day->tm_yday;
}

/* The first second in (LOW, HIGH] that is of DAY, or that is not, as WANTED says. HIGH is one, LOW is none. */
static time_t first_that(time_t low, time_t high, const struct tm *day, bool wanted)
{
	while (high - low > 1) {
		time_t middle = low + (high - low) / 2;

		if (same_day(day, middle) == wanted)
			high = middle;
		else
			low = middle;
	}
	return high;
}

time_t *usage_days(time_t start, time_t end, size_t *count, struct tessera_error *err)
{
	/* No calendar ever left out two days, nor had one of more than 48 hours. */
	const time_t beyond = (time_t)4 * 24 * 3600;
	size_t room, n = 0;
	struct tm day;
	time_t *days;

	if (end <= start || (end - start) / (24 * 3600) > DAYS_MAX) {
		tessera_error_set(err, TESSERA_ERR_INPUT, "a report by day is for at most %d days", DAYS_MAX);
		return NULL;
	}
	room = (size_t)((end - start) / (20 * 3600)) + 4;
	days = calloc(room, sizeof(*days));
	if (days == NULL || localtime_r(&start, &day) == NULL) {
		tessera_error_set(err, TESSERA_ERR_MISSING, "out of memory");
		free(days);
		return NULL;
	}
	days[n++] = first_that(start - beyond, start, &day, true);
	while (days[n - 1] < end && n < room) {
		if (localtime_r(&days[n - 1], &day) == NULL)
			break;
		days[n] = first_that(days[n - 1], days[n - 1] + beyond, &day, false);
		n++;
	}
	*count = n;
	return days;
}
