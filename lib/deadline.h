/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points in time, so that nothing waits for ever: milliseconds of the clock that no one sets. Not installed.
 */
#ifndef TESSERA_DEADLINE_H
#define TESSERA_DEADLINE_H

#include <stdint.h>

/* Now, and so many seconds from now. */
int64_t deadline_now(void);
int64_t deadline_after(unsigned seconds);

/* The nearer of two. */
int64_t deadline_nearer(int64_t a, int64_t b);

/* Milliseconds until then; 0 when it has passed. */
int64_t deadline_left(int64_t deadline);

/*
 * Wait *PAUSE milliseconds, but not past DEADLINE, and double *PAUSE up to MOST: who asks again and again asks soon at
 * first, and seldom in the end.
 */
void deadline_pause(int64_t deadline, unsigned *pause, unsigned most);

#endif /* TESSERA_DEADLINE_H */
