/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <time.h>

#include "lib/util/deadline.h"

int64_t deadline_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t deadline_after(unsigned seconds)
{
	return deadline_now() + (int64_t)seconds * 1000;
}

int64_t deadline_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t deadline_left(int64_t deadline)
{
	int64_t left = deadline - deadline_now();

	return left > 0 ? left : 0;
}

void deadline_pause(int64_t deadline, unsigned *pause, unsigned most)
{
	int64_t ms = deadline_earlier(*pause, deadline_left(deadline));

	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000}, NULL);
	*pause = *pause < most / 2 ? *pause * 2 : most;
}
