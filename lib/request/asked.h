/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment variable in which a client states what its job requests (VAR_ASKED of names.h):
 * "tiles=8,csx=1". slurmstepd reads it.
 */
#ifndef TESSERA_ASKED_H
#define TESSERA_ASKED_H

#include <stdbool.h>

struct asked {
	bool tiles;
	bool pools; /* IPUs or one of the pools */
};

/*
 * Parse TEXT, NULL or "" for nothing. An item named `tiles` requests tiles; each component of a
 * heterogeneous job may add one. The text comes from the user's environment: an item that is not
 * valid counts as a request for pools, so that a step does not run as if nothing had been
 * requested.
 */
struct asked asked_read(const char *text);

#endif /* TESSERA_ASKED_H */
