/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a holding. Not installed: for libtessera, its tests and fuzzers.
 */
#ifndef TESSERA_HOLDING_PARTS_H
#define TESSERA_HOLDING_PARTS_H

#include "holding.h"

#define HOLDING_TEXT_MAX 4096 /* more than all fields at their longest */

/* Write H as text. Returns its length. */
size_t holding_format(const struct tessera_holding *h, char *buf, size_t len);

/*
 * Read LEN bytes of TEXT, which have a NUL after them. Nothing but what holding_format() writes is accepted. Returns
 * 0, or -1.
 */
int holding_parse(const char *text, size_t len, struct tessera_holding *h);

#endif /* TESSERA_HOLDING_PARTS_H */
