/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When local days begin. A day may not have 24 hours, and may not begin at 00:00, because some
 * places set clocks forward at midnight. So this searches for the first second with another date.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/account/usage.h"

#define DAYS_MAX 100000

static bool is_same_day(const struct tm *day, time_t when)
{
	struct tm tm;

	if (localtime_r(&when, &tm) == NULL)
		return false;
	return tm.tm_year == day->tm_year && tm.tm_yday == day->tm_yday;
}

/*
 * The first second in (LOW, HIGH] that is on DAY (WANTED) or is not (!WANTED). HIGH must be such a
 * second, LOW must not.
 */
static time_t find_first(time_t low, time_t high, const struct tm *day, bool wanted)
{
	while (high - low > 1) {
		time_t middle = low + (high - low) / 2;

		if (is_same_day(day, middle) == wanted)
			high = middle;
		else
			low = middle;
	}
	return high;
}

time_t *tessera_usage_days(time_t start, time_t end, size_t *count, struct tessera_error *err)
{
	/* No time zone ever skipped two days, or had a day of more than 48 hours. */
	const time_t beyond = (time_t)4 * 24 * 3600;
	size_t room, n = 0;
	struct tm day;
	time_t *days;

	if (end <= start || (end - start) / (24 * 3600) > DAYS_MAX) {
		tessera_error_set(err, TESSERA_ERR_INPUT, "a report by day covers at most %d days",
				  DAYS_MAX);
		return NULL;
	}
	room = (size_t)((end - start) / (20 * 3600)) + 4;
	days = calloc(room, sizeof(*days));
	if (days == NULL || localtime_r(&start, &day) == NULL) {
		tessera_error_nomem(err);
		free(days);
		return NULL;
	}
	days[n++] = find_first(start - beyond, start, &day, true);
	while (days[n - 1] < end && n < room) {
		if (localtime_r(&days[n - 1], &day) == NULL)
			break;
		days[n] = find_first(days[n - 1], days[n - 1] + beyond, &day, false);
		n++;
	}
	*count = n;
	return days;
}
