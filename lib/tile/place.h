/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placement: which tiles a job gets on a node, and which of them each task gets.
 *
 * The rules, most important first:
 *  - A whole RDU has all of its tiles. A block (fewer tiles than an RDU) lies within one RDU,
 *    aligned to its size.
 *  - Several whole RDUs share an XRDU if possible. Blocks use RDUs that are partly in use or partly
 *    bad before they break a whole one, and leave the largest aligned gaps.
 *  - The RDU with the lowest cost (NUMA distance) is preferred.
 *  - Then the choice that leaves most to later jobs: for a block the fullest RDU, otherwise the
 *    XRDU with the fewest whole RDUs.
 *  - Then the lowest number, so that the same input always gives the same output.
 * If any placement obeys the first rule, one is found. No function here allocates memory.
 */
#ifndef TESSERA_PLACE_H
#define TESSERA_PLACE_H

#include "../util/error.h"
#include "platform.h"
#include "tileset.h"

/* What a job needs on a node. */
struct tessera_shape {
	unsigned whole;  /* number of whole RDUs */
	unsigned blocks; /* number of blocks */
	/* tiles of a block, a divisor of tiles_per_rdu; 0 if blocks is 0 */
	unsigned block;
};

/* How a job's tiles are divided among the tasks of a step. */
enum tessera_bind {
	TESSERA_BIND_NONE = 1,  /* every task gets all of them */
	TESSERA_BIND_BLOCK = 2, /* task 0 gets the first tiles, task 1 the next, ... */
	/* task 0 in the first RDU, task 1 in the second, ...; or XRDUs: see tessera_split() */
	TESSERA_BIND_CYCLIC = 3,
	/* each task, in order, the closest RDU with room; like BLOCK without costs */
	TESSERA_BIND_CLOSEST = 4,
	TESSERA_BIND_MAP =
		5, /* from a list, which is repeated if it has fewer entries than tasks */
};

/* Writes the owner of a tile to BUF, for messages: "job 4711 (ann)". ARG is owner_arg. */
typedef void (*tessera_owner_fn)(unsigned tile, char *buf, size_t len, void *arg);

struct tessera_place {
	const struct tessera_platform *platform; /* must pass tessera_platform_check() */
	const struct tessera_tileset *free;      /* tiles not allocated to a job */
	/* tiles that must not be allocated, even if free; NULL: none */
	const struct tessera_tileset *bad;
	/* the same, because their health is not known; NULL: none */
	const struct tessera_tileset *unknown;
	/* withheld tiles, which are not in free; only for messages; NULL: none */
	const struct tessera_tileset *kept;
	struct tessera_shape shape;         /* not used if wish is set */
	const struct tessera_tileset *wish; /* exactly these tiles; NULL: place shape */
	const unsigned *cost;               /* NUMA distance of each RDU; NULL: all equal */
	tessera_owner_fn owner;             /* NULL: messages do not name owners */
	void *owner_arg;
};

/*
 * Find tiles for a job. Returns 0 with *TILES set, or -1 with ERR and *TILES unchanged:
 * TESSERA_ERR_SHORTAGE if the request fits an empty, healthy node, so that waiting may help;
 * TESSERA_ERR_INPUT if it never fits, or if a tile in wish is bad.
 */
int tessera_place(const struct tessera_place *in, struct tessera_tileset *tiles,
		  struct tessera_error *err);

struct tessera_split {
	const struct tessera_platform *platform;
	const struct tessera_tileset *tiles; /* the tiles to divide */
	unsigned tasks;                      /* 1 or more */
	enum tessera_bind bind;
	/* 0: an equal part of all tiles. Ignored by NONE and MAP */
	unsigned tiles_per_task;
	const struct tessera_tileset *map; /* TESSERA_BIND_MAP: map_len sets, each within tiles */
	unsigned map_len;
	const unsigned *cost; /* TESSERA_BIND_CLOSEST: cost[task * rdus + rdu]; may be NULL */
};

/*
 * Divide tiles among tasks. EACH has room for in->tasks sets. Except with NONE and MAP, no two
 * tasks share a tile, and each gets tiles_per_task tiles: an aligned part of one RDU, or whole
 * RDUs. With CLOSEST and CYCLIC a task of several RDUs gets them from one XRDU if possible, and
 * CYCLIC then goes round the XRDUs; BLOCK takes RDUs in order. Returns 0, or -1 with ERR
 * (TESSERA_ERR_INPUT): too few tiles, tiles that cannot be divided so, or a map with other tiles.
 */
int tessera_split(const struct tessera_split *in, struct tessera_tileset *each,
		  struct tessera_error *err);

#endif /* TESSERA_PLACE_H */
