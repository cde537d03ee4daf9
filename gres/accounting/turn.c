/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "gres/accounting/turn.h"

/* The first window has no other before it, so only its end is guarded. */
static bool is_guarded(size_t window, time_t second)
{
	return second >= TURN_WINDOW_S - TURN_GUARD_S || (window > 0 && second < TURN_GUARD_S);
}

bool turn_allows(time_t since_end, const bool *has_part, size_t count, size_t self)
{
	time_t since = since_end > 0 ? since_end : 0; /* our clock may be behind slurmctld's */
	size_t window = (size_t)(since / TURN_WINDOW_S), node = window % count;

	if (count == 1)
		return true;
	if (is_guarded(window, since % TURN_WINDOW_S))
		return false;
	if (window / count % 2 == 1)
		return node == self;
	/* The first node without a part, from the owner of the window on. */
	for (size_t n = 0; n < count && has_part[node]; n++)
		node = (node + 1) % count;
	return node == self && !has_part[self];
}
