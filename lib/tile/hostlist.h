/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of Slurm's host list syntax that tessera.conf needs. Slurm's own implementation is in a
 * library that neither the plugin nor libtessera links.
 *
 *   sn30-r1-h[1-2],gc-poplar-[02-04],sm-01
 *
 * Brackets contain numbers and ranges separated by commas; a name may have several brackets. As in
 * Slurm, numbers of a range are zero-padded to the width of its first number: 02-04 does not
 * contain host "2".
 */
#ifndef TESSERA_HOSTLIST_H
#define TESSERA_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "../util/error.h"

/*
 * Check the syntax of LIST, which must not be NULL. Returns 0, or -1 with ERR (TESSERA_ERR_INPUT):
 * an empty list or name, brackets that are not closed, a range that runs backwards or is not made
 * of numbers with at most nine digits, a character not allowed in host names, a name of more than
 * 255 characters, more than 65536 hosts.
 */
int tessera_hostlist_check(const char *list, struct tessera_error *err);

/* Does LIST contain HOST? False if the syntax of LIST is wrong, or either is NULL. */
bool tessera_hostlist_has(const char *list, const char *host);

/*
 * Do A and B have a host in common? If so, the first one in A is written to HOST, cut to LEN. False
 * if the syntax of either is wrong. The time grows with the number of hosts in A.
 */
bool tessera_hostlist_common(const char *a, const char *b, char *host, size_t len);

#endif /* TESSERA_HOSTLIST_H */
