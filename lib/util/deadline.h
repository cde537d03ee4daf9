/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines: points in time, in milliseconds of CLOCK_MONOTONIC, which is never set. Every wait in
 * Tessera has one. Not installed.
 */
#ifndef TESSERA_DEADLINE_H
#define TESSERA_DEADLINE_H

#include <stdint.h>

/* The current time, and the time SECONDS from now. */
int64_t deadline_now(void);
int64_t deadline_after(unsigned seconds);

int64_t deadline_earlier(int64_t a, int64_t b);

/* Milliseconds until DEADLINE; 0 if it has passed. */
int64_t deadline_left(int64_t deadline);

/*
 * For polling: sleep *PAUSE milliseconds, but not past DEADLINE, then double *PAUSE up to MOST, so
 * that the interval grows.
 */
void deadline_pause(int64_t deadline, unsigned *pause, unsigned most);

#endif /* TESSERA_DEADLINE_H */
