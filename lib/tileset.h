/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of tiles of one node, and the forms in which people and tools write them. Plain values: copied by
 * assignment, nothing to free. Functions that take a tile number ignore numbers from TESSERA_TILES_MAX on.
 */
#ifndef TESSERA_TILESET_H
#define TESSERA_TILESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "platform.h"

#define TESSERA_TILESET_WORDS (TESSERA_TILES_MAX / 64)

struct tessera_tileset {
	uint64_t word[TESSERA_TILESET_WORDS]; /* bit t % 64 of word t / 64 is tile t */
};

enum tessera_form {
	TESSERA_FORM_MASK = 1,   /* 0xff000000, as wide as the platform's mask: what SF_RNT_TILE_AFFINITY takes */
	TESSERA_FORM_TILES = 2,  /* 0-3,8 */
	TESSERA_FORM_RDUS = 3,   /* rdu6,rdu7, a range from three on: rdu0-3; what is no whole RDU: the next form */
	TESSERA_FORM_DOTTED = 4, /* 6.0-3,7.0 */
	TESSERA_FORM_PATHS = 5,  /* /XRDU_3/RDU_0/TILE_5,... as the vendor's tools print; every tile spelt out */
};

/* The longest text any form can need, with the final NUL. */
#define TESSERA_TILESET_TEXT_MAX 32768

void tessera_tileset_clear(struct tessera_tileset *set);
void tessera_tileset_add(struct tessera_tileset *set, unsigned tile);
void tessera_tileset_add_range(struct tessera_tileset *set, unsigned first, unsigned count);
bool tessera_tileset_has(const struct tessera_tileset *set, unsigned tile);
bool tessera_tileset_has_range(const struct tessera_tileset *set, unsigned first, unsigned count); /* all of them */
unsigned tessera_tileset_count(const struct tessera_tileset *set);
unsigned tessera_tileset_count_range(const struct tessera_tileset *set, unsigned first, unsigned count);
bool tessera_tileset_empty(const struct tessera_tileset *set);
bool tessera_tileset_equal(const struct tessera_tileset *a, const struct tessera_tileset *b);
bool tessera_tileset_subset(const struct tessera_tileset *inner, const struct tessera_tileset *outer);
bool tessera_tileset_overlap(const struct tessera_tileset *a, const struct tessera_tileset *b);

/* SET becomes SET united with, cut with, or less OTHER. */
void tessera_tileset_or(struct tessera_tileset *set, const struct tessera_tileset *other);
void tessera_tileset_and(struct tessera_tileset *set, const struct tessera_tileset *other);
void tessera_tileset_minus(struct tessera_tileset *set, const struct tessera_tileset *other);

/* The lowest tile of SET that is FROM or higher, or TESSERA_TILES_MAX if there is none. */
unsigned tessera_tileset_next(const struct tessera_tileset *set, unsigned from);

/* All tiles of the platform; empty if its tiles are unknown. */
void tessera_tileset_all(const struct tessera_platform *p, struct tessera_tileset *set);

/*
 * Read a set in any of the forms above; items joined by commas may mix them, except that a mask stands alone.
 * Also read: /NODE before a path, a path that ends at its RDU or XRDU (all its tiles), upper-case hexadecimal.
 * Blank space is not allowed. The platform must pass tessera_platform_check().
 * Returns 0, or -1 with ERR (TESSERA_ERR_INPUT) and SET untouched: empty text, an empty mask, not a tile, a number
 * that the platform does not have (the sentence says which and how many there are), a range that runs backwards.
 */
int tessera_tileset_parse(const struct tessera_platform *p, const char *text, struct tessera_tileset *set,
			  struct tessera_error *err);

/*
 * Write SET, which must be within the platform, in FORM. Like snprintf: returns the length without the NUL, and
 * when that is LEN or more the text was cut. The empty set is "" (as a mask: all zeros). What is written in full is
 * read back by tessera_tileset_parse() as the same set.
 */
size_t tessera_tileset_format(const struct tessera_platform *p, const struct tessera_tileset *set,
			      enum tessera_form form, char *buf, size_t len);

#endif /* TESSERA_TILESET_H */
