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

#include "error.h"

/*
 * Is LIST well formed? Returns 0, or -1 with ERR (TESSERA_ERR_INPUT): empty list or name, brackets that do not
 * close, a range that runs backwards or is not a number.
 */
int tessera_hostlist_check(const char *list, struct tessera_error *err);

/* Does LIST name HOST? False for a list that is not well formed, and where either is NULL. */
bool tessera_hostlist_has(const char *list, const char *host);

#endif /* TESSERA_HOSTLIST_H */
