/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of tiles as texts, for tests of counts.
 */
#ifndef TESSERA_COUNTS_UNIT_H
#define TESSERA_COUNTS_UNIT_H

#include "lib/tile/tileset.h"
#include "test/unit/unit.h"

/* "" is none. */
static inline struct tessera_tileset tiles(const struct tessera_platform *p, const char *text)
{
	struct tessera_tileset set = {0};
	struct tessera_error err = {0};

	if (text[0] != '\0')
		ck_assert_msg(tessera_tileset_parse(p, text, &set, &err) == 0, "%s", err.text);
	return set;
}

#endif /* TESSERA_COUNTS_UNIT_H */
