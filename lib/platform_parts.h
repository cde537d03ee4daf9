/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of tessera_platform_check(). Not installed: only libtessera uses it.
 */
#ifndef TESSERA_PLATFORM_PARTS_H
#define TESSERA_PLATFORM_PARTS_H

#include "platform.h"

/* Where its RDUs are: Numa and PciId. The number of its RDUs must be right. Returns 0, or -1 with ERR. */
int platform_check_place(const struct tessera_platform *p, struct tessera_error *err);

#endif /* TESSERA_PLATFORM_PARTS_H */
