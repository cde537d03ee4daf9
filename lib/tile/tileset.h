/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of tiles of one node, and the text forms in which users and tools write them. A set is a
 * plain value: copied by assignment, nothing to free. Functions that take a tile number ignore
 * numbers of TESSERA_TILES_MAX and above.
 */
#ifndef TESSERA_TILESET_H
#define TESSERA_TILESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../util/error.h"
#include "platform.h"

#define TESSERA_TILESET_WORDS (TESSERA_TILES_MAX / 64)

struct tessera_tileset {
	uint64_t word[TESSERA_TILESET_WORDS]; /* bit t % 64 of word t / 64 is tile t */
};

enum tessera_form {
	/* 0xff000000, as wide as the platform's mask: the format of SF_RNT_TILE_AFFINITY */
	TESSERA_FORM_MASK = 1,
	TESSERA_FORM_TILES = 2, /* 0-3,8 */
	/* rdu6,rdu7 or rdu0-3 (three or more); parts of an RDU in the next form */
	TESSERA_FORM_RDUS = 3,
	TESSERA_FORM_DOTTED = 4, /* 6.0-3,7.0 */
	/* /XRDU_3/RDU_0/TILE_5,... one path per tile, as the vendor's tools print */
	TESSERA_FORM_PATHS = 5,
};

/* Size of the longest text in any form, with the final NUL. */
#define TESSERA_TILESET_TEXT_MAX 32768

void tessera_tileset_clear(struct tessera_tileset *set);
void tessera_tileset_add(struct tessera_tileset *set, unsigned tile);
void tessera_tileset_add_range(struct tessera_tileset *set, unsigned first, unsigned count);
bool tessera_tileset_has(const struct tessera_tileset *set, unsigned tile);
/* Are all tiles of the range in SET? */
bool tessera_tileset_has_range(const struct tessera_tileset *set, unsigned first, unsigned count);
unsigned tessera_tileset_count(const struct tessera_tileset *set);
unsigned tessera_tileset_count_range(const struct tessera_tileset *set, unsigned first,
				     unsigned count);
bool tessera_tileset_empty(const struct tessera_tileset *set);
bool tessera_tileset_equal(const struct tessera_tileset *a, const struct tessera_tileset *b);
bool tessera_tileset_subset(const struct tessera_tileset *inner,
			    const struct tessera_tileset *outer);
bool tessera_tileset_overlap(const struct tessera_tileset *a, const struct tessera_tileset *b);

/* Change SET to its union with, intersection with, or difference from OTHER. */
void tessera_tileset_or(struct tessera_tileset *set, const struct tessera_tileset *other);
void tessera_tileset_and(struct tessera_tileset *set, const struct tessera_tileset *other);
void tessera_tileset_minus(struct tessera_tileset *set, const struct tessera_tileset *other);

/* The lowest tile of SET that is FROM or higher, or TESSERA_TILES_MAX if there is none. */
unsigned tessera_tileset_next(const struct tessera_tileset *set, unsigned from);

/* All tiles of the platform; empty if its tiles are unknown. */
void tessera_tileset_all(const struct tessera_platform *p, struct tessera_tileset *set);

/*
 * Parse a set in any of the forms above. Items separated by commas may mix forms, except that a
 * mask must stand alone. Also accepted: /NODE before a path, a path that ends at an RDU or XRDU
 * (all of its tiles), upper-case hexadecimal. Spaces are not allowed. The platform must pass
 * tessera_platform_check(). Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and SET unchanged: empty
 * text, an empty mask, an item in no known form, a number that the platform does not have, a range
 * that runs backwards.
 */
int tessera_tileset_parse(const struct tessera_platform *p, const char *text,
			  struct tessera_tileset *set, struct tessera_error *err);

/*
 * Write SET, which must be within the platform, in FORM. Like snprintf(), returns the length
 * without the NUL; if that is LEN or more, the text was cut. The empty set is written as "", or as
 * a mask of zeros. tessera_tileset_parse() reads a complete text back as the same set.
 */
size_t tessera_tileset_format(const struct tessera_platform *p, const struct tessera_tileset *set,
			      enum tessera_form form, char *buf, size_t len);

#endif /* TESSERA_TILESET_H */
