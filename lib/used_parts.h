/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of what a job used. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_USED_PARTS_H
#define TESSERA_USED_PARTS_H

#include "used.h"

#define USED_TEXT_MAX 512 /* more than all fields at their longest */

/* Write USED as text. Returns its length. */
size_t used_format(const struct tessera_used *used, char *buf, size_t len);

/* Read TEXT of LEN bytes, which has a NUL after them. Nothing but what used_format() writes is accepted. Returns 0, or -1. */
int used_parse(const char *text, size_t len, struct tessera_used *used);

#endif /* TESSERA_USED_PARTS_H */
