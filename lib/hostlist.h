/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's host lists, as far as tessera.conf needs them: is this node in that list? Slurm has the full thing, but
 * in a library that neither the plugin nor libtessera links.
 *
 *   sn30-r1-h[1-2],gc-poplar-[02-04],sm-01
 *
 * Brackets hold numbers and ranges joined by commas; a name may have several brackets; a range's digits keep the
 * width of its first number, as in Slurm (02-04 has no host "2").
 */
#ifndef TESSERA_HOSTLIST_H
#define TESSERA_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * Is LIST, which may not be NULL, well formed? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): empty list or name,
 * brackets that do not close, a range that runs backwards or is not a number (of nine digits at most), a character
 * that host names do not have, a name of more than 255 characters, more than 65536 hosts.
 */
int tessera_hostlist_check(const char *list, struct tessera_error *err);

/* Does LIST name HOST? False for a list that is not well formed, and where either is NULL. */
bool tessera_hostlist_has(const char *list, const char *host);

/*
 * Is there a host that both lists name? The first of A's is written to HOST then, cut to LEN. False if one of them
 * is not well formed. It takes time for each host of A.
 */
bool tessera_hostlist_common(const char *a, const char *b, char *host, size_t len);

#endif /* TESSERA_HOSTLIST_H */
